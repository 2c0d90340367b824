import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { monotonicNow } from '../src/lib/clock.ts';
import { needsDatabase } from './lib/needs-database.ts';
import { findPostgres } from './lib/postgres.ts';
import { findServices } from './lib/services.ts';
import { lineOf, ROOT, runStep } from './lib/step.ts';
import { type FileRecord, RECORD, type TestRecord } from './lib/test-reporter.ts';

/**
 * `npm test`: the checks, then every test on PGlite and again on PostgreSQL; one that reaches no database runs once. What
 * is not on this machine is skipped in a line that says so; with TEST_REQUIRE=all a skip is a failure. Arguments are files:
 * then only those are run.
 */
const REQUIRE_ALL = process.env.TEST_REQUIRE === 'all';
const STARTED = monotonicNow();
/** Compiled code of all the test processes: without it each of them strips the types of everything again. */
const COMPILE_CACHE = join(ROOT, 'node_modules/.cache/compile');
/** A test that takes longer hangs. Milliseconds. */
const TEST_TIMEOUT_MS = 180_000;

/** So many of the files that took longest are named after a run: where to look when the whole takes too long. */
const SLOWEST = 12;

interface Pass {
  title: string;
  /** Tests that reach no database have run before. */
  isRepeated: boolean;
  env: Record<string, string>;
}

/** Runs files with node:test; failures are printed as they come. */
async function runFiles(
  title: string,
  files: readonly string[],
  env: Record<string, string>,
  concurrency: number,
): Promise<TestRecord[]> {
  if (files.length === 0) return [];
  const records: TestRecord[] = [];
  const times: FileRecord[] = [];
  let rest = '';
  const take = (text: string): void => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith(RECORD)) {
        console.log(line);
        continue;
      }
      const record = JSON.parse(line.slice(RECORD.length)) as TestRecord | FileRecord;
      if ('file' in record) times.push(record);
      else records.push(record);
    }
  };
  const flags = [
    '--test',
    `--test-concurrency=${concurrency}`,
    `--test-timeout=${TEST_TIMEOUT_MS}`,
    '--test-reporter=./scripts/lib/test-reporter.ts',
    '--test-reporter-destination=stdout',
  ];
  const result = await runStep(
    { name: title, command: ['node', ...flags, ...files], env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...env } },
    take,
  );
  if (rest !== '') console.log(rest);
  if (!result.ok && !records.some((r) => r.outcome === 'failed'))
    records.push({ id: `${title} › the test run itself`, outcome: 'failed' });
  console.log(`${lineOf(result)}: ${records.filter((r) => r.outcome === 'passed').length} tests passed`);
  const slowest = times.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  if (times.length > SLOWEST)
    console.log(`slowest: ${slowest.map((t) => `${t.file} ${t.seconds.toFixed(0)} s`).join(', ')}`);
  return records;
}

/** Tests of the whole system in processes of their own: alone, since they load the machine and take its time. */
const isWhole = (file: string): boolean => file.startsWith('e2e/') || file.startsWith('test/kill');

/** The suite, a process with a database of its own for each file, some at once; whole-system tests alone, one by one. */
async function runPass({ title, env, isRepeated }: Pass, chosen: readonly string[]): Promise<TestRecord[]> {
  const find = (...patterns: string[]): string[] =>
    (chosen.length > 0 ? [...chosen] : globSync(patterns, { cwd: ROOT })).toSorted();
  const suite = await runFiles(
    `suite on ${title}`,
    find('{client/src,src,test}/**/*.test.ts').filter((f) => !isWhole(f) && (!isRepeated || needsDatabase(f))),
    env,
    // One more than there are cores: most files wait for something now and then.
    Math.max(2, availableParallelism()) + 1,
  );
  const whole = await runFiles(`whole system on ${title}`, find('{e2e,test}/**/*.test.ts').filter(isWhole), env, 1);
  return [...suite, ...whole];
}

const passed = (records: readonly TestRecord[]): number => records.filter((r) => r.outcome === 'passed').length;

async function main(): Promise<void> {
  const chosen = process.argv.slice(2);
  let failed = 0;
  const skipLines: string[] = [];
  if (chosen.length === 0) {
    const check = await runStep({ name: 'check', command: ['node', 'scripts/check.ts'] }, (text) =>
      process.stdout.write(text),
    );
    console.log(lineOf(check));
    if (!check.ok) failed++;
  }
  const services = await findServices();
  skipLines.push(...services.missing);
  const postgres = await findPostgres();
  const onPglite = await runPass(
    { title: 'PGlite', isRepeated: false, env: { ...services.env, TEST_DB: 'pglite' } },
    chosen,
  );
  let onPostgres: TestRecord[] | null = null;
  if (typeof postgres === 'string') {
    skipLines.push(`PostgreSQL: ${postgres}`);
  } else {
    console.log(`PostgreSQL: ${postgres.about}`);
    const env = { ...services.env, TEST_DB: 'postgres', TEST_DATABASE_URL: postgres.url };
    try {
      onPostgres = await runPass({ title: 'PostgreSQL', isRepeated: true, env }, chosen);
    } finally {
      await postgres.stop();
    }
  }
  report(onPglite, onPostgres, skipLines, failed);
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
  console.log(`in ${((monotonicNow() - STARTED) / 1000).toFixed(0)} s`);
  console.log(`${passed(all)} passed, ${failed.length + checksFailed} failed, ${skipped} skipped`);
  process.exitCode = failed.length + checksFailed + refused > 0 ? 1 : 0;
}

await main();
