import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { monotonicNow } from '../src/lib/clock.ts';
import { findPostgres } from './lib/postgres.ts';
import { type FileResult, runTestFile } from './lib/run-test-file.ts';
import { findServices } from './lib/services.ts';
import { lineOf, ROOT, runStep } from './lib/step.ts';
import { withTemplate } from './lib/template.ts';
import { TestProcess } from './lib/test-process.ts';
import { OPTIMISED, type TestDatabase, type TestJob, testJobs } from './lib/test-jobs.ts';
import type { TestRecord } from './lib/test-reporter.ts';

/**
 * `npm test`: the checks, then every test on PGlite and on PostgreSQL, each file with a database of its own; one that reaches no
 * database runs once. Files share a process where they can (scripts/lib/test-jobs.ts). What is not on this machine is skipped in a line that says so; with TEST_REQUIRE=all
 * a skip is a failure. Arguments are files: then only those are run.
 */
const REQUIRE_ALL = process.env.TEST_REQUIRE === 'all';
const STARTED = monotonicNow();
/** Compiled code of all the test processes: without it each of them strips the types of everything again. */
const COMPILE_CACHE = join(ROOT, 'node_modules/.cache/compile');
/** One more than there are cores: most files wait for something now and then. */
const AT_ONCE = Math.max(2, availableParallelism()) + 1;
/** So many of the files that took longest are named after a run: where to look when the whole takes too long. */
const SLOWEST = 16;

/**
 * PostgreSQL compiled to WebAssembly, by V8's first compiler only: of the few seconds that a file takes, optimising that
 * code took one, and half a gigabyte.
 */
const BASELINE_WASM = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering'];
type Records = Record<TestDatabase, TestRecord[]>;
/** Those in which files run one after the other: one for each database, since what is loaded knows which it is. */
type Processes = Partial<Record<TestDatabase, TestProcess>>;

const flagsOf = ({ file, database }: TestJob): readonly string[] =>
  database === 'PGlite' && !OPTIMISED.has(file) ? BASELINE_WASM : [];

/** Runs the jobs in their order, many at once, then two, then those that must be alone. Failures are printed as files end. */
async function runJobs(
  jobs: readonly TestJob[],
  envOf: Record<TestDatabase, Record<string, string>>,
): Promise<Records> {
  const records: Records = { PGlite: [], PostgreSQL: [] };
  const times: { name: string; seconds: number }[] = [];
  const scratch = await mkdtemp(join(tmpdir(), 'posthorn-tests-'));
  const runIn = async (job: TestJob, processes: Processes): Promise<FileResult> => {
    const { file, database } = job;
    const folder = await mkdtemp(join(scratch, 'file-'));
    const options = { flags: flagsOf(job), env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...envOf[database] }, folder };
    if (!job.shares) return runTestFile({ file, ...options });
    return (processes[database] ??= new TestProcess(options)).run(file);
  };
  const runOne = async (job: TestJob, processes: Processes): Promise<void> => {
    const { file, database } = job;
    const result = await runIn(job, processes);
    records[database].push(...result.records);
    times.push({ name: `${file} on ${database}`, seconds: result.seconds });
    if (result.text !== '') console.log(result.text);
  };
  const runAll = async (those: readonly TestJob[], atOnce: number): Promise<void> => {
    const waiting = [...those];
    const runNext = async (): Promise<void> => {
      const processes: Processes = {};
      for (let job = waiting.shift(); job; job = waiting.shift()) await runOne(job, processes);
      for (const shared of Object.values(processes)) shared.close();
    };
    await Promise.all(Array.from({ length: atOnce }, runNext));
  };
  try {
    for (const [company, atOnce] of [
      ['many', AT_ONCE],
      ['two', 2],
      ['none', 1],
    ] as const) {
      const those = jobs.filter((job) => job.company === company);
      await runAll(those, atOnce);
      if (those.length > 0) console.log(`${those.length} files, at once ${atOnce}, by ${elapsed()} s`);
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  const slowest = times.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  if (times.length > SLOWEST)
    console.log(`slowest: ${slowest.map((t) => `${t.name} ${t.seconds.toFixed(0)} s`).join(', ')}`);
  return records;
}

const elapsed = (): string => ((monotonicNow() - STARTED) / 1000).toFixed(0);

const passed = (records: readonly TestRecord[]): number => records.filter((r) => r.outcome === 'passed').length;

/** The checks, and the dashboard as its sources are now, which the browser tests look at; how many of them failed. */
async function check(): Promise<number> {
  let failed = 0;
  for (const [name, script] of [
    ['check', 'scripts/check.ts'],
    ['build', 'scripts/build.ts'],
  ] as const) {
    const result = await runStep({ name, command: ['node', script] }, (text) => process.stdout.write(text));
    console.log(lineOf(result));
    if (!result.ok) failed++;
  }
  return failed;
}

async function main(): Promise<void> {
  const chosen = process.argv.slice(2);
  const failed = chosen.length === 0 ? await check() : 0;
  const services = await findServices();
  const skipLines = [...services.missing];
  const postgres = await findPostgres();
  const PGlite = { ...services.env, TEST_DB: 'pglite' };
  if (typeof postgres === 'string') {
    skipLines.push(`PostgreSQL: ${postgres}`);
    const { PGlite: records } = await runJobs(testJobs(chosen, false), { PGlite, PostgreSQL: {} });
    report(records, null, skipLines, failed);
    return;
  }
  console.log(`PostgreSQL: ${postgres.about}`);
  try {
    const records = await withTemplate(postgres.url, (template) => {
      const at = { TEST_DATABASE_URL: postgres.url, TEST_DATABASE_TEMPLATE: template };
      const PostgreSQL = { ...services.env, TEST_DB: 'postgres', ...at };
      return runJobs(testJobs(chosen, true), { PGlite, PostgreSQL });
    });
    report(records.PGlite, records.PostgreSQL, skipLines, failed);
  } finally {
    await postgres.stop();
  }
}

function report(
  onPglite: TestRecord[],
  onPostgres: TestRecord[] | null,
  skipLines: readonly string[],
  checksFailed: number,
): void {
  const all = [...onPglite, ...(onPostgres ?? [])];
  const ran = new Set(all.filter((r) => r.outcome !== 'skipped').map((r) => r.id));
  // A test of what only one of the databases has is skipped on the other: that is no gap.
  const gaps = new Map(all.filter((r) => r.outcome === 'skipped' && !ran.has(r.id)).map((r) => [r.id, r.reason ?? '']));
  const failed = all.filter((r) => r.outcome === 'failed');
  console.log('');
  for (const line of skipLines) console.log(`SKIPPED: ${line}`);
  for (const [id, reason] of gaps) console.log(`SKIPPED: ${id}: ${reason}`);
  for (const { id } of failed) console.log(`FAILED: ${id}`);
  console.log(`PGlite: ${passed(onPglite)} tests passed`);
  console.log(`PostgreSQL: ${onPostgres ? `${passed(onPostgres)} tests passed` : 'not run'}`);
  const skipped = gaps.size + (onPostgres ? 0 : 1);
  // Data that is too large for the repository is the one thing that even the gate does not insist on.
  const needed = [...gaps.values()].filter((reason) => !reason.startsWith('optional: ')).length;
  const refused = REQUIRE_ALL ? needed + skipLines.length : 0;
  if (refused > 0) console.log('TEST_REQUIRE=all: what was skipped is a failure.');
  console.log(`in ${elapsed()} s`);
  console.log(`${passed(all)} passed, ${failed.length + checksFailed} failed, ${skipped} skipped`);
  process.exitCode = failed.length + checksFailed + refused > 0 ? 1 : 0;
}

await main();
