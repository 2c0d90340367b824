import type { FastifyInstance } from 'fastify';
import { RequestTimes } from './request-times.ts';
import type { HttpContext } from './types.ts';

/** Told of a request that was answered. Milliseconds. */
export type Observed = (operationId: string, status: number, ms: number) => void;

/**
 * Counts and times every request, and logs it: writes at `info`, reads at `debug` (a log line costs as much as a read).
 * What is returned counts and times one that the hooks did not see.
 */
export function observeRequests(app: FastifyInstance, { metrics, log }: HttpContext): Observed {
  const times = new RequestTimes();
  metrics.registerMetric(times.asMetric());
  const observed: Observed = (operation, status, ms) => times.observe(operation, status, ms / 1000);
  app.addHook('onResponse', (request, reply, done) => {
    done();
    const { operationId = 'other', kind } = request.routeOptions.config;
    observed(operationId, reply.statusCode, reply.elapsedTime);
    const level = kind === 'write' || kind === 'batch' ? 'info' : 'debug';
    if (!log.isLevelEnabled(level)) return;
    log[level](
      {
        requestId: request.id,
        operationId,
        method: request.method,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        caller:
          request.caller?.kind === 'key'
            ? `key:${request.caller.keyId}`
            : request.caller?.kind === 'session'
              ? `user:${request.caller.userId}`
              : undefined,
      },
      'request',
    );
  });
  return observed;
}
