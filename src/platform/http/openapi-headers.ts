import type { AnyRoute } from './route.ts';

/** What an operation is told of itself here is made from its route, so that a new one has it too. */
interface Header {
  description: string;
  schema: object;
}

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };

/** Header fields that operations take. Each is optional. */
export const REQUEST_HEADERS = {
  'X-Request-Id': {
    description: 'Kept when it has 8 to 64 of the characters `A-Z a-z 0-9 _ -`, else replaced.',
    schema: text,
  },
  'Idempotency-Key': {
    description: 'Makes the request safe to repeat for 24 h. Visible ASCII, bare or in quotes.',
    schema: { type: 'string', minLength: 1, maxLength: 257 },
  },
  'If-Match': {
    description: 'Entity tags, or `*`: refused (412) when the resource has none of them any more.',
    schema: text,
  },
  'If-None-Match': {
    description: 'Entity tags of replies that the caller has, or `*`: 304 when one of them is still right.',
    schema: text,
  },
  'X-Service-Signature': {
    description: '`t=<unix>,v1=<hex>`: HMAC-SHA256 over `<t>.<raw body>` with a signing secret of the account.',
    schema: { type: 'string', pattern: '^t=\\d+(,v1=[0-9a-f]{64})+$' },
  },
} as const satisfies Record<string, Header>;

/** Header fields of replies. */
export const RESPONSE_HEADERS = {
  'X-Request-Id': { description: 'Id of the request, also in the log and in the envelope of a failure.', schema: text },
  'RateLimit-Limit': { description: 'Requests that the caller may make in a minute.', schema: count },
  'RateLimit-Remaining': { description: 'How many of them are left.', schema: count },
  'RateLimit-Reset': { description: 'Seconds until all of them are there again.', schema: count },
  'Retry-After': { description: 'Seconds to wait before the request is sent again.', schema: count },
  'Idempotency-Replayed': {
    description: 'The stored answer to an earlier request with this `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
  },
  ETag: { description: 'Strong entity tag of what is there now.', schema: text },
  'Cache-Control': { description: 'Keep it for this caller, and ask before using it again.', schema: text },
  Vary: { description: 'What else decides about the reply.', schema: text },
  Location: { description: 'The present address.', schema: { type: 'string', format: 'uri-reference' } },
  'WWW-Authenticate': { description: 'The scheme to use: `Bearer`.', schema: text },
  'Accept-Encoding': { description: '`identity`, where the coding of the body was the fault.', schema: text },
} as const satisfies Record<string, Header>;

export type RequestHeader = keyof typeof REQUEST_HEADERS;
export type ResponseHeader = keyof typeof RESPONSE_HEADERS;

/** The header fields that the operation of a route looks at. */
export function requestHeadersOf(route: AnyRoute): RequestHeader[] {
  const names: RequestHeader[] = ['X-Request-Id'];
  if (route.kind !== 'read') names.push('Idempotency-Key');
  if (route.errors?.includes('PRECONDITION_FAILED')) names.push('If-Match');
  if ('304' in route.schemas.replies) names.push('If-None-Match');
  if (route.isSigned) names.push('X-Service-Signature');
  return names;
}

/** Failures that can come before the caller is counted (see checkRequest), or while it is. */
const PERHAPS_UNCOUNTED = new Set([400, 500, 503]);
/** Failures of a use case, which are stored under an Idempotency-Key. */
const STORED = new Set([403, 404, 409, 412]);

const RATE_LIMIT: readonly ResponseHeader[] = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
const CACHE: readonly ResponseHeader[] = ['ETag', 'Cache-Control', 'Vary'];

/** Those that come with certain statuses only. */
const BY_STATUS: Readonly<Record<number, readonly ResponseHeader[]>> = {
  301: ['Location', 'Cache-Control', 'Vary'],
  401: ['WWW-Authenticate'],
  412: ['ETag'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** The header fields of a reply with this status; true: it always has them. */
export function responseHeadersOf(route: AnyRoute, status: number): Map<ResponseHeader, boolean> {
  const headers = new Map<ResponseHeader, boolean>([['X-Request-Id', true]]);
  if (status !== 406) for (const name of RATE_LIMIT) headers.set(name, !PERHAPS_UNCOUNTED.has(status));
  for (const name of BY_STATUS[status] ?? []) headers.set(name, true);
  const done = status < 300 || status === 304;
  if (done)
    for (const name of CACHE) if (route.etag === true || name !== 'ETag') headers.set(name, route.etag === true);
  if (status === 415) headers.set('Accept-Encoding', false);
  if (route.kind === 'read') return headers;
  if (done || STORED.has(status)) headers.set('Idempotency-Replayed', false);
  if (status === 409) headers.set('Retry-After', false);
  return headers;
}
