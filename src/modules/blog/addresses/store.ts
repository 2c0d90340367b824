import { sql } from 'kysely';
import type { Db, Trx } from '../../../platform/db/index.ts';
import { isPublic } from '../reading/store.ts';

/** What a transaction did at one address. */
export interface AddressChange {
  slug: string;
  /** A public post left it. */
  left: boolean;
}

/** What is noted of a later time was noted by a clock that was wrong. */
const TO_COME = sql`now() + interval '1 minute'`;

/**
 * Notes changes of addresses, all at one time: that of the change, or the next millisecond after the last change, whichever
 * is later. The row of the clock stays locked until the commit, so whoever sees a change sees every one of an earlier time.
 *
 * A node whose clock is ahead by more than a minute is not believed: every later change would get a time to come as well, and be told again and again
 * until then. One that is a little ahead is: a post that it publishes now is told with the change, and not again as one that became public after it.
 * A clock that is there already is put back, with all that is noted of later: who asks for what changed since before that gets everything, as
 * does, for a minute, who was told the time by a node that is some seconds ahead.
 */
export async function noteChanges(trx: Trx, changes: readonly AddressChange[], now: Date): Promise<void> {
  await sql`
    with tick as (
      update post_index_clock set
        changed_at = case when changed_at > ${TO_COME} then now()
          else greatest(case when ${now}::timestamptz(3) > ${TO_COME} then now() else ${now}::timestamptz(3) end, changed_at + interval '1 millisecond') end,
        kept_since = case when changed_at > ${TO_COME} then ${TO_COME} else kept_since end
      returning changed_at as at
    ), put_back as (
      update post_index_changes c set changed_at = tick.at, removed_at = case when c.removed_at > tick.at then tick.at else c.removed_at end
      from tick
      where c.changed_at > ${TO_COME} and c.slug <> all(${changes.map((c) => c.slug)}::text[])
    )
    insert into post_index_changes (slug, changed_at, removed_at)
    select c.slug, tick.at, case when c.has_left then tick.at end
    from tick, unnest(${changes.map((c) => c.slug)}::text[], ${changes.map((c) => c.left)}::boolean[]) as c (slug, has_left)
    on conflict (slug) do update set
      changed_at = excluded.changed_at,
      removed_at = coalesce(excluded.removed_at,
        case when post_index_changes.removed_at > excluded.changed_at then excluded.changed_at else post_index_changes.removed_at end)`.execute(
    trx,
  );
}

/** The time of the last change that is to be seen, and the time from which on changes are known. */
export interface IndexClock {
  changedAt: Date;
  keptSince: Date;
}

export async function readClock(db: Db): Promise<IndexClock> {
  const { rows } = await sql<IndexClock>`
    select changed_at as "changedAt", kept_since as "keptSince" from post_index_clock`.execute(db);
  return rows[0] as IndexClock;
}

export interface Address {
  id: string;
  slug: string;
  publishedAt: Date;
  updatedAt: Date;
}

export interface ChangedAddresses extends IndexClock {
  /** Those that are public, newest first. */
  shown: Address[];
  /** Those that were public and are not, the last to go first. */
  removed: { slug: string; removedAt: Date }[];
}

interface ChangedRow {
  kind: 'clock' | 'shown' | 'removed';
  /** Of the clock's row: there are more than were asked for. */
  more: boolean;
  slug: string;
  at: Date;
  other: Date;
  id: string;
}

/**
 * What changed after `since`, or became public by its date since then, as of one moment; null when that is more than `most`.
 * One statement, so that the clock and the changes are of the same moment.
 */
export async function changesSince(
  db: Db,
  { since, now, most }: { since: Date; now: Date; most: number },
): Promise<ChangedAddresses | null> {
  const { rows } = await sql<ChangedRow>`
    with changed as materialized (
      select c.slug, c.removed_at from post_index_changes c where c.changed_at > ${since} limit ${most + 1}
    ),
    due as materialized (
      select p.slug from posts p where ${isPublic(now)} and p.published_at > ${since} limit ${most + 1}
    ),
    shown as materialized (
      select p.id, p.slug, p.published_at, p.updated_at
      from (select slug from changed union select slug from due) as one
      join post_slugs o on o.slug = one.slug
      join posts p on p.id = o.post_id and p.slug = o.slug
      where ${isPublic(now)}
    )
    select 'clock' as kind, '' as slug, k.changed_at as at, k.kept_since as other, null::uuid as id,
      greatest((select count(*) from changed), (select count(*) from due)) > ${most} as more
    from post_index_clock k
    union all select 'shown', s.slug, s.published_at, s.updated_at, s.id, false from shown s
    union all select 'removed', c.slug, c.removed_at, null, null, false from changed c
      where c.removed_at is not null and not exists (select from shown s where s.slug = c.slug)`.execute(db);
  const of = (kind: ChangedRow['kind']) => rows.filter((row) => row.kind === kind);
  const [clock] = of('clock') as [ChangedRow];
  if (clock.more) return null;
  const shown = of('shown').map((row) => ({ id: row.id, slug: row.slug, publishedAt: row.at, updatedAt: row.other }));
  const removed = of('removed').map((row) => ({ slug: row.slug, removedAt: row.at }));
  return {
    changedAt: clock.at,
    keptSince: clock.other,
    shown: shown.toSorted((a, b) => b.publishedAt.getTime() - a.publishedAt.getTime() || (a.id < b.id ? 1 : -1)),
    removed: removed.toSorted((a, b) => b.removedAt.getTime() - a.removedAt.getTime() || (a.slug < b.slug ? -1 : 1)),
  };
}

/** Forgets changes before a time, at most `most` of them; how many it were. The clock remembers up to when. */
export async function forgetChanges(trx: Trx, before: Date, most: number): Promise<number> {
  await sql`select from post_index_clock for update`.execute(trx);
  const { rows } = await sql<{ changedAt: Date }>`
    delete from post_index_changes where slug in (
      select slug from post_index_changes where changed_at < ${before} order by changed_at limit ${most})
    returning changed_at as "changedAt"`.execute(trx);
  if (rows.length === 0) return 0;
  const until = new Date(Math.max(...rows.map((row) => row.changedAt.getTime())));
  await sql`update post_index_clock set kept_since = greatest(kept_since, ${until})`.execute(trx);
  return rows.length;
}
