import type { FastifyInstance } from 'fastify';
import { Histogram } from 'prom-client';
import type { HttpContext } from './types.ts';

/** Told of a request that was answered. Milliseconds. */
export type Observed = (operationId: string, status: number, ms: number) => void;

/**
 * Counts and times every request, and logs it: writes at `info`, reads at `debug` (a log line costs as much as a read).
 * What is returned counts and times one that the hooks did not see.
 */
export function observeRequests(app: FastifyInstance, { metrics, log }: HttpContext): Observed {
  const seconds = new Histogram({
    name: 'posthorn_http_request_seconds',
    help: 'Time to answer a request.',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
    registers: [metrics],
  });
  const observed: Observed = (operation, status, ms) => seconds.observe({ operation, status }, ms / 1000);
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
