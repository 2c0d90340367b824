import { invalid } from '../../contracts/errors.ts';
import { isUuid } from '../../lib/ids.ts';
import type { Db } from '../../platform/db/index.ts';
import { countUnread, type NotificationRow, selectNotifications } from './store.ts';

export interface ListNotificationsQuery {
  unread?: boolean;
  cursor?: string;
  limit: number;
}

/** A page of a user's notifications, newest first, and how many are unread in all. */
export async function listNotifications(
  db: Db,
  userIds: readonly string[],
  { unread = false, cursor, limit }: ListNotificationsQuery,
): Promise<{ unread: number; data: NotificationRow[]; nextCursor: string | null }> {
  if (cursor !== undefined && !isUuid(cursor)) {
    throw invalid({ path: 'query.cursor', message: 'is not a cursor of this list' });
  }
  const rows = await selectNotifications(db, userIds, { unread, before: cursor ?? null, limit: limit + 1 });
  const data = rows.slice(0, limit);
  return {
    unread: await countUnread(db, userIds),
    data,
    nextCursor: rows.length > limit ? (data.at(-1)?.id ?? null) : null,
  };
}
