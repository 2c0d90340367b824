import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { posthorn } from '../api/client.ts';
import { isNothing } from '../api/error-text.ts';
import { type Account, useMe } from '../api/session.ts';

const KEPT_AS = 'posthorn.account';

/** For operators: everything, of whichever account. Its id stands in addresses in place of an account's. */
export const ALL_ACCOUNTS: Account = { id: 'all', name: 'All accounts', type: 'PLATFORM' };

/** Which account stands in the address, or stood there last. */
function useWanted(): string | null {
  const { accountId } = useParams({ strict: false });
  const [kept, keep] = useState(() => localStorage.getItem(KEPT_AS));
  if (accountId !== undefined && accountId !== kept) {
    localStorage.setItem(KEPT_AS, accountId);
    keep(accountId);
  }
  return accountId ?? kept;
}

/** For an operator: an account of others. */
function useForeign(wanted: string | null) {
  const { accounts, user } = useMe();
  const isMine = wanted === ALL_ACCOUNTS.id || accounts.some(({ id }) => id === wanted);
  return useQuery({
    queryKey: ['accounts', wanted],
    queryFn: ({ signal }) => posthorn.getAccount({ id: wanted ?? '' }, { signal }),
    enabled: user.operator && wanted !== null && !isMine,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Why there is no such account as stands in the address; null: there is, or it is not known yet. */
export function useNoAccount(): Error | null {
  const { accountId } = useParams({ strict: false });
  const { error } = useForeign(accountId ?? null);
  return isNothing(error) ? error : null;
}

/**
 * The account that is looked at: that of the address; else the last one that was; else the first, for operators all.
 * Undefined for who belongs to none, and while a foreign one is being looked up.
 */
export function useAccount(): Account | undefined {
  const { accounts, user } = useMe();
  const wanted = useWanted();
  const mine = accounts.find(({ id }) => id === wanted);
  const foreign = useForeign(wanted);
  if (mine) return mine;
  if (foreign.isEnabled && !foreign.isError) return foreign.data;
  if (user.operator && (wanted === ALL_ACCOUNTS.id || accounts.length === 0)) return ALL_ACCOUNTS;
  return accounts[0];
}
