import type { SessionCaller } from '../../contracts/caller.ts';
import { noSuchAccount } from '../../contracts/errors.ts';
import type { Db } from '../../platform/db/index.ts';
import { type ChangesPage, listChanges } from './list-changes.ts';
import type { AccountChangesQuery } from './schemas.ts';

export interface AccountChangesDeps {
  /** The account that was asked for, if the caller may act for it; else throws NOT_FOUND. */
  actingAccount(caller: SessionCaller, requested: string): string;
  /** Null when there is no such account. */
  accountType(db: Db, id: string): Promise<string | null>;
}

/** What concerns one account, newest first. NOT_FOUND for who is neither a member nor an operator, and without the account. */
export async function listAccountChanges(
  deps: AccountChangesDeps,
  db: Db,
  { caller, id, query }: { caller: SessionCaller; id: string; query: AccountChangesQuery },
): Promise<ChangesPage> {
  const accountId = deps.actingAccount(caller, id);
  if ((await deps.accountType(db, accountId)) === null) throw noSuchAccount();
  return listChanges(db, { ...query, accountId }, caller.operator ? 'operator' : 'member');
}
