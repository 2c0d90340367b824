import type { Caller, Scope } from '../../contracts/caller.ts';
import { AppError, invalid, noSuchAccount } from '../../contracts/errors.ts';

/** Each active key has a signing secret, and each secret is one `v1=` in the signature header of every delivery. */
export const MAX_ACTIVE_KEYS = 20;

/** What is stored and compared: e-mail addresses differ in more than case only to mail servers. */
export const normalEmail = (email: string): string => email.trim().toLowerCase();

/**
 * What no name holds: line breaks, other controls, what turns the direction of the text around (Trojan Source), halves
 * of surrogate pairs. Names are shown in lists, logs and mails beside other text.
 */
export const NOT_IN_NAMES =
  '\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff';
const UNFIT = new RegExp(`[${NOT_IN_NAMES}]+`, 'gu');

/** Names from outside (identity provider, import) are made to what our own operations take. */
export const fittingName = (name: string): string =>
  Array.from(name.replaceAll(UNFIT, ' ').trim()).slice(0, 100).join('').trim();

/**
 * The account that a caller acts for. A key: its own; another one only with scope `admin`. A session: the requested one if the user is
 * a member or an operator, or the only one; VALIDATION_ERROR when it has to be chosen, FORBIDDEN when there is none. A requested one that is not
 * the caller's is NOT_FOUND, so that nobody learns which accounts exist; whether it does is not looked up.
 */
export function actingAccount(caller: Caller, requested?: string): string {
  if (caller.kind === 'key') {
    if (requested === undefined || requested === caller.accountId || caller.scopes.includes('admin')) {
      return requested ?? caller.accountId;
    }
    throw noSuchAccount();
  }
  if (requested !== undefined) {
    if (caller.operator || caller.accountIds.includes(requested)) return requested;
    throw noSuchAccount();
  }
  const [only, second] = caller.accountIds;
  if (only !== undefined && second === undefined) return only;
  if (only !== undefined || caller.operator) {
    throw invalid({ path: 'query.accountId', message: 'is required, because this user can act for several accounts' });
  }
  throw new AppError('FORBIDDEN', { message: 'This user is not a member of any account.' });
}

/** The accounts whose things a caller may see: all for operators and keys with scope `admin`. */
export function visibleAccounts(caller: Caller): 'all' | readonly string[] {
  if (caller.kind === 'key') return caller.scopes.includes('admin') ? 'all' : [caller.accountId];
  return caller.operator ? 'all' : caller.accountIds;
}

/** What decides whether a user is an operator who can act. */
export interface OperatorState {
  operator: boolean;
  disabled: boolean;
  /** Has a password or an identity at an outside provider. */
  canSignIn: boolean;
}

const acts = (user: OperatorState): boolean => user.operator && !user.disabled && user.canSignIn;

/**
 * Throws INVALID_STATE when the change would leave the installation without an operator who can sign in, or would make
 * an operator of someone who cannot. `others`: enabled operators besides this user.
 */
export function checkOperatorChange(before: OperatorState, after: OperatorState, others: number): void {
  if (after.operator && !before.operator && !after.canSignIn) {
    throw new AppError('INVALID_STATE', { message: 'This user cannot sign in, and so cannot be an operator.' });
  }
  if (acts(before) && !acts(after) && others === 0) {
    throw new AppError('INVALID_STATE', { message: 'This is the last enabled operator.' });
  }
}

/**
 * What the members of an account may give its keys. The others reach beyond the account: an event may name any audience,
 * and `admin` is everything.
 */
export const MEMBER_SCOPES = ['blog:read', 'webhooks:manage', 'inbound:write'] as const satisfies Scope[];
export type MemberScope = (typeof MEMBER_SCOPES)[number];

/** Throws FORBIDDEN for a key that can do more than a member of its account may give away. */
export function checkMemberScopes(scopes: readonly Scope[]): void {
  const more = scopes.filter((scope) => !(MEMBER_SCOPES as readonly Scope[]).includes(scope));
  if (more.length > 0) {
    throw new AppError('FORBIDDEN', { message: `Only operators give a key the scope ${more.join(' or ')}.` });
  }
}

export interface KeyState {
  expiresAt: Date | null;
  revokedAt: Date | null;
  replacedBy: string | null;
}

/** The present key of a line, by which one of before was replaced. */
export type Successor = Pick<KeyState, 'revokedAt'> & { id: string };

/** What whoever rotates a key of before can do instead. */
const instead = (present: Successor | undefined): string =>
  present?.revokedAt
    ? ', and the key that replaced it was revoked; create a new one'
    : `; rotate the key that replaced it${present ? `, ${present.id}` : ''}`;

/** Throws INVALID_STATE for a key that is not the present one of its line: a rotation of it would have two ends. */
export function checkRotation(key: KeyState, now: Date, present?: Successor): void {
  const because = key.replacedBy
    ? `was rotated already${instead(present)}`
    : key.revokedAt
      ? 'was revoked'
      : key.expiresAt && key.expiresAt <= now
        ? 'has expired'
        : null;
  if (because) throw new AppError('INVALID_STATE', { message: `This key ${because}.` });
}

/** Throws INVALID_STATE when an account would have more active keys than its signature header takes. */
export function checkKeyCount(active: number): void {
  if (active > MAX_ACTIVE_KEYS) {
    throw new AppError('INVALID_STATE', { message: `An account has at most ${MAX_ACTIVE_KEYS} active keys.` });
  }
}
