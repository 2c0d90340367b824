import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { systemClock } from '../../../lib/clock.ts';
import { leastUuidv7, uuidv7 } from '../../../lib/ids.ts';
import { databaseTime } from '../../../platform/db/index.ts';
import { createLog } from '../../../platform/log/log.ts';
import { Keeper, type KeeperDeps } from './keeper.ts';
import { partsOf } from './parts-store.ts';
import { partOf, WEEK_MS, weekOf } from './weeks.ts';

export const DAY_MS = 86_400_000;
export const nameOf = (week: number): string => partOf(week).name.replace('webhook_deliveries_', '');

interface Written {
  at: number;
  status: string;
  changedAt?: number;
  leased?: boolean;
}

/** A database of the test's own with the parts of deliveries, and what looks at them. Tests of one file share it: each has weeks of its own. */
export async function storageFixture() {
  const { db } = await withDatabase();
  // As the migrations leave it: what comes after is what is looked at here.
  for (const { name } of (await partsOf(db)).slice(1)) await sql`drop table ${sql.table(name)}`.execute(db);
  const NOW = await databaseTime(db);
  const THIS_WEEK = weekOf(NOW);
  const ENDPOINT = uuidv7(NOW);

  const keeper = (more: Partial<KeeperDeps> = {}): Keeper =>
    new Keeper({
      db,
      clock: systemClock,
      log: createLog('silent'),
      reader: 'webhook-fan-out',
      retentionDays: 90,
      deadLetterDays: 365,
      againMs: 0,
      removal: { msPerGigabyte: 0 },
      ...more,
    });

  /** Steps until nothing more is to be done at once; returns how many did something. */
  async function keep(one: Keeper): Promise<number> {
    let steps = 0;
    while (await one.step()) steps++;
    return steps;
  }

  /** Writes a delivery that was made at this time; returns its id. */
  async function write({ at, status, changedAt = at, leased = false }: Written): Promise<string> {
    const id = `${leastUuidv7(at).slice(0, 14)}7000-8000-${uuidv7(NOW).slice(24)}`;
    await sql`insert into webhook_deliveries (id, event_id, webhook, endpoint_id, account_id, status, attempts, request_id,
      next_attempt_at, lease_owner, lease_until, created_at, updated_at)
    values (${id}, ${id}, 'offer.created', ${ENDPOINT}, ${ENDPOINT}, ${status}, ${status === 'DELIVERED' ? 1 : 5}, 'r', now(),
      ${leased ? 'somebody' : null}, case when ${leased}::boolean then now() + interval '1 hour' end,
      ${new Date(at)}, ${new Date(changedAt)})`.execute(db);
    return id;
  }

  /** Of these deliveries, those that are there: the part that each is in, and its status. */
  async function placesOf(ids: readonly string[]): Promise<(string | null)[]> {
    const { rows } = await sql<{ id: string; place: string }>`
    select id, replace(tableoid::regclass::text, 'webhook_deliveries_', '') || ' ' || status as place from webhook_deliveries
    where id = any(${[...ids]}::uuid[])`.execute(db);
    const places = new Map(rows.map((r) => [r.id, r.place]));
    return ids.map((id) => places.get(id) ?? null);
  }

  /** The table of a part, under that name or the one under which it was taken off. */
  async function tablesOf(name: string): Promise<string[]> {
    const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relkind = 'r' and relname like ${`${name}%`}`.execute(db);
    return rows.map((row) => row.name);
  }

  /** A part of a week long ago with so many HELD deliveries, and a keeper for whom it is past its retention. */
  async function oldPart(weeks: number, held: number): Promise<{ name: string; ids: string[]; one: Keeper }> {
    const week = THIS_WEEK + weeks * WEEK_MS;
    await keep(keeper({ time: () => week }));
    const ids: string[] = [];
    for (let i = 0; i < held; i++) ids.push(await write({ at: week + i, status: 'HELD' }));
    const one = keeper({ time: () => week + WEEK_MS + 90 * DAY_MS, portion: 2, rest: async () => undefined });
    return { name: partOf(week).name, ids, one };
  }

  /** Steps until the part is taken off. */
  async function takeOff(one: Keeper, name: string): Promise<void> {
    while ((await partsOf(db)).some((p) => p.name === name)) if (!(await one.step())) throw new Error('the part stays');
  }

  /** What may not come into the rest. */
  const refusedOfRest = async (): Promise<string[]> => {
    const { rows } = await sql<{ name: string }>`select conname as name from pg_constraint
    where conrelid = 'webhook_deliveries_rest'::regclass and starts_with(conname::text, 'without_')`.execute(db);
    return rows.map(({ name }) => name);
  };

  return { db, NOW, THIS_WEEK, ENDPOINT, keeper, keep, write, placesOf, tablesOf, oldPart, takeOff, refusedOfRest };
}
