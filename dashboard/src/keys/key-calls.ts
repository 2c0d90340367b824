import type { ApiKey, IssuedApiKey, Operations } from '@posthorn/client';
import { posthorn } from '../api/client.ts';
import { given } from '../lib/given.ts';

export type Scope = ApiKey['scopes'][number];

/** What members of an account may give its keys. */
export const MEMBER_SCOPES = ['blog:read', 'webhooks:manage', 'inbound:write'] as const satisfies Scope[];
export const ALL_SCOPES: readonly Scope[] = [...MEMBER_SCOPES, 'events:publish', 'admin'];

/** What a scope allows. */
export const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
  'blog:read': 'read the public blog',
  'webhooks:manage': 'manage endpoints, look at deliveries and events of the account, replay',
  'inbound:write': 'report payments, stock and fulfilment',
  'events:publish': 'publish events, to any account',
  admin: 'everything that an operator may do',
};

/** The operations on keys, as members have them for their account or operators for all. */
export interface KeyCalls {
  /** Undefined: the caller has to choose an account when a key is made. */
  accountId: string | undefined;
  scopes: readonly Scope[];
  list: (page: number | undefined, signal: AbortSignal) => Promise<Operations['listApiKeys']['reply']>;
  create: (accountId: string, name: string, scopes: Scope[]) => Promise<IssuedApiKey>;
  rotate: (key: ApiKey, overlapSeconds: number) => Promise<IssuedApiKey>;
  revoke: (key: ApiKey) => Promise<unknown>;
}

/** Keys of one account, for its members. */
export const memberCalls = (id: string): KeyCalls => ({
  accountId: id,
  scopes: MEMBER_SCOPES,
  list: (page, signal) => posthorn.listAccountApiKeys(given({ id, page }), { signal }),
  create: (_, name, scopes) =>
    posthorn.createAccountApiKey({ id, body: { name, scopes: scopes as (typeof MEMBER_SCOPES)[number][] } }),
  rotate: (key, overlapSeconds) => posthorn.rotateAccountApiKey({ id, keyId: key.id, body: { overlapSeconds } }),
  revoke: (key) => posthorn.revokeAccountApiKey({ id, keyId: key.id }),
});

/** Keys of one account or of all, for operators. */
export const operatorCalls = (accountId: string | undefined): KeyCalls => ({
  accountId,
  scopes: ALL_SCOPES,
  list: (page, signal) => posthorn.listApiKeys(given({ accountId, page }), { signal }),
  create: (account, name, scopes) => posthorn.createApiKey({ body: { accountId: account, name, scopes } }),
  rotate: (key, overlapSeconds) => posthorn.rotateApiKey({ id: key.id, body: { overlapSeconds } }),
  revoke: (key) => posthorn.revokeApiKey({ id: key.id }),
});
