import { sql } from 'kysely';
import { type Db, texts, times, tokens, type Trx } from '../../platform/db/index.ts';

export interface NotificationRow {
  id: string;
  userId: string;
  eventId: string;
  event: string;
  offerId: string | null;
  tradeSessionId: string | null;
  /** Of the endpoint that it is about, if it is about one. */
  accountId: string | null;
  endpointId: string | null;
  text: string;
  createdAt: Date;
  readAt: Date | null;
}

/**
 * Stores what users are told; who was told of the event before is not told again. With `mailAt`, an e-mail to each of
 * those who are told now of what they have not read, in the same statement. Returns how many e-mails.
 */
export async function insertNotifications(
  trx: Trx,
  rows: readonly NotificationRow[],
  mailAt: Date | null,
): Promise<number> {
  if (rows.length === 0) return 0;
  const { rows: queued } = await sql`
    with told as (
      insert into notifications (id, user_id, event_id, event, offer_id, trade_session_id, text, created_at, read_at,
        account_id, endpoint_id)
      select * from unnest(
        ${tokens(rows.map((r) => r.id))}::text::uuid[], ${texts(rows.map((r) => r.userId))}::text::text[],
        ${tokens(rows.map((r) => r.eventId))}::text::uuid[], ${tokens(rows.map((r) => r.event))}::text::text[],
        ${texts(rows.map((r) => r.offerId))}::text::text[], ${texts(rows.map((r) => r.tradeSessionId))}::text::text[],
        ${texts(rows.map((r) => r.text))}::text::text[],
        ${times(rows.map((r) => r.createdAt.getTime()))}::text::timestamptz[],
        ${times(rows.map((r) => r.readAt?.getTime() ?? null))}::text::timestamptz[],
        ${tokens(rows.map((r) => r.accountId))}::text::uuid[], ${tokens(rows.map((r) => r.endpointId))}::text::uuid[])
      on conflict (event_id, user_id) do nothing returning id, read_at
    )
    insert into notification_mails (notification_id, attempts, next_attempt_at, updated_at)
    select id, 0, ${mailAt}::timestamptz, ${mailAt}::timestamptz from told
    where ${mailAt}::timestamptz is not null and read_at is null
    returning notification_id`.execute(trx);
  return queued.length;
}

/** Notifications of a user under any of these ids, newest first, older than `before`. */
export async function selectNotifications(
  db: Db,
  userIds: readonly string[],
  { unread, before, limit }: { unread: boolean; before: string | null; limit: number },
): Promise<NotificationRow[]> {
  const { rows } = await sql<NotificationRow>`
    select id, user_id as "userId", event_id as "eventId", event, offer_id as "offerId",
      trade_session_id as "tradeSessionId", account_id as "accountId", endpoint_id as "endpointId", text,
      created_at as "createdAt", read_at as "readAt"
    from notifications
    where user_id = any(${[...userIds]}::text[]) and ${unread ? sql`read_at is null` : sql`true`}
      and ${before === null ? sql`true` : sql`id < ${before}::uuid`}
    order by id desc limit ${limit}`.execute(db);
  return rows;
}

export async function countUnread(db: Db, userIds: readonly string[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from notifications
    where user_id = any(${[...userIds]}::text[]) and read_at is null`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Marks one as read, the first time only; false when the user has none of this id. */
export async function markRead(trx: Trx, userIds: readonly string[], id: string, now: Date): Promise<boolean> {
  const { rows } = await sql`
    update notifications set read_at = coalesce(read_at, ${now})
    where id = ${id} and user_id = any(${[...userIds]}::text[]) returning id`.execute(trx);
  return rows.length === 1;
}

/** Marks all as read that are there now. */
export async function markAllRead(trx: Trx, userIds: readonly string[], now: Date): Promise<void> {
  await sql`
    update notifications set read_at = ${now}
    where user_id = any(${[...userIds]}::text[]) and read_at is null`.execute(trx);
}

/** What users were told of these events, in its order. */
export async function noticesOfEvents(
  db: Db,
  eventIds: readonly string[],
  limit: number,
): Promise<{ eventId: string; userId: string; text: string; createdAt: Date }[]> {
  const { rows } = await sql<{ eventId: string; userId: string; text: string; createdAt: Date }>`
    select event_id as "eventId", user_id as "userId", text, created_at as "createdAt" from notifications
    where event_id = any(${[...eventIds]}::uuid[]) order by created_at, id limit ${limit}`.execute(db);
  return rows;
}
