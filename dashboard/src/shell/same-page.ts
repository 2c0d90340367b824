import type { Account } from '../api/session.ts';

const MERCHANTS: readonly string[] = ['endpoints', 'trades', 'inbound'];
const OF_ONE: readonly string[] = ['keys', 'changes'];
const BUSINESSES: readonly string[] = ['subscriptions'];

/** Whether there is such a page, the first part of the address below the account's. `all` is every account's, whose keys and changes are pages for operators. */
export function hasPage({ id, type }: Pick<Account, 'id' | 'type'>, page: string): boolean {
  if (id === 'all') return !OF_ONE.includes(page);
  if (MERCHANTS.includes(page)) return type === 'MERCHANT';
  return !BUSINESSES.includes(page) || type === 'BUSINESS';
}

/**
 * The page of another account that is like the present one: from `/a/1/endpoints/7` to `/a/2/endpoints`. From where there is
 * none, a post or what the other account has not, to its overview.
 */
export function samePage(pathname: string, account: Pick<Account, 'id' | 'type'>): string {
  const page = /^\/a\/[^/]+\/([^/]+)/.exec(pathname)?.[1] ?? 'overview';
  return `/a/${account.id}/${hasPage(account, page) ? page : 'overview'}`;
}
