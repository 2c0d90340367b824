import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { Type } from 'typebox';
import { ERRORS } from '../../contracts/errors.ts';
import { SESSION_COOKIE } from './browser-session.ts';
import { finishDocument } from './openapi-document.ts';
import type { AnyRoute } from './route.ts';

/** The envelope of interface.md §7. */
export const ErrorSchema = Type.Object(
  {
    error: Type.Object({
      code: Type.String({ description: `Stable; branch on it. One of ${Object.keys(ERRORS).join(', ')}.` }),
      message: Type.String({ description: 'For people.' }),
      requestId: Type.String({ description: 'Quote it in support requests.' }),
      details: Type.Optional(Type.Array(Type.Object({ path: Type.String(), message: Type.String() }))),
      currentVersion: Type.Optional(
        Type.Integer({ description: 'With PRECONDITION_FAILED: the version that there is now.' }),
      ),
    }),
  },
  { $id: 'Error', description: 'Every failure has this form.' },
);

const INFO = `Headless blog and webhook event gateway.

Every reply carries \`X-Request-Id\`. Writes take an optional \`Idempotency-Key\`. Failures have one envelope,
\`{"error": {"code", "message", "requestId"}}\`. A method that an address does not take is 405 \`METHOD_NOT_ALLOWED\` with
\`Allow\`, an address that is none 404 \`NOT_FOUND\`.`;

export interface Tag {
  name: string;
  description: string;
}

export interface DocumentOptions {
  version: string;
  routes: readonly AnyRoute[];
  /** OpenAPI `webhooks`: what we send. */
  webhooks: Record<string, unknown>;
  serverUrl?: string;
  /** Groups of operations, in the order of the reference. */
  tags?: readonly Tag[];
}

/** What @fastify/swagger is told; paths come from the routes. */
export const openapiBase = ({
  version,
  routes,
  webhooks,
  serverUrl,
  tags = [],
}: DocumentOptions): FastifyDynamicSwaggerOptions => ({
  transformObject: (made) => finishDocument('openapiObject' in made ? made.openapiObject : {}, webhooks, routes),
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Posthorn',
      version,
      description: INFO,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    // Relative: wherever this document was fetched from.
    servers: [{ url: serverUrl ?? '/' }],
    tags: [...tags],
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'API key of an account: `ph_…` ' },
        session: { type: 'http', scheme: 'bearer', description: 'Access token of a signed-in user: `phs_…` or a JWT' },
        browserSession: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description: `The same in a cookie that no script can read, set by \`POST /v1/auth/browser-session\`; by https its name begins with \`__Host-\`. Other methods than GET must come from a page of this service.`,
        },
      },
    },
  },
  refResolver: {
    buildLocalReference: (json, _base, _fragment, i) => (typeof json['$id'] === 'string' ? json['$id'] : `schema-${i}`),
  },
});
