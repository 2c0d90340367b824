import type { Db } from '../../../platform/db/index.ts';
import { type Page, toPage } from '../../../platform/http/index.ts';
import type { Account } from '../schemas.ts';
import { pageOfAccounts } from './store.ts';

/** A page of accounts, oldest first. */
export async function listAccounts(
  db: Db,
  query: { page: number; limit: number; type?: Account['type']; q?: string },
): Promise<Page<Account>> {
  const { page, limit, ...filter } = query;
  const { total, rows } = await pageOfAccounts(db, filter, { limit, offset: (page - 1) * limit });
  return toPage(query, total, rows);
}
