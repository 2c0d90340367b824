import type { AccountType } from '../../../contracts/caller.ts';
import { noSuchAccount } from '../../../contracts/errors.ts';
import type { Db, Trx } from '../../../platform/db/index.ts';
import { selectRetention } from './store.ts';

export interface RetentionDeps {
  accountType(db: Db | Trx, accountId: string): Promise<AccountType | null>;
  /** Until the transaction ends, nobody else changes what is set for it. */
  lockAccount(trx: Trx, accountId: string): Promise<{ name: string } | undefined>;
  /** What is usual, in days; 0: for ever. */
  usualDays: number;
}

export interface Retention {
  accountId: string;
  days: number | null;
  usualDays: number;
}

/** How long the account's deliveries are kept. Throws NOT_FOUND when there is no such account. */
export async function getDeliveryRetention(deps: RetentionDeps, db: Db | Trx, accountId: string): Promise<Retention> {
  if ((await deps.accountType(db, accountId)) === null) throw noSuchAccount();
  return { accountId, days: await selectRetention(db, accountId), usualDays: deps.usualDays };
}
