/** Public reads by one process and by several (WEB_CONCURRENCY), and what they cost, beside as many of a bare Fastify. See RESULTS.md. */
import { cpus } from 'node:os';
import { cpuOfTree } from './lib/cpu.ts';
import { account, type BenchService, child, freshDatabase, service } from './lib/processes.ts';
import { fillPosts } from './lib/posts.ts';
import { load, type WrkOptions } from './lib/wrk.ts';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 8);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
/** For each process, so that one of many finds as many requests at once as one alone does: a request that comes alone costs twice as much. */
export const CONNECTIONS = 32;
/** Of what one process carries, the share that each of them gets where the machine is not full: so the last number of them fits on two cores. */
const RATE_SHARE = 1 / 20;
const PROCESSES = [1, 2, 4, 8] as const;
/** For each process and read, since each has code of its own to compile, and the last ones still start when the first answers. */
const WARM_UP_SECONDS = 4;
/** The same before a read is measured. */
const AGAIN_SECONDS = 1;
export const READS = [
  ['list of 20', '/v1/blog/posts'],
  ['detail, body of 4 kB', '/v1/blog/posts/post-number-500'],
] as const;

/** At full speed, and at a rate. CPU is of all processes together. */
interface Loaded {
  requestsPerSecond: number;
  cpuSecondsPer1000: number;
  p99: number;
  /** Requests a second for each process. */
  rate: number;
  cpuAtRate: number;
  p99AtRate: number;
}

export interface CoresRow extends Loaded {
  name: string;
  processes: number;
  /** The same of a bare Fastify that sends the same bytes by as many processes. */
  bare: Loaded;
}

interface At {
  pid: number;
  url: string;
  key: string;
  processes: number;
}

const warmUp = (url: string, key: string, processes: number, seconds: number) =>
  load(url, {
    connections: CONNECTIONS * processes,
    seconds: seconds * processes,
    headers: [`Authorization: Bearer ${key}`],
  });

async function timed(pid: number, url: string, options: WrkOptions) {
  const before = cpuOfTree(pid);
  const { perSecond, replies, p99 } = await load(url, options);
  return { perSecond, cpu: ((cpuOfTree(pid) - before) / replies) * 1000, p99 };
}

/** `rate`: requests a second for each process; null: a share of what this one carries. */
async function loaded({ pid, url, key, processes }: At, rate: number | null): Promise<Loaded> {
  const full = { connections: CONNECTIONS * processes, seconds: SECONDS, headers: [`Authorization: Bearer ${key}`] };
  await warmUp(url, key, processes, AGAIN_SECONDS);
  const most = await timed(pid, url, full);
  const think = [String(Math.round((CONNECTIONS * 1000) / (rate ?? most.perSecond * RATE_SHARE)))];
  const some = await timed(pid, url, { ...full, script: 'think.lua', args: think });
  return {
    requestsPerSecond: most.perSecond,
    cpuSecondsPer1000: most.cpu,
    p99: most.p99,
    rate: some.perSecond / processes,
    cpuAtRate: some.cpu,
    p99AtRate: some.p99,
  };
}

/** `first`: of one process, whose rate the others get too. */
async function measure(
  s: BenchService,
  { key, read, processes, first }: { key: string; read: (typeof READS)[number]; processes: number; first?: CoresRow },
): Promise<CoresRow> {
  const [name, path] = read;
  const url = `http://127.0.0.1:${s.port}${path}`;
  const reply = await (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).text();
  const ours = await loaded({ pid: s.pid, url, key, processes }, first?.rate ?? null);
  const bare = child('./bare-fastify.ts', ['200', String(processes)]);
  bare.process.stdin?.write(`${JSON.stringify(reply)}\n`);
  const at = `http://127.0.0.1:${await bare.line()}/`;
  await warmUp(at, key, processes, WARM_UP_SECONDS);
  const theirs = await loaded({ pid: bare.process.pid as number, url: at, key, processes }, first?.rate ?? ours.rate);
  await bare.stop();
  return { name, processes, ...ours, bare: theirs };
}

/** One process, then more and more, on one database; again in every round. */
export async function cores(): Promise<CoresRow[]> {
  const databaseUrl = await freshDatabase('posthorn_bench_cores');
  const rows: CoresRow[] = [];
  let key: string | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    for (const processes of PROCESSES) {
      const s = await service(databaseUrl, 3993, { WEB_CONCURRENCY: String(processes) });
      try {
        if (key === undefined) {
          await fillPosts(s);
          ({ key } = await account(s, 'SITE', ['blog:read']));
        }
        for (const [, path] of READS)
          await warmUp(`http://127.0.0.1:${s.port}${path}`, key, processes, WARM_UP_SECONDS);
        for (const read of READS) {
          const first = rows.find((r) => r.name === read[0] && r.processes === 1);
          const row = await measure(s, { key, read, processes, ...(first && { first }) });
          rows.push(row);
          console.error(JSON.stringify({ round, ...row }));
        }
      } finally {
        await s.stop();
      }
    }
  }
  return rows;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** As RESULTS.md has it: medians of the rounds. */
export function coresSection(rows: readonly CoresRow[]): string {
  const lines = READS.flatMap(([name]) => {
    const of = (processes: number, value: (row: CoresRow) => number): number =>
      median(rows.filter((r) => r.name === name && r.processes === processes).map(value));
    return PROCESSES.map((n) => {
      const ofOne = (value: (row: CoresRow) => number): string => (of(n, value) / of(1, value)).toFixed(2);
      const whole = (value: (row: CoresRow) => number): string => Math.round(of(n, value)).toLocaleString('en-US');
      return `| ${[
        name,
        n,
        whole((r) => r.rate),
        of(n, (r) => r.cpuAtRate).toFixed(4),
        ofOne((r) => r.cpuAtRate),
        ofOne((r) => r.bare.cpuAtRate),
        of(n, (r) => r.p99AtRate).toFixed(1),
        whole((r) => r.requestsPerSecond),
        ofOne((r) => r.requestsPerSecond),
        ofOne((r) => r.bare.requestsPerSecond),
        ofOne((r) => r.cpuSecondsPer1000),
        ofOne((r) => r.bare.cpuSecondsPer1000),
        of(n, (r) => r.p99).toFixed(1),
      ].join(' | ')} |`;
    });
  });
  return `### One process and several

\`node bench/cores.ts\`: the same posts with \`WEB_CONCURRENCY\` of 1, 2, 4 and 8 (docs/adr/0032), in turn, medians of ${ROUNDS} rounds, by ${CONNECTIONS} connections for each process: with readers who
wait between reply and request so long that each process gets a twentieth of what one carries, and at full speed. CPU is
the service's, all its processes together, read from /proc. wrk is on the same ${cpus().length} cores, and takes what the processes then lack;
more processes than cores are there to see what each costs by being there: "bare" is what as many processes of a bare Fastify that share nothing do, of one of them.

| Read | processes | requests/s for each | CPU s per 1,000 | of one | bare | p99 ms | full speed | of one | bare | its CPU of one | bare | p99 ms |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
${lines.join('\n')}
`;
}

if (import.meta.main) {
  console.log(coresSection(await cores()));
  process.exit(0);
}
