import { noSuchAccount } from '../../../contracts/errors.ts';
import type { Db } from '../../../platform/db/index.ts';
import { type Page, toPage } from '../../../platform/http/index.ts';
import type { User } from '../schemas.ts';
import { toUser } from '../users/new-user.ts';
import { accountExists, pageOfMembers } from './store.ts';

/** A page of an account's members. NOT_FOUND without the account. */
export async function listMembers(
  db: Db,
  accountId: string,
  query: { page: number; limit: number },
): Promise<Page<User>> {
  if (!(await accountExists(db, accountId))) throw noSuchAccount();
  const page = { limit: query.limit, offset: (query.page - 1) * query.limit };
  const { total, rows } = await pageOfMembers(db, accountId, page);
  return toPage(query, total, rows.map(toUser));
}
