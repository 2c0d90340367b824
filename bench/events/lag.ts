import { Client } from 'pg';
import type { PublisherJob } from '../lib/publisher.ts';
import { account, type BenchService, child, freshDatabase, service } from '../lib/processes.ts';
import { addAccounts } from './data.ts';

export interface LagResult {
  reader: string;
  /** Events published per second, and of these what the reader reacts to. */
  perSecond: number;
  reactsTo: number;
  /** From when others can see the event to when others can see that its effect is committed. Milliseconds. */
  p50: number;
  p99: number;
  max: number;
}

interface Sample {
  at: number;
  /** The last event that can be seen, as `''`, and each reader's cursor. */
  positions: ReadonlyMap<string, number>;
}

const STATE = `
  select '' as name, coalesce((select position from events order by position desc limit 1), 0)::float8 as position
  union all select name, position::float8 from event_readers where part_of is null and not divided`;

/** Looks at the cursors all the time, until it is told to stop. */
function observe(client: Client): { stop(): Promise<Sample[]>; latest(): Sample | undefined } {
  const samples: Sample[] = [];
  let running = true;
  const finished = (async () => {
    while (running) {
      const { rows } = await client.query<{ name: string; position: number }>({ name: 'state', text: STATE });
      samples.push({ at: performance.now(), positions: new Map(rows.map((r) => [r.name, r.position])) });
      await new Promise((done) => setTimeout(done, 1));
    }
  })();
  return {
    latest: () => samples.at(-1),
    async stop() {
      running = false;
      await finished;
      return samples;
    },
  };
}

/** When each of these positions (ascending) was first passed, in milliseconds. */
function passedAt(samples: readonly Sample[], name: string, positions: readonly number[]): number[] {
  let i = 0;
  return positions.map((position) => {
    while (i < samples.length && ((samples[i] as Sample).positions.get(name) ?? 0) < position) i++;
    return samples[i]?.at ?? Number.POSITIVE_INFINITY;
  });
}

async function reactionsOf(s: BenchService): Promise<{ name: string; events: string[] }[]> {
  type Readers = { data: { name: string; events: string[] | null }[] };
  const { data } = await s.call<Readers>('GET', '/v1/admin/readers', undefined, s.operator);
  return data.flatMap(({ name, events }) => (events === null ? [] : [{ name, events }]));
}

const CATCH_UP_MS = 120_000;
const PORT = 3996;

/** How far each reaction of the service is behind at so many single events per second, all of them at work. */
export async function lag(file: string, rate: number, seconds: number): Promise<LagResult[]> {
  const url = await addAccounts(await freshDatabase('posthorn_bench_lag'));
  const s = await service(url, PORT);
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { key } = await account(s, 'PLATFORM', ['events:publish']);
    const publish = async (for_: number): Promise<void> => {
      const job: PublisherJob = { port: PORT, key, bodies: file, connections: 128, seconds: for_, rate };
      const told = JSON.parse(await child('./publisher.ts', [JSON.stringify(job)]).line()) as { refused: number };
      if (told.refused > 0) throw new Error(`${told.refused} events were refused`);
    };
    await publish(3);
    const reactions = await reactionsOf(s);
    const observer = observe(client);
    const isThrough = async (): Promise<boolean> => {
      const { data } = await s.call<{ data: { lag: number }[] }>('GET', '/v1/admin/readers', undefined, s.operator);
      return data.every((reader) => reader.lag === 0);
    };
    const caughtUp = async (): Promise<void> => {
      const until = performance.now() + CATCH_UP_MS;
      while (!(await isThrough()) && performance.now() < until) await new Promise((done) => setTimeout(done, 250));
    };
    await caughtUp();
    const from = observer.latest()?.positions.get('') ?? 0;
    await publish(seconds);
    await caughtUp();
    const samples = await observer.stop();
    return await Promise.all(reactions.map((r) => lagOf(client, samples, r, { from, seconds })));
  } finally {
    await client.end();
    await s.stop();
  }
}

async function lagOf(
  client: Client,
  samples: readonly Sample[],
  { name, events }: { name: string; events: string[] },
  { from, seconds }: { from: number; seconds: number },
): Promise<LagResult> {
  const { rows } = await client.query<{ position: number; mine: boolean }>(
    'select position::float8 as position, event = any($1) as mine from events where position > $2 order by position',
    [events, from],
  );
  const mine = rows.filter((row) => row.mine).map((row) => row.position);
  const seen = passedAt(samples, '', mine);
  const lags = passedAt(samples, name, mine)
    .map((at, i) => Math.max(0, at - (seen[i] as number)))
    .toSorted((a, b) => a - b);
  const quantile = (q: number): number => lags[Math.min(lags.length - 1, Math.floor(lags.length * q))] ?? Number.NaN;
  return {
    reader: name,
    perSecond: rows.length / seconds,
    reactsTo: mine.length / seconds,
    p50: quantile(0.5),
    p99: quantile(0.99),
    max: quantile(1),
  };
}
