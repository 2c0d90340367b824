import { Type } from 'typebox';
import { OVERLAP } from '../../../contracts/key-overlap.ts';
import { type AnyRoute, IdParams, PageQuery, pageOf, read, Uuid, write } from '../../../platform/http/index.ts';
import { ApiKey, IssuedApiKey, Name, Scopes } from '../schemas.ts';
import { createApiKey } from './create-api-key.ts';
import type { KeyDeps } from './issue-key.ts';
import { listApiKeys } from './list-api-keys.ts';
import { revokeApiKey } from './revoke-api-key.ts';
import { rotateApiKey } from './rotate-api-key.ts';

const tag = 'Administration';
const closed = { additionalProperties: false };

export const Overlap = Type.Integer({
  minimum: 0,
  maximum: OVERLAP.most,
  default: OVERLAP.default,
  description: 'How long the old key and secret stay valid. Seconds; 0: they are revoked now.',
});

export const keyRoutes = (deps: KeyDeps): AnyRoute[] => [
  read({
    method: 'GET',
    path: '/v1/admin/api-keys',
    operationId: 'listApiKeys',
    tag,
    summary: 'List API keys',
    description: 'Keys and secrets themselves are never shown again.',
    access: 'operator',
    schemas: {
      query: Type.Object({ accountId: Type.Optional(Uuid), ...PageQuery }),
      replies: { 200: pageOf(ApiKey) },
    },
    handle: async (db, { query }) => ({ status: 200, body: await listApiKeys(db, query) }),
  }),
  write({
    method: 'POST',
    path: '/v1/admin/api-keys',
    operationId: 'createApiKey',
    tag,
    summary: 'Give an account an API key and a signing secret',
    description: 'Both are shown in this reply only.',
    access: 'operator',
    secretReply: true,
    errors: ['INVALID_STATE'],
    schemas: {
      body: Type.Object({ accountId: Uuid, name: Name, scopes: Scopes }, closed),
      replies: { 201: IssuedApiKey },
    },
    handle: async (trx, { body, env }) => ({ status: 201, body: await createApiKey(trx, body, env, deps) }),
  }),
  write({
    method: 'POST',
    path: '/v1/admin/api-keys/{id}/rotate',
    operationId: 'rotateApiKey',
    tag,
    summary: 'Replace an API key and its signing secret',
    access: 'operator',
    secretReply: true,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    schemas: {
      params: IdParams,
      body: Type.Object({ overlapSeconds: Overlap }, closed),
      replies: { 201: IssuedApiKey },
    },
    async handle(trx, { params, body, env }) {
      return { status: 201, body: await rotateApiKey(trx, { ...params, ...body }, env, deps) };
    },
  }),
  write({
    method: 'DELETE',
    path: '/v1/admin/api-keys/{id}',
    operationId: 'revokeApiKey',
    tag,
    summary: 'Revoke an API key and its signing secret',
    access: 'operator',
    errors: ['NOT_FOUND'],
    schemas: { params: IdParams, replies: { 204: null } },
    async handle(trx, { params, env }) {
      await revokeApiKey(trx, params, env, deps);
      return { status: 204 };
    },
  }),
];
