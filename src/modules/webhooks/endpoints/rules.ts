import { type ErrorDetail, invalid } from '../../../contracts/errors.ts';

/** Headers that belong to HTTP itself or that we set; a custom one would break delivery or forge a signature. */
const RESERVED = new Set([
  'host',
  'connection',
  'content-length',
  'content-type',
  'content-encoding',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'keep-alive',
  'expect',
  'proxy-authorization',
  'proxy-connection',
  'user-agent',
  'traceparent',
  'tracestate',
  'accept-encoding',
]);
const RESERVED_PREFIXES = ['x-service-', 'webhook-', ':'];

/** Throws VALIDATION_ERROR naming each header that may not be set. */
export function checkHeaders(headers: Readonly<Record<string, string>>): void {
  const faults: ErrorDetail[] = Object.keys(headers)
    .filter(
      (name) => RESERVED.has(name.toLowerCase()) || RESERVED_PREFIXES.some((p) => name.toLowerCase().startsWith(p)),
    )
    .map((name) => ({ path: `body.headers.${name}`, message: 'is reserved' }));
  if (faults.length > 0) throw invalid(...faults);
}
