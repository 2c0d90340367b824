import { sql } from 'kysely';
import type { Db, Trx } from '../../../platform/db/index.ts';

/** A mail that this process has taken on, with what it tells of. */
export interface ClaimedMail {
  notificationId: string;
  attempts: number;
  leaseUntil: string;
  /** As the event names the user. */
  userId: string;
  text: string;
  offerId: string | null;
  tradeSessionId: string | null;
  createdAt: Date;
  readAt: Date | null;
}

/**
 * Takes mails that are due for this process until the lease ends, longest due first; what another process holds is passed
 * over. The lease runs on the database's clock, the schedule on the caller's.
 */
export async function claimMails(
  db: Db,
  { owner, now, leaseMs, limit }: { owner: string; now: Date; leaseMs: number; limit: number },
): Promise<ClaimedMail[]> {
  const { rows } = await sql<ClaimedMail>`
    with due as materialized (
      select notification_id from notification_mails
      where next_attempt_at <= ${now} and (lease_until is null or lease_until < now())
      order by next_attempt_at, notification_id limit ${limit} for update skip locked
    ), taken as (
      update notification_mails m set lease_owner = ${owner}, updated_at = ${now},
        lease_until = date_trunc('milliseconds', now() + ${leaseMs} * interval '1 millisecond')
      from due where m.notification_id = due.notification_id
      returning m.notification_id, m.attempts, m.lease_until, m.next_attempt_at
    )
    select t.notification_id as "notificationId", t.attempts, t.lease_until::text as "leaseUntil", n.user_id as "userId",
      n.text, n.offer_id as "offerId", n.trade_session_id as "tradeSessionId", n.created_at as "createdAt", n.read_at as "readAt"
    from taken t join notifications n on n.id = t.notification_id
    order by t.next_attempt_at, t.notification_id`.execute(db);
  return rows;
}

/** It is sent, or need not be: whoever may hold it meanwhile, there is nothing left to do. */
export async function removeMail(db: Db, notificationId: string): Promise<void> {
  await sql`delete from notification_mails where notification_id = ${notificationId}`.execute(db);
}

/** One attempt more has failed; without a next one it is given up. Left alone if somebody else has taken it over. */
export async function saveFailedMail(
  db: Db,
  owner: string,
  mail: Pick<ClaimedMail, 'notificationId' | 'leaseUntil' | 'attempts'>,
  failed: { error: string; nextAttemptAt: Date | null; now: Date },
): Promise<void> {
  await sql`
    update notification_mails set attempts = ${mail.attempts + 1}, error = ${failed.error},
      next_attempt_at = ${failed.nextAttemptAt}, lease_owner = null, lease_until = null, updated_at = ${failed.now}
    where notification_id = ${mail.notificationId} and lease_owner = ${owner}
      and lease_until = ${mail.leaseUntil}::timestamptz`.execute(db);
}

/** Gives back what this process holds, so that another takes it at once. */
export async function releaseMails(db: Db, owner: string): Promise<void> {
  await sql`update notification_mails set lease_owner = null, lease_until = null
    where next_attempt_at is not null and lease_owner = ${owner}`.execute(db);
}

/** Removes at most so many mails that were given up before; how many. */
export async function deleteGivenUp(db: Db, before: Date, portion: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from notification_mails where ctid = any(array(
      select ctid from notification_mails where next_attempt_at is null and updated_at < ${before} limit ${portion}))`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0);
}

export async function countMails(db: Db): Promise<{ waiting: number; givenUp: number }> {
  const { rows } = await sql<{ waiting: number; givenUp: number }>`
    select count(next_attempt_at)::integer as waiting, (count(*) - count(next_attempt_at))::integer as "givenUp"
    from notification_mails`.execute(db);
  return rows[0] ?? { waiting: 0, givenUp: 0 };
}

/** Whether a user wants e-mail; yes, as long as nothing else was chosen. */
export async function wantsMail(db: Db, userId: string): Promise<boolean> {
  const { rows } = await sql<{ email: boolean }>`
    select email from notification_settings where user_id = ${userId}`.execute(db);
  return rows[0]?.email ?? true;
}

export async function saveSettings(
  trx: Trx,
  userId: string,
  { email, now }: { email: boolean; now: Date },
): Promise<void> {
  await sql`insert into notification_settings (user_id, email, updated_at) values (${userId}, ${email}, ${now})
    on conflict (user_id) do update set email = excluded.email, updated_at = excluded.updated_at`.execute(trx);
}
