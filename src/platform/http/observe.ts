import type { FastifyInstance } from 'fastify';
import type { AnyCaller } from '../../contracts/caller.ts';
import { RequestTimes } from './request-times.ts';
import type { AnyRoute } from './route.ts';
import type { HttpContext } from './types.ts';

/** A request that was answered. */
interface Answered {
  requestId: string;
  operationId: string | undefined;
  method: string;
  status: number;
  ms: number;
  caller: AnyCaller | undefined;
}

export interface Observer {
  /** Counts and times one that is in no log. */
  observed: (operationId: string, status: number, ms: number) => void;
  /** Counts, times and logs one. */
  answered: (kind: AnyRoute['kind'] | undefined, request: Answered) => void;
}

const nameOf = (caller: AnyCaller | undefined): string | undefined =>
  caller?.kind === 'key' ? `key:${caller.keyId}` : caller?.kind === 'session' ? `user:${caller.userId}` : undefined;

/**
 * Counts and times every request, and logs it: writes at `info`, reads at `debug` (a log line costs as much as a read).
 * What is returned does so for one that the hooks did not see.
 */
export function observeRequests(app: FastifyInstance, { metrics, log }: HttpContext): Observer {
  const times = new RequestTimes();
  metrics.registerMetric(times.asMetric());
  const observed: Observer['observed'] = (operation, status, ms) => times.observe(operation, status, ms / 1000);
  const answered: Observer['answered'] = (kind, { requestId, operationId, method, status, ms, caller }) => {
    observed(operationId ?? 'other', status, ms);
    const level = kind === 'write' || kind === 'batch' ? 'info' : 'debug';
    if (!log.isLevelEnabled(level)) return;
    log[level](
      {
        requestId,
        operationId: operationId ?? 'other',
        method,
        status,
        ms: Math.round(ms * 10) / 10,
        caller: nameOf(caller),
      },
      'request',
    );
  };
  app.addHook('onResponse', ({ id, method, caller, routeOptions }, reply, done) => {
    done();
    const { operationId, kind } = routeOptions.config;
    answered(kind, { requestId: id, operationId, method, status: reply.statusCode, ms: reply.elapsedTime, caller });
  });
  return { observed, answered };
}
