/**
 * What a second process adds where there is a core for it: each process may use half a core, so that two of them, and the load beside them, find on two
 * cores what they need. `node bench/cores/halves.ts`, as root; see RESULTS.md.
 */
import { CONNECTIONS, READS } from '../cores.ts';
import { childrenOf, limitCpu } from '../lib/cpu-share.ts';
import { fillPosts } from '../lib/posts.ts';
import { account, type BenchService, child, freshDatabase, service } from '../lib/processes.ts';
import { load } from '../lib/wrk.ts';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 8);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
/** Of a core, for each process. */
const CORES = 0.5;
/** With a whole core each, until the code is compiled in all of them. */
const WARM_UP_SECONDS = 6;
const PORT = 3995;

/** One read by one process and by two, of the service and of a bare Fastify that sends the same bytes. */
export interface HalvesRow {
  name: string;
  one: number;
  two: number;
  bareOne: number;
  bareTwo: number;
}

/** So many processes that answer at an address. */
interface Serving {
  url: string;
  processes: number;
}

/** Those of a tree that answer: the first alone, or those that it has started. */
const answering = (pid: number, processes: number): number[] => (processes === 1 ? [pid] : childrenOf(pid));

/** At full speed. Requests a second. */
async function carried({ url, processes }: Serving, key: string): Promise<number> {
  const connections = CONNECTIONS * processes;
  const { perSecond } = await load(url, { connections, seconds: SECONDS, headers: [`Authorization: Bearer ${key}`] });
  return perSecond;
}

const warmUp = ({ url, processes }: Serving, key: string) =>
  load(url, {
    connections: CONNECTIONS * processes,
    seconds: WARM_UP_SECONDS * processes,
    headers: [`Authorization: Bearer ${key}`],
  });

async function bare(reply: string, processes: number): Promise<Serving & { stop(): Promise<void> }> {
  const started = child('./bare-fastify.ts', ['200', String(processes)]);
  started.process.stdin?.write(`${JSON.stringify(reply)}\n`);
  const url = `http://127.0.0.1:${await started.line()}/`;
  await warmUp({ url, processes }, 'none');
  const free = limitCpu(answering(started.process.pid as number, processes), CORES);
  return {
    url,
    processes,
    async stop() {
      await started.stop();
      await free();
    },
  };
}

/** All four are there from the beginning to the end, and measured in turn. */
export async function halves(): Promise<HalvesRow[]> {
  const databaseUrl = await freshDatabase('posthorn_bench_halves');
  const ends: (() => Promise<void>)[] = [];
  const start = async (processes: number): Promise<{ s: BenchService; processes: number }> => {
    const s = await service(databaseUrl, PORT + processes, { WEB_CONCURRENCY: String(processes) });
    ends.push(() => s.stop());
    return { s, processes };
  };
  const rows: HalvesRow[] = [];
  try {
    const both = [await start(1), await start(2)] as const;
    const [{ s }] = both;
    await fillPosts(s);
    const { key } = await account(s, 'SITE', ['blog:read']);
    const at = (i: 0 | 1, path: string): Serving => ({
      url: `http://127.0.0.1:${both[i].s.port}${path}`,
      processes: both[i].processes,
    });
    for (const i of [0, 1] as const) {
      for (const [, path] of READS) await warmUp(at(i, path), key);
      ends.push(limitCpu(answering(both[i].s.pid, both[i].processes), CORES));
    }
    for (const [name, path] of READS) {
      const reply = await (await fetch(at(0, path).url, { headers: { authorization: `Bearer ${key}` } })).text();
      const bares = [await bare(reply, 1), await bare(reply, 2)] as const;
      const all = [at(0, path), at(1, path), ...bares] as const;
      try {
        for (let round = 0; round < ROUNDS; round++) {
          const found = [0, 0, 0, 0] as [number, number, number, number];
          const order = [0, 1, 2, 3] as const;
          for (const i of round % 2 === 0 ? order : order.toReversed()) found[i] = await carried(all[i], key);
          const [one, two, bareOne, bareTwo] = found;
          rows.push({ name, one, two, bareOne, bareTwo });
          console.error(name, ...found.map(Math.round), (two / one).toFixed(2), (bareTwo / bareOne).toFixed(2));
        }
      } finally {
        for (const each of bares) await each.stop();
      }
    }
  } finally {
    for (const end of ends) await end();
  }
  return rows;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** As RESULTS.md has it: medians of the rounds, shares of the same round. */
export function halvesSection(rows: readonly HalvesRow[]): string {
  const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
  const lines = READS.map(([name]) => {
    const these = rows.filter((r) => r.name === name);
    const of = (value: (row: HalvesRow) => number): number => median(these.map(value));
    const shares = these.map((r) => (r.two / r.one).toFixed(2));
    return `| ${[
      name,
      whole(of((r) => r.one)),
      whole(of((r) => r.two)),
      of((r) => r.two / r.one).toFixed(2),
      shares.join(', '),
      of((r) => r.bareTwo / r.bareOne).toFixed(2),
      of((r) => r.one / r.bareOne).toFixed(2),
      of((r) => r.two / r.bareTwo).toFixed(2),
    ].join(' | ')} |`;
  });
  return `\`node bench/cores/halves.ts\`, as root: each process is held to half a core (control groups), so that two, and wrk with a core of its own, find on two cores what they need; one
and two processes of the service and of a bare Fastify in turn, ${CONNECTIONS} connections for each process, medians of ${ROUNDS} rounds of ${SECONDS} s.

| Read | one/s | two/s | two, of one | every round | bare, two of one | one, of bare | two, of bare |
|---|---|---|---|---|---|---|---|
${lines.join('\n')}
`;
}

if (import.meta.main) {
  console.log(halvesSection(await halves()));
  process.exit(0);
}
