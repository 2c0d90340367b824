/** Public reads by one process and by several (WEB_CONCURRENCY), and what they cost, beside as many of a bare Fastify. See RESULTS.md. */
import { cpus } from 'node:os';
import { cpuOfTree } from './lib/cpu.ts';
import { account, type BenchService, child, freshDatabase, service } from './lib/processes.ts';
import { fillPosts } from './lib/posts.ts';
import { load } from './lib/wrk.ts';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 8);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const CONNECTIONS = 32;
const PROCESSES = [1, 2, 4, 8] as const;
/** For each process, since each has code of its own to compile, and the last ones still start when the first answers. */
const WARM_UP_SECONDS = 3;
const READS = [
  ['list of 20', '/v1/blog/posts'],
  ['detail, body of 4 kB', '/v1/blog/posts/post-number-500'],
] as const;

export interface CoresRow {
  name: string;
  processes: number;
  requestsPerSecond: number;
  /** Of the supervisor and its processes together. */
  cpuSecondsPer1000: number;
  p99: number;
  /** Of a bare Fastify that sends the same bytes by as many processes. */
  bareCpuSecondsPer1000: number;
}

interface At {
  pid: number;
  url: string;
  key: string;
  processes: number;
}

async function loaded({ pid, url, key, processes }: At) {
  const options = { connections: CONNECTIONS, seconds: SECONDS, headers: [`Authorization: Bearer ${key}`] };
  await load(url, { ...options, seconds: WARM_UP_SECONDS * processes });
  const before = cpuOfTree(pid);
  const { perSecond, replies, p99 } = await load(url, options);
  return { requestsPerSecond: perSecond, cpuSecondsPer1000: ((cpuOfTree(pid) - before) / replies) * 1000, p99 };
}

async function measure(s: BenchService, key: string, [name, path]: (typeof READS)[number], processes: number) {
  const url = `http://127.0.0.1:${s.port}${path}`;
  const reply = await (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).text();
  const ours = await loaded({ pid: s.pid, url, key, processes });
  const bare = child('./bare-fastify.ts', ['200', String(processes)]);
  bare.process.stdin?.write(`${JSON.stringify(reply)}\n`);
  const at = `http://127.0.0.1:${await bare.line()}/`;
  const theirs = await loaded({ pid: bare.process.pid as number, url: at, key, processes });
  await bare.stop();
  return { name, processes, ...ours, bareCpuSecondsPer1000: theirs.cpuSecondsPer1000 };
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
        for (const read of READS) {
          const row = await measure(s, key, read, processes);
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
    const of = (processes: number, field: Exclude<keyof CoresRow, 'name' | 'processes'>): number =>
      median(rows.filter((r) => r.name === name && r.processes === processes).map((r) => r[field]));
    return PROCESSES.map((n) => {
      const rate = of(n, 'requestsPerSecond');
      const cpu = of(n, 'cpuSecondsPer1000');
      const ratios = `${(rate / of(1, 'requestsPerSecond')).toFixed(2)} | ${cpu.toFixed(4)} | ${(cpu / of(1, 'cpuSecondsPer1000')).toFixed(2)}`;
      const bare = of(n, 'bareCpuSecondsPer1000') / of(1, 'bareCpuSecondsPer1000');
      return `| ${name} | ${n} | ${Math.round(rate).toLocaleString('en-US')} | ${ratios} | ${bare.toFixed(2)} | ${of(n, 'p99').toFixed(1)} |`;
    });
  });
  return `### One process and several

\`node bench/cores.ts\`: the same posts and load with \`WEB_CONCURRENCY\` of 1, 2, 4 and 8 (docs/adr/0032), in turn, medians of ${ROUNDS} rounds. CPU is
the service's, all its processes together, read from /proc. wrk is on the same ${cpus().length} cores, and takes what the processes then lack;
more processes than cores are there to see what each costs by being there: the column of bare Fastify says what that is of Node and of the machine alone, with as many
processes that share nothing.

| Read | processes | requests/s | of one | CPU s per 1,000 | of one | the same of bare Fastify | p99 ms |
|---|---|---|---|---|---|---|---|
${lines.join('\n')}
`;
}

if (import.meta.main) {
  console.log(coresSection(await cores()));
  process.exit(0);
}
