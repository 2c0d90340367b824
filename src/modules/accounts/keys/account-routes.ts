import { Type } from 'typebox';
import type { SessionCaller } from '../../../contracts/caller.ts';
import { type AnyRoute, IdParams, PageQuery, pageOf, read, Uuid, write } from '../../../platform/http/index.ts';
import { actingAccount } from '../rules.ts';
import { ApiKey, IssuedApiKey, MemberScopes, Name } from '../schemas.ts';
import { createAccountApiKey, listAccountApiKeys, revokeAccountApiKey, rotateAccountApiKey } from './account-keys.ts';
import type { KeyDeps } from './issue-key.ts';
import { Overlap } from './routes.ts';

const closed = { additionalProperties: false };
/** A session, not a key: one that leaked must not be able to make others. */
const common = { access: 'session', tag: 'Account keys' } as const;
const KeyParams = Type.Object({ id: Uuid, keyId: Uuid });
/** Who is no member any more is not given a key again either. */
const checkRight = ({ caller, params }: { caller: SessionCaller; params: { id: string } }): void =>
  void actingAccount(caller, params.id);

/** For the members of an account: its keys. */
export const accountKeyRoutes = (deps: KeyDeps): AnyRoute[] => [
  read({
    ...common,
    method: 'GET',
    path: '/v1/accounts/{id}/api-keys',
    operationId: 'listAccountApiKeys',
    summary: 'API keys of one’s account, newest first',
    description: 'Keys and secrets themselves are never shown again.',
    errors: ['NOT_FOUND'],
    schemas: { params: IdParams, query: Type.Object(PageQuery), replies: { 200: pageOf(ApiKey) } },
    handle: async (db, { params, query, caller }) => ({
      status: 200,
      body: await listAccountApiKeys(db, caller, { ...params, ...query }),
    }),
  }),
  write({
    ...common,
    method: 'POST',
    path: '/v1/accounts/{id}/api-keys',
    operationId: 'createAccountApiKey',
    summary: 'Give one’s account an API key and a signing secret',
    description: 'Both are shown in this reply only.',
    secretReply: true,
    checkRight,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    schemas: {
      params: IdParams,
      body: Type.Object({ name: Name, scopes: MemberScopes }, closed),
      replies: { 201: IssuedApiKey },
    },
    handle: async (trx, { params, body, caller, env }) => ({
      status: 201,
      body: await createAccountApiKey(trx, { ...params, ...body, caller }, env, deps),
    }),
  }),
  write({
    ...common,
    method: 'POST',
    path: '/v1/accounts/{id}/api-keys/{keyId}/rotate',
    operationId: 'rotateAccountApiKey',
    summary: 'Replace an API key of one’s account and its signing secret',
    description: 'Keys that publish events or administer are rotated by operators.',
    secretReply: true,
    checkRight,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'INVALID_STATE'],
    schemas: {
      params: KeyParams,
      body: Type.Object({ overlapSeconds: Overlap }, closed),
      replies: { 201: IssuedApiKey },
    },
    handle: async (trx, { params, body, caller, env }) => ({
      status: 201,
      body: await rotateAccountApiKey(trx, { ...params, ...body, caller }, env, deps),
    }),
  }),
  write({
    ...common,
    method: 'DELETE',
    path: '/v1/accounts/{id}/api-keys/{keyId}',
    operationId: 'revokeAccountApiKey',
    summary: 'Revoke an API key of one’s account and its signing secret',
    errors: ['NOT_FOUND'],
    schemas: { params: KeyParams, replies: { 204: null } },
    async handle(trx, { params, caller, env }) {
      await revokeAccountApiKey(trx, { ...params, caller }, env, deps);
      return { status: 204 };
    },
  }),
];
