import type { Account } from '../api/session.ts';
import { oneOf, pageNumber, text, wordsOf } from '../lib/search.ts';

export type AccountType = Account['type'];
export const ACCOUNT_TYPES = wordsOf<AccountType>({ MERCHANT: 1, BUSINESS: 2, SITE: 3, PLATFORM: 4 });

/** What stands in the address of the accounts. */
export interface AccountSearch {
  q?: string;
  type?: AccountType;
  page?: number;
}

export const accountSearch = (search: Record<string, unknown>): AccountSearch => ({
  q: text(search['q']),
  type: oneOf(search['type'], ...ACCOUNT_TYPES),
  page: pageNumber(search['page']),
});

export const ROLES = ['AUTHOR', 'EDITOR', 'OPERATOR'] as const;

/** What stands in the address of the users. */
export interface UserSearch {
  q?: string;
  role?: (typeof ROLES)[number];
  page?: number;
}

export const userSearch = (search: Record<string, unknown>): UserSearch => ({
  q: text(search['q']),
  role: oneOf(search['role'], ...ROLES),
  page: pageNumber(search['page']),
});

/** The page of a list without filters. */
export interface PageSearch {
  page?: number;
}

export const pageSearch = (search: Record<string, unknown>): PageSearch => ({ page: pageNumber(search['page']) });
