import type { AccountType, BlogRole, Scope } from '../../contracts/caller.ts';

/** A user of the demo. `who` is how people, posts and the printed table call the role. */
export interface CastUser {
  who: string;
  name: string;
  blogRole?: BlogRole;
  operator?: true;
}

export const CAST_USERS = [
  { who: 'reader', name: 'Rosa Reed' },
  { who: 'author', name: 'Ada Arnold', blogRole: 'AUTHOR' },
  { who: 'editor', name: 'Elio Berg', blogRole: 'EDITOR' },
  { who: 'operator', name: 'Olga Prins', operator: true },
  { who: 'merchant', name: 'Ines Moreau' },
  { who: 'business', name: 'Bruno Costa' },
] as const satisfies readonly CastUser[];

/** An account of the demo; a user with the same `who` is its member. Without scopes it has no key. */
export interface CastAccount {
  who: string;
  name: string;
  type: AccountType;
  scopes: readonly Scope[];
  /** What the key is for, in the printed table. */
  keyIsFor: string;
}

export const CAST_ACCOUNTS = [
  { who: 'site', name: 'Demo web site', type: 'SITE', scopes: ['blog:read'], keyIsFor: 'reading the blog' },
  {
    who: 'merchant',
    name: 'Moreau Lamps',
    type: 'MERCHANT',
    scopes: ['blog:read', 'webhooks:manage', 'inbound:write'],
    keyIsFor: 'webhooks, reporting, blog',
  },
  {
    who: 'business',
    name: 'Atelier Costa',
    type: 'BUSINESS',
    scopes: ['webhooks:manage'],
    keyIsFor: 'webhooks',
  },
  {
    who: 'platform',
    name: 'Demo marketplace',
    type: 'PLATFORM',
    scopes: ['events:publish'],
    keyIsFor: 'publishing',
  },
  // The other side of the trade that `npm run demo` plays.
  {
    who: 'other merchant',
    name: 'Chairs of Lisbon',
    type: 'MERCHANT',
    scopes: ['inbound:write'],
    keyIsFor: 'reporting',
  },
] as const satisfies readonly CastAccount[];

/** Under the top-level domain of RFC 2606, which nobody can own: no mail ever leaves for these addresses. */
export const emailOf = (user: CastUser): string => `${user.who}@demo.example`;
