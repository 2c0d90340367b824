import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { type Account, useMe } from '../api/session.ts';

const KEPT_AS = 'posthorn.account';

/**
 * The account that is looked at: that of the address; else the last one that was; else the first. Undefined for who
 * belongs to none. An operator who looks at a foreign one sees its id in place of a name.
 */
export function useAccount(): Account | undefined {
  const { accounts } = useMe();
  const { accountId } = useParams({ strict: false });
  const [kept, keep] = useState(() => localStorage.getItem(KEPT_AS));
  if (accountId !== undefined && accountId !== kept) {
    localStorage.setItem(KEPT_AS, accountId);
    keep(accountId);
  }
  const wanted = accountId ?? kept;
  const mine = accounts.find((a) => a.id === wanted);
  if (mine) return mine;
  if (accountId !== undefined) return { id: accountId, name: `Account ${accountId.slice(-6)}`, type: 'MERCHANT' };
  return accounts[0];
}
