import { useMe } from '../api/session.ts';
import { hasPage } from '../shell/same-page.ts';
import { ALL_ACCOUNTS, useAccount } from '../shell/use-account.ts';

/** Of which account a trade can be looked at, as it stands in the address; undefined for who may look at none. */
export function useTradePath(): string | undefined {
  const { accounts, user } = useMe();
  const account = useAccount();
  if (user.operator) return ALL_ACCOUNTS.id;
  return [account, ...accounts].find((each) => each !== undefined && hasPage(each, 'trades'))?.id;
}
