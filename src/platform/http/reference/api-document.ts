import type { FastifyInstance } from 'fastify';

/** The OpenAPI document as it is sent. */
export interface ApiDocument {
  json(): Buffer;
  yaml(): Buffer;
}

/** Written down once each, when somebody asks first: it takes tens of milliseconds, and anybody may ask. */
export function apiDocument(app: FastifyInstance): ApiDocument {
  let json: Buffer | undefined;
  let yaml: Buffer | undefined;
  return {
    json: () => (json ??= Buffer.from(JSON.stringify(app.swagger()))),
    yaml: () => (yaml ??= Buffer.from(app.swagger({ yaml: true }))),
  };
}
