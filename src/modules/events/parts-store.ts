import { type RawBuilder, sql } from 'kysely';
import { type Db, tokens } from '../../platform/db/index.ts';
import { type Part, SLOTS } from './parts.ts';
import { LEASE_END } from './reader-store.ts';

/** A node that has not said for this long that it is there is forgotten. */
const FORGOTTEN_AFTER = sql`interval '1 minute'`;

/** A part as it is stored. */
export interface StoredPart extends Part {
  /** Who had its lease last; null: it was given up. */
  owner: string | null;
  /** Nobody has its lease now. */
  isFree: boolean;
}

/** The slot of an account: see `slotOf`. */
export const slotSql = (accountId: RawBuilder<unknown>): RawBuilder<number> =>
  sql<number>`(get_byte(uuid_send(${accountId}), 15) & ${sql.lit(SLOTS - 1)})`;

/** Has the reader divided into at least so many parts; fewer than are wanted already change nothing. */
export async function wantParts(db: Db, reader: string, parts: number, now: Date): Promise<void> {
  await sql`insert into event_readers (name, position, updated_at)
    select ${reader}, 0, ${now} where not exists (select from event_readers where name = ${reader})
    on conflict (name) do nothing`.execute(db);
  await sql`update event_readers set wanted_parts = ${parts} where name = ${reader} and wanted_parts < ${parts}`.execute(
    db,
  );
}

interface PartRow extends StoredPart {
  wanted: number;
  divided: boolean;
}

export interface StoredParts {
  /** Into how many parts the reader is to be divided. */
  wanted: number;
  parts: StoredPart[];
}

/** The parts of a reader, of which the undivided reader is the only one, and what its own row says. */
const partsOf = (reader: string): RawBuilder<PartRow> => sql<PartRow>`
    select name, part, parts, wanted_parts as wanted, divided, lease_owner as owner,
      lease_owner is null or coalesce(lease_until < now(), true) as "isFree"
    from event_readers where name = ${reader} or part_of = ${reader} order by part, parts`;

const toParts = (reader: string, rows: readonly PartRow[]): StoredParts => ({
  wanted: rows.find((row) => row.name === reader)?.wanted ?? 1,
  parts: rows
    .filter((row) => !row.divided)
    .map(({ name, part, parts, owner, isFree }) => ({ name, part, parts, owner, isFree })),
});

/** The parts of a reader, of which the undivided reader is the only one, and into how many it is to be divided. */
export async function readParts(db: Db, reader: string): Promise<StoredParts> {
  return toParts(reader, (await partsOf(reader).execute(db)).rows);
}

/** Readers that are divided: into how many parts, how many of these are held, and by how many nodes. */
export async function dividedReaders(db: Db): Promise<{ name: string; parts: number; held: number; nodes: number }[]> {
  const { rows } = await sql<{ name: string; parts: number; held: number; nodes: number }>`
    select part_of as name, count(*)::int as parts, (count(*) filter (where lease_until > now()))::int as held,
      (count(distinct lease_owner) filter (where lease_until > now()))::int as nodes
    from event_readers where part_of is not null group by part_of order by part_of`.execute(db);
  return rows;
}

/**
 * Divides those parts of the reader that are fewer than wanted and that nobody holds: each is replaced, in one statement, by
 * parts that begin where it was. Whoever held it finds no row of its name, and can write nothing any more.
 */
export async function divideParts(db: Db, reader: string, wanted: number, now: Date): Promise<void> {
  await sql`
    with free as materialized (
      select name, part, parts, position from event_readers
      where (name = ${reader} or part_of = ${reader}) and not divided and parts < ${wanted}::int
        and (lease_owner is null or lease_until < now())
      for update skip locked
    ), made as (
      insert into event_readers (name, part_of, part, parts, position, updated_at)
      select ${reader} || '/' || p || '-of-' || ${wanted}::int, ${reader}, p, ${wanted}::int, free.position, ${now}
      from free, generate_series(free.part::int, ${wanted}::int - 1, free.parts::int) as p
    ), kept as (
      -- Nobody can take it: also no version that knows of no parts.
      update event_readers set divided = true, lease_owner = 'its parts', lease_until = 'infinity'
      where name = ${reader} and exists (select from free where free.name = ${reader})
    )
    delete from event_readers where part_of = ${reader} and name in (select name from free)`.execute(db);
}

/** Says that a node takes part, for as long as a lease runs; returns all that do. */
export async function keepNode(db: Db, reader: string, node: string): Promise<string[]> {
  const { rows } = await sql<{ node: string }>`with ${keeping(reader, node)} select node from nodes`.execute(db);
  return rows.map((row) => row.node);
}

/** As `keepNode` and `readParts`, in one statement: nodes look every second. */
export async function keepNodeAndReadParts(
  db: Db,
  reader: string,
  node: string,
): Promise<StoredParts & { nodes: string[] }> {
  const { rows } = await sql<PartRow & { nodes: string }>`/*named:keep-node-and-read-parts*/
    with ${keeping(reader, node)}
    select r.*, (select string_agg(node, chr(10)) from nodes) as nodes from (${partsOf(reader)}) as r`.execute(db);
  return { ...toParts(reader, rows), nodes: rows[0]?.nodes.split('\n') ?? [node] };
}

const keeping = (reader: string, node: string): RawBuilder<unknown> => sql`
    mine as (
      insert into event_reader_nodes (reader, node, until) values (${reader}, ${node}, ${LEASE_END})
      on conflict (reader, node) do update set until = excluded.until
    ), gone as (
      delete from event_reader_nodes where reader = ${reader} and node in (
        select node from event_reader_nodes where reader = ${reader} and until < now() - ${FORGOTTEN_AFTER}
        for update skip locked)
    ), nodes as (
      select ${node}::text as node union select node from event_reader_nodes where reader = ${reader} and until >= now()
    )`;

/** How many nodes hold parts, of whatever reader. */
export async function countHolders(db: Db): Promise<number> {
  const { rows } = await sql<{ nodes: number }>`
    select count(distinct lease_owner)::int as nodes from event_readers where part_of is not null and lease_until > now()`.execute(
    db,
  );
  return rows[0]?.nodes ?? 0;
}

/** It takes part no longer: its share is that of the others now. */
export async function forgetNode(db: Db, reader: string, node: string): Promise<void> {
  await sql`delete from event_reader_nodes where reader = ${reader} and node = ${node}`.execute(db);
}

/**
 * Takes the leases of up to `limit` parts that nobody holds, and of none that is to be divided; returns them with their cursors.
 * `held`: those that `owner` knows that it holds. One that it holds by its lease without knowing is taken as well.
 */
export async function acquireParts(
  db: Db,
  {
    reader,
    owner,
    wanted,
    held,
    limit,
    now,
  }: {
    reader: string;
    owner: string;
    wanted: number;
    held: readonly string[];
    limit: number;
    now: Date;
  },
): Promise<(Part & { position: number })[]> {
  const { rows } = await sql<Part & { position: number }>`
    -- Once, whatever the plan: as a subquery of the condition it might be asked again for each row, and take more than the limit.
    with free as materialized (
      select name from event_readers where part_of = ${reader} and parts = ${wanted}::int
        and name <> all(${[...held]}::text[]) and (lease_owner is null or lease_until < now() or lease_owner = ${owner})
      order by part limit ${limit} for update skip locked
    )
    update event_readers r set lease_owner = ${owner}, lease_until = ${LEASE_END}, updated_at = ${now}
    from free where r.name = free.name
    returning r.name, r.part, r.parts, r.position`.execute(db);
  return rows;
}

/**
 * As `advanceSql`, for several parts at once: a row with the number of each, from 1, that moved.
 */
export const advancePartsSql = (
  owner: string,
  moves: readonly { name: string; position: number }[],
  now: Date,
): RawBuilder<{ n: number }> => sql<{ n: number }>`
    update event_readers r set position = greatest(r.position, m.position), lease_until = ${LEASE_END}, updated_at = ${now}
    from unnest(${tokens(moves.map((m) => m.name))}::text::text[], ${tokens(moves.map((m) => m.position))}::text::bigint[])
      with ordinality as m (name, position, n)
    where r.name = m.name and r.lease_owner = ${owner} returning m.n::int as n`;

/**
 * As `holderSql`, for several parts at once: a row for each of them that `owner` holds.
 */
export const holderOfPartsSql = (names: readonly string[], owner: string): RawBuilder<{ name: string }> => sql<{
  name: string;
}>`
    select name from event_readers
    where name = any(${tokens(names)}::text::text[]) and lease_owner = ${owner} for key share`;
