import { readFileSync } from 'node:fs';
import type { FastifySwaggerUiOptions } from '@fastify/swagger-ui';
import type { ApiDocument } from './api-document.ts';

/** Swagger UI sets styles inline; nothing else comes from elsewhere. No `upgrade-insecure-requests`: it may be served by http. */
const CSP =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'";

const PREFIX = '/docs/api';

const fileOf = (filename: string): { filename: string; content: string } => ({
  filename,
  content: readFileSync(new URL(filename, import.meta.url), 'utf8'),
});

/** The reference of every operation in a browser, at /docs/api: light and dark, with a way back to the documentation. */
export const reference = (document: ApiDocument): FastifySwaggerUiOptions => ({
  routePrefix: PREFIX,
  uiHooks: {
    onRequest(request, reply, done) {
      const [path] = request.url.split('?', 1);
      if (path === `${PREFIX}/json`) void reply.type('application/json; charset=utf-8').send(document.json());
      else if (path === `${PREFIX}/yaml`) void reply.type('application/x-yaml').send(document.yaml());
      else done();
    },
  },
  staticCSP: CSP,
  uiConfig: { docExpansion: 'list', deepLinking: true, layout: 'BaseLayout', displayRequestDuration: true },
  theme: { title: 'Posthorn API', css: [fileOf('reference.css')], js: [fileOf('reference.js')] },
});
