import { type Caller, credentialId, type Scope, type SessionCaller } from '../../contracts/caller.ts';
import { AppError } from '../../contracts/errors.ts';
import { isApiKey } from '../../lib/credentials.ts';
import { networkOf } from './network-of.ts';
import type { Access } from './route.ts';

/** Finds out who holds a credential; null for one that is unknown, expired or revoked. Given by modules/accounts. */
export type Authenticate = (bearer: string) => Promise<Caller | null>;

/** 401: the credential is missing, wrong, or proves too little. */
export const unauthenticated = (message?: string): AppError =>
  new AppError('UNAUTHENTICATED', { headers: { 'www-authenticate': 'Bearer' }, ...(message ? { message } : {}) });

/** The credential of an `Authorization: Bearer …` header (RFC 6750 §2.1), or null when there is no such header. */
function bearerOf(header: string | undefined): string | null {
  if (header === undefined) return null;
  const match = /^Bearer +([\x21-\x7e]{1,4096})$/i.exec(header.trim());
  if (!match) throw unauthenticated('The Authorization header must be: Bearer <credential>.');
  return match[1] as string;
}

/**
 * The caller, by the `Authorization` header or, only without one, by the access token of a browser's cookie; else
 * UNAUTHENTICATED.
 */
export async function identify(
  header: string | undefined,
  cookieToken: string | null,
  authenticate: Authenticate,
): Promise<Caller> {
  const bearer = header === undefined ? cookieToken : bearerOf(header);
  if (bearer === null) throw unauthenticated('A credential is needed: Authorization: Bearer <credential>.');
  const caller = await authenticate(bearer);
  if (!caller) throw unauthenticated(whyUnknown(bearer));
  return caller;
}

/** What its form alone tells of a credential that nobody holds: nothing that who sent it does not know. */
function whyUnknown(bearer: string): string {
  if (bearer.startsWith('whsec_'))
    return 'This is a signing secret, which is never sent: send the API key that it was shown with.';
  if (bearer.startsWith('ph_') && !isApiKey(bearer))
    return 'The API key is incomplete or mistyped: its checksum does not fit.';
  return 'The credential is unknown, expired or revoked.';
}

const forbidden = (message: string): AppError => new AppError('FORBIDDEN', { message });

function checkKey(caller: Caller, scope: Scope, members: boolean): void {
  if (caller.kind === 'key') {
    if (caller.scopes.includes(scope) || caller.scopes.includes('admin')) return;
    throw forbidden(`This API key lacks the scope ${scope}.`);
  }
  if (caller.operator || scope === 'blog:read' || (members && caller.accountIds.length > 0)) return;
  throw forbidden(
    members
      ? 'This user is not a member of any account.'
      : `This operation needs an API key with the scope ${scope}, or the session of an operator.`,
  );
}

const needsSession = (caller: Caller): SessionCaller => {
  if (caller.kind === 'session') return caller;
  throw unauthenticated('This operation needs the access token of a signed-in user, not an API key.');
};

/** Throws UNAUTHENTICATED for the wrong kind of credential and FORBIDDEN for a missing right (contract: "Errors"). */
export function authorize(access: Exclude<Access, 'public'>, caller: Caller): void {
  if (typeof access === 'object') {
    if ('key' in access) checkKey(caller, access.key, false);
    else checkKey(caller, access.account, true);
    return;
  }
  switch (access) {
    case 'any':
      return;
    case 'session':
      needsSession(caller);
      return;
    case 'writer':
      if (needsSession(caller).blogRole === null) throw forbidden('This user does not write for the blog.');
      return;
    case 'editor':
      if (needsSession(caller).blogRole !== 'EDITOR') throw forbidden('This operation is for editors of the blog.');
      return;
    case 'operator':
      if (caller.kind === 'key' ? caller.scopes.includes('admin') : caller.operator) return;
      throw forbidden(
        caller.kind === 'key'
          ? 'This operation needs an API key with the scope admin, or the session of a signed-in user who may do it.'
          : 'This operation is for operators.',
      );
  }
}

/** No e-mail address is longer (RFC 5321 §4.5.3.1.3). Who is asked for may not have been checked yet, and is kept in memory. Characters. */
const LONGEST_EMAIL = 254;

/** Who has no credential is told apart by network and by the e-mail that the request is about, as a sign-in is. */
export function nobodyId(ip: string, body: unknown): string {
  const email = (body as { email?: unknown } | null | undefined)?.email;
  return `${networkOf(ip)} ${typeof email === 'string' ? email.slice(0, LONGEST_EMAIL).toLowerCase() : ''}`;
}

export { credentialId };
