import type { Db } from '../../../platform/db/index.ts';
import { type Page, toPage } from '../../../platform/http/index.ts';
import type { User } from '../schemas.ts';
import { toUser } from './new-user.ts';
import { pageOfUsers, type UserFilter } from './store.ts';

/** A page of users, oldest first. */
export async function listUsers(db: Db, query: UserFilter & { page: number; limit: number }): Promise<Page<User>> {
  const { page, limit, ...filter } = query;
  const { total, rows } = await pageOfUsers(db, filter, { limit, offset: (page - 1) * limit });
  return toPage(query, total, rows.map(toUser));
}
