export type { Answer, Call, ListCall } from './call.ts';
export { type Client, createClient } from './client.ts';
export { type ClientErrorCode, type ErrorDetail, InvalidInputError, PosthornError } from './errors.ts';
export type * from './generated.ts';
export type { CallOptions, ClientOptions } from './options.ts';
export { randomKey } from './random-key.ts';
export * as webhooks from './webhooks/index.ts';
