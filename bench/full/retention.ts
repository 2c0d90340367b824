import { Client } from 'pg';
import { leastUuidv7 } from '../../src/lib/ids.ts';
import { partsOf, REST } from '../../src/modules/webhooks/storage/parts-store.ts';
import { openPostgres } from '../../src/platform/db/index.ts';
import { type BenchService, type Child, service } from '../lib/processes.ts';
import { type Receiver, settled } from '../lib/receivers.ts';
import type { Side } from './side.ts';

const WARM_SECONDS = 5;
/** At least, with the node that removes nothing and with the one that does: about as long as the removal takes, so that a checkpoint falls into both. */
const SECONDS = 150;
/** At most. */
const REMOVAL_SECONDS = 1200;
const DAYS = 14;

export interface Retention {
  /** Rows that were removed with their parts, and moved out of them. */
  removed: number;
  moved: number;
  seconds: number;
  before: { p50: number; p99: number };
  during: { p50: number; p99: number };
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/**
 * Deliveries at a rate, with another node on the same database: first one that keeps everything, then one that finds at its start that
 * what is older than two weeks is past its retention.
 */
export async function retentionUnderLoad(
  side: Side,
  { url, port, rate, to }: { url: string; port: number; rate: number; to: Receiver },
): Promise<Retention> {
  const database = await openPostgres(url, 1);
  const client = new Client({ connectionString: url });
  await client.connect();
  const count = async (table: string): Promise<number> =>
    Number((await client.query<{ n: string }>(`select count(*) as n from ${table}`)).rows[0]?.n);
  let second: BenchService | undefined;
  let publisher: Child | undefined;
  try {
    const past = leastUuidv7(Date.now() - DAYS * 86_400_000);
    const old = (await partsOf(database.db)).filter(({ to: end }) => end <= past).map(({ name }) => name);
    let rows = 0;
    for (const name of old) rows += await count(name);
    if (rows === 0) throw new Error('nothing is past its retention');
    const restBefore = await count(REST);
    const isGone = async (): Promise<boolean> =>
      (await client.query('select from pg_class where relname ~ $1', [`^(${old.join('|')})(_off_\\d+)?$`])).rows
        .length === 0;
    publisher = side.publisher('ten', Math.round(rate / 10), WARM_SECONDS + 2 * SECONDS + REMOVAL_SECONDS);
    await pause(WARM_SECONDS * 1000);
    const measured = async (days: number): Promise<{ p50: number; p99: number; seconds: number }> => {
      second = await service(url, port, { DELIVERY_RETENTION_DAYS: String(days) });
      const { count: first } = await to.ask('reset');
      const startedAt = performance.now();
      const passed = (): number => (performance.now() - startedAt) / 1000;
      const isOver = async (): Promise<boolean> => (days === DAYS ? isGone() : true);
      let seconds = 0;
      while (passed() < SECONDS || !(await isOver())) {
        if (passed() > REMOVAL_SECONDS)
          throw new Error(`what is past its retention is there after ${REMOVAL_SECONDS} s`);
        if (seconds === 0 && (await isOver())) seconds = passed();
        await pause(200);
      }
      const { p50, p99, count: last } = await to.ask('reset');
      if (last - first < 0.98 * rate * passed())
        throw new Error(`only ${last - first} in ${passed()} s were delivered`);
      await second.stop();
      second = undefined;
      return { p50, p99, seconds: seconds || passed() };
    };
    const before = await measured(90);
    const during = await measured(DAYS);
    await publisher.stop();
    await settled(to);
    const moved = (await count(REST)) - restBefore;
    return { removed: rows - moved, moved, seconds: during.seconds, before, during };
  } finally {
    await second?.stop();
    await publisher?.stop();
    await client.end();
    await database.close();
  }
}
