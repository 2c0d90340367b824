import { account, child, countOf, freshDatabase, service } from '../lib/processes.ts';
import { load } from '../lib/wrk.ts';
import { addAccounts } from './data.ts';

export interface IngestResult {
  name: string;
  /** Of the median round. Events per second that were answered with 202, and of the bare insert right before. */
  perSecond: number;
  ceiling: number;
  ofCeiling: number;
  rounds: readonly number[];
  /** From request to reply. Milliseconds. */
  p99: number;
  /** Events that were answered with 202 and are not in the table, over all rounds. */
  lost: number;
}

interface Kind {
  name: string;
  connections: number;
  batch: number;
  role: 'all' | 'api';
}

const KINDS: readonly Kind[] = [
  { name: 'single events', connections: 128, batch: 1, role: 'all' },
  { name: 'batches of 100', connections: 32, batch: 100, role: 'all' },
  { name: 'single events, role api', connections: 128, batch: 1, role: 'api' },
  { name: 'batches of 100, role api', connections: 32, batch: 100, role: 'api' },
];

interface Options {
  /** Bodies to publish, one per line. */
  file: string;
  seconds: number;
  rounds: number;
}

interface Round {
  perSecond: number;
  ceiling: number;
  p99: number;
  lost: number;
}

const NAME = 'posthorn_bench_ingest';
const WARM_UP_SECONDS = 3;

async function ceiling(file: string, seconds: number): Promise<number> {
  const bare = child('./ceiling-insert.ts', [await addAccounts(await freshDatabase(NAME)), file, String(seconds)]);
  const { rows, seconds: took } = JSON.parse(await bare.line()) as { rows: number; seconds: number };
  return rows / took;
}

/** The bare insert, then the service, each on a fresh database. */
async function measure({ connections, batch, role }: Kind, { file, seconds }: Options): Promise<Round> {
  const top = await ceiling(file, seconds);
  const url = await addAccounts(await freshDatabase(NAME));
  const s = await service(url, 3995, {}, ['--role', role]);
  try {
    const { key } = await account(s, 'PLATFORM', ['events:publish']);
    const publish = (for_: number) =>
      load(`http://127.0.0.1:${s.port}`, {
        connections,
        seconds: for_,
        script: 'publish-events.lua',
        args: [key, file, String(batch)],
      });
    const warm = await publish(WARM_UP_SECONDS);
    const { perSecond, p99, replies } = await publish(seconds);
    const answered = (warm.replies + replies) * batch;
    // What reactions published is in the table too, and names its cause.
    const stored = await countOf(url, 'events where caused_by is null');
    return { perSecond: perSecond * batch, ceiling: top, p99, lost: Math.max(0, answered - stored) };
  } finally {
    await s.stop();
  }
}

/** Every kind in turn, some rounds of all; of each the round whose part of the ceiling is the median. */
export async function ingest(options: Options): Promise<IngestResult[]> {
  const measured = new Map<Kind, Round[]>(KINDS.map((kind) => [kind, []]));
  for (let i = 0; i < options.rounds; i++) {
    for (const [kind, rounds] of measured) {
      const round = await measure(kind, options);
      console.error(`${kind.name}: ${Math.round(round.perSecond)}/s of ${Math.round(round.ceiling)}/s`);
      rounds.push(round);
    }
  }
  return [...measured].map(([{ name }, rounds]) => {
    const of = (r: Round): number => r.perSecond / r.ceiling;
    const middle = rounds.toSorted((a, b) => of(a) - of(b))[Math.floor(rounds.length / 2)] as Round;
    const lost = rounds.reduce((sum, r) => sum + r.lost, 0);
    return { ...middle, name, ofCeiling: of(middle), rounds: rounds.map(of), lost };
  });
}
