/** Public reads by one process and by two (WEB_CONCURRENCY), and what they cost. See RESULTS.md. */
import { cpus } from 'node:os';
import { cpuOfTree } from './lib/cpu.ts';
import { account, type BenchService, freshDatabase, service } from './lib/processes.ts';
import { fillPosts } from './lib/posts.ts';
import { load } from './lib/wrk.ts';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 8);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const CONNECTIONS = 32;
const PROCESSES = [1, 2] as const;
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
}

async function measure(
  s: BenchService,
  key: string,
  [name, path]: (typeof READS)[number],
): Promise<Omit<CoresRow, 'processes'>> {
  const url = `http://127.0.0.1:${s.port}${path}`;
  const options = { connections: CONNECTIONS, seconds: SECONDS, headers: [`Authorization: Bearer ${key}`] };
  await load(url, { ...options, seconds: 3 });
  const before = cpuOfTree(s.pid);
  const { perSecond, replies, p99 } = await load(url, options);
  const cpu = cpuOfTree(s.pid) - before;
  return { name, requestsPerSecond: perSecond, cpuSecondsPer1000: (cpu / replies) * 1000, p99 };
}

/** One process, then two, on one database; again in every round. */
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
          const row = { processes, ...(await measure(s, key, read)) };
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
    const of = (processes: number, field: 'requestsPerSecond' | 'cpuSecondsPer1000' | 'p99'): number =>
      median(rows.filter((r) => r.name === name && r.processes === processes).map((r) => r[field]));
    return PROCESSES.map((n) => {
      const rate = of(n, 'requestsPerSecond');
      const cpu = of(n, 'cpuSecondsPer1000');
      const ratios = `${(rate / of(1, 'requestsPerSecond')).toFixed(2)} | ${cpu.toFixed(4)} | ${(cpu / of(1, 'cpuSecondsPer1000')).toFixed(2)}`;
      return `| ${name} | ${n} | ${Math.round(rate).toLocaleString('en-US')} | ${ratios} | ${of(n, 'p99').toFixed(1)} |`;
    });
  });
  return `### One process and two

\`node bench/cores.ts\`: the same posts and load with \`WEB_CONCURRENCY\` of 1 and of 2 (docs/adr/0032), in turn, medians of ${ROUNDS} rounds. CPU is
the service's, all its processes together, read from /proc. wrk is on the same ${cpus().length} cores, and takes what the processes then lack.

| Read | processes | requests/s | of one | CPU s per 1,000 | of one | p99 ms |
|---|---|---|---|---|---|---|
${lines.join('\n')}
`;
}

if (import.meta.main) {
  console.log(coresSection(await cores()));
  process.exit(0);
}
