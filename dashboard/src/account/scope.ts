import { useParams } from '@tanstack/react-router';
import type { Account } from '../api/session.ts';
import { ALL_ACCOUNTS, useAccount } from '../shell/use-account.ts';

/** In the address, in place of an account's id: all that an operator sees. */
export const ALL = ALL_ACCOUNTS.id;

export interface Scope {
  /** As it stands in the address: an id, or ALL. */
  path: string;
  /** For calls of the service; undefined: of all accounts. */
  accountId: string | undefined;
  /** Undefined: all accounts, or not known yet. */
  account: Account | undefined;
}

/** Of which account the page is. */
export function useScope(): Scope {
  const account = useAccount();
  const { accountId: path = account?.id ?? ALL } = useParams({ strict: false });
  const isAll = path === ALL;
  return { path, accountId: isAll ? undefined : path, account: isAll ? undefined : account };
}
