/** Who is calling: the result of authentication, the same for every module (contract: "Callers"). */

export type BlogRole = 'AUTHOR' | 'EDITOR';
export type AccountType = 'MERCHANT' | 'BUSINESS' | 'SITE' | 'PLATFORM';

export const SCOPES = ['blog:read', 'webhooks:manage', 'inbound:write', 'events:publish', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

export interface KeyCaller {
  kind: 'key';
  keyId: string;
  accountId: string;
  accountType: AccountType;
  scopes: readonly Scope[];
}

export interface SessionCaller {
  kind: 'session';
  /** Id of the stored session; for a token of an outside identity provider, a digest of the token. */
  sessionId: string;
  userId: string;
  name: string;
  email: string | null;
  blogRole: BlogRole | null;
  operator: boolean;
  /** Accounts that the user is a member of. */
  accountIds: readonly string[];
}

export type Caller = KeyCaller | SessionCaller;
export type AnyCaller = Caller | { kind: 'nobody' };

/** What rate limits and idempotency keys are counted against. */
export const credentialId = (caller: Caller): string =>
  caller.kind === 'key' ? `key:${caller.keyId}` : userCredentialId(caller.userId);

/** The same of a user, in whichever session. */
export const userCredentialId = (userId: string): string => `user:${userId}`;
