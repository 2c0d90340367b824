import { sql } from 'kysely';
import { type Db, loadMigrations, migrate, openPostgres } from '../../src/platform/db/index.ts';
import { ACCOUNTS, accountId, FLOW, hasTrade, isAboutTrade, OTHERS, SLOTS, templateOf } from './mix.ts';

/** Trades that are under way at the same time: so far apart are two events of one. */
const AT_ONCE = 1000;
/** When the first event was recorded; ten million take a year. */
export const START = Date.UTC(2025, 0, 1);
export const yearOf = (events: number): number => (365 * 86_400_000) / events;
/** Events per statement. */
const PORTION = 250_000;
const CONNECTIONS = 2;

const indexes = async (db: Db): Promise<{ name: string; definition: string; isKey: boolean }[]> => {
  const { rows } = await sql<{ name: string; definition: string; isKey: boolean }>`
    select i.indexname as name, i.indexdef as definition, c.oid is not null as "isKey"
    from pg_indexes i left join pg_constraint c on c.conname = i.indexname and c.conrelid = 'events'::regclass
    where i.schemaname = current_schema() and i.tablename = 'events' order by i.indexname`.execute(db);
  return rows;
};

/** The id of an event is made of its position, so that another one can name it as its cause. */
const idAt = (position: string, yearMs: number): string =>
  `(lpad(to_hex((${START} + ${position} * ${yearMs})::bigint), 12, '0') || '7' || substr(md5((${position})::text), 1, 3) || '8' || substr(md5((${position})::text), 4, 15))::uuid`;

const array = (values: readonly (string | boolean | number)[], type: string): string =>
  `array[${values.map((v) => (typeof v === 'string' ? `'${v.replaceAll("'", "''")}'` : String(v))).join(',')}]::${type}[]`;

/** A user's or an account's number: some are busy, most are not (see pickAccount). */
const skewed = (of: string): string =>
  `floor(${ACCOUNTS} * power(((${of}) * 2654435761 % 4294967296) / 4294967296.0, 2))::int`;

/**
 * Events of these positions. Nine of ten are of trades, of which a thousand are under way at a time; three events of
 * neighbouring positions have one request, and a third of all was caused by another event.
 */
function portion(from: number, to: number, events: number): string {
  const kinds = [...FLOW, ...OTHERS.map(([event]) => event)];
  const bounds: number[] = [];
  for (const [, of10k] of OTHERS) bounds.push((bounds.at(-1) ?? 0) + of10k);
  // For format(): the slots by number.
  const templates = kinds.map((kind) =>
    SLOTS.reduce((text, slot, i) => text.replaceAll(slot, `%${i + 1}$s`), templateOf(kind).replaceAll('%', '%%')),
  );
  const year = yearOf(events);
  const perBlock = FLOW.length * AT_ONCE;
  return `
    with arrays as materialized (
      select ${array(kinds, 'text')} as names, ${array(templates, 'text')} as templates,
        ${array(kinds.map(hasTrade), 'boolean')} as has_trade, ${array(kinds.map(isAboutTrade), 'boolean')} as about_trade,
        ${array(
          Array.from({ length: ACCOUNTS }, (_, n) => accountId(n)),
          'uuid',
        )} as accounts
    ), placed as (
      select p, p % 10 = 0 as other, p - 1 - (p - 1) / 10 as q from generate_series(${from}::bigint, ${to}::bigint) as p
    ), stepped as (
      select p, other, (q % ${perBlock}) / ${AT_ONCE} as step, q / ${perBlock} * ${perBlock} + q % ${AT_ONCE} as first,
        case when other then p else q / ${perBlock} * ${AT_ONCE} + q % ${AT_ONCE} end as trade,
        case when other then ${FLOW.length} + 1 + width_bucket((p / 10 * 7919 % 10000)::int, ${array(bounds, 'int')})
          else (q % ${perBlock}) / ${AT_ONCE} + 1 end as kind
      from placed
    ), named as (
      select p, other, step, first, kind, trade, (case when other then 'to_' else 'ts_' end) || trade as trade_id,
        ${skewed('trade')} as one, ${skewed('trade * 7 + 3')} as two,
        first + (case when step = 2 then ${AT_ONCE} else ${3 * AT_ONCE} end) as cause
      from stepped
    )
    insert into events (position, id, event, data, account_ids, subject_id, trade_session_id, occurred_at, recorded_at, request_id, caused_by)
    select p, ${idAt('p', year)}, names[kind], format(templates[kind], trade_id, subject, 'usr_' || one, 'usr_' || two)::json,
      case when one = two then array[accounts[one + 1]] else array[accounts[one + 1], accounts[two + 1]] end,
      subject, case when has_trade[kind] then trade_id end, at, at, md5((p / 3)::text)::uuid::text,
      case when not other and (step = 2 or step between 4 and 7) then ${idAt('(cause + 1 + cause / 9)', year)} end
    from named, arrays, lateral (
      select case when about_trade[kind] then trade_id when names[kind] like 'offer.%' then 'off_' || trade
          else 'sub_' || trade % 5000 end as subject,
        to_timestamp((${START} + floor(p * ${year})) / 1000.0) as at
    ) as more`;
}

async function inParts(db: Db, events: number, told: (what: string) => void): Promise<void> {
  let next = 1;
  const worker = async (): Promise<void> => {
    while (next <= events) {
      const from = next;
      next += PORTION;
      await sql.raw(portion(from, Math.min(next - 1, events), events)).execute(db);
      if ((from - 1) % (4 * PORTION) === 0) told(`${Math.min(next - 1, events)} events`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
}

const insertAccounts = (db: Db): Promise<unknown> =>
  sql`insert into accounts (id, name, type, created_at)
    select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'bench ' || n, 'MERCHANT', now()
    from generate_series(0, ${sql.lit(ACCOUNTS - 1)}) as n`.execute(db);

/** Migrates a new database and gives it the accounts that events name; its address. */
export async function addAccounts(url: string): Promise<string> {
  const database = await openPostgres(url, 1);
  try {
    await migrate(database.db, await loadMigrations());
    await insertAccounts(database.db);
  } finally {
    await database.close();
  }
  return url;
}

/**
 * Writes so many events into an empty, migrated database: first the rows, then the indexes, by the definitions that they had.
 * Throws when they are not exactly the same afterwards.
 */
export async function fillEvents(db: Db, events: number, told: (what: string) => void): Promise<void> {
  await insertAccounts(db);
  const before = await indexes(db);
  for (const { name, isKey } of before) {
    await (isKey ? sql`alter table events drop constraint ${sql.id(name)}` : sql`drop index ${sql.id(name)}`).execute(
      db,
    );
  }
  await inParts(db, events, told);
  await Promise.all([
    indexing(
      db,
      before.filter(({ definition }) => definition.includes(' gin ')),
      told,
    ),
    indexing(
      db,
      before.filter(({ definition }) => !definition.includes(' gin ')),
      told,
    ),
  ]);
  await sql`select setval('event_positions', ${events})`.execute(db);
  if (JSON.stringify(await indexes(db)) !== JSON.stringify(before)) throw new Error('the indexes are not as they were');
  await sql`vacuum (analyze) events`.execute(db);
}

async function indexing(
  db: Db,
  list: readonly { name: string; definition: string; isKey: boolean }[],
  told: (what: string) => void,
): Promise<void> {
  await db.connection().execute(async (one) => {
    await sql`set maintenance_work_mem = '1GB'`.execute(one);
    for (const { name, definition, isKey } of list) {
      await sql.raw(definition).execute(one);
      if (isKey)
        await sql`alter table events add constraint ${sql.id(name)} primary key using index ${sql.id(name)}`.execute(
          one,
        );
      told(name);
    }
    await sql`reset maintenance_work_mem`.execute(one);
  });
}
