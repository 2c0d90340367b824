import { monotonicNow } from '../src/lib/clock.ts';
import { findPostgres } from './lib/postgres.ts';
import { type JobsResult, runJobs } from './lib/run-jobs.ts';
import { findServices } from './lib/services.ts';
import { lineOf, runStep } from './lib/step.ts';
import { withTemplate } from './lib/template.ts';
import { testJobs } from './lib/test-jobs.ts';
import type { TestRecord } from './lib/test-reporter.ts';

/**
 * `npm test`: the checks, then every test on PGlite and on PostgreSQL, each file with a database of its own; one that reaches no
 * database runs once. Files share a process where they can (scripts/lib/test-jobs.ts). What is not on this machine is skipped in a line that says so; with TEST_REQUIRE=all
 * a skip is a failure. A failure of a few files is looked at again with each alone (scripts/lib/run-jobs.ts). Arguments are files or folders: then
 * only those are run, once, without the checks.
 */
const REQUIRE_ALL = process.env.TEST_REQUIRE === 'all';
const STARTED = monotonicNow();

const elapsed = (): string => ((monotonicNow() - STARTED) / 1000).toFixed(0);

const passed = (records: readonly TestRecord[]): number => records.filter((r) => r.outcome === 'passed').length;

/** The checks, where everything is run, and the dashboard as its sources are now, which the browser tests look at; how many of them failed. */
async function prepare(chosen: readonly string[]): Promise<number> {
  let failed = 0;
  const steps = [
    ['check', 'scripts/check.ts', chosen.length === 0],
    ['build', 'scripts/build.ts', chosen.length === 0 || chosen.some((path) => /(^|\/)e2e(\/|$)/.test(path))],
  ] as const;
  for (const [name, script, isWanted] of steps) {
    if (!isWanted) continue;
    const result = await runStep({ name, command: ['node', script] }, (text) => process.stdout.write(text));
    console.log(lineOf(result));
    if (!result.ok) failed++;
  }
  return failed;
}

async function main(): Promise<void> {
  const chosen = process.argv.slice(2);
  const failed = await prepare(chosen);
  const services = await findServices();
  const skipLines = [...services.missing];
  const postgres = await findPostgres();
  const PGlite: Record<string, string> = { ...services.env, TEST_DB: 'pglite' };
  const run = (withPostgres: boolean, PostgreSQL: Record<string, string>): Promise<JobsResult> =>
    runJobs(testJobs(chosen, withPostgres), {
      envOf: { PGlite, PostgreSQL },
      again: chosen.length === 0,
      print: (line) => console.log(line),
    });
  if (typeof postgres === 'string') {
    skipLines.push(`PostgreSQL: ${postgres}`);
    report(await run(false, {}), false, skipLines, failed);
    return;
  }
  console.log(`PostgreSQL: ${postgres.about}`);
  whenInterrupted(() => postgres.abandon());
  try {
    const result = await withTemplate(postgres.url, (template) => {
      const at = { TEST_DATABASE_URL: postgres.url, TEST_DATABASE_TEMPLATE: template };
      // What PostgreSQL has in full need only be spread on PGlite then (test/helpers/spread.ts).
      PGlite.TEST_SPREAD = '1';
      return run(true, { ...services.env, TEST_DB: 'postgres', ...at });
    });
    report(result, true, skipLines, failed);
  } finally {
    await postgres.stop();
  }
}

/** A run that is interrupted takes its PostgreSQL along. */
function whenInterrupted(abandon: () => void): void {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.once(signal, () => {
      process.exitCode = code;
      try {
        abandon();
      } finally {
        process.exit();
      }
    });
  }
}

function report(
  { records: { PGlite, PostgreSQL }, unsteady }: JobsResult,
  onPostgres: boolean,
  skipLines: readonly string[],
  checksFailed: number,
): void {
  const all = [...PGlite, ...PostgreSQL];
  const ran = new Set(all.filter((r) => r.outcome !== 'skipped').map((r) => r.id));
  // A test of what only one of the databases has is skipped on the other: that is no gap.
  const gaps = new Map(all.filter((r) => r.outcome === 'skipped' && !ran.has(r.id)).map((r) => [r.id, r.reason ?? '']));
  const failed = all.filter((r) => r.outcome === 'failed');
  console.log('');
  for (const line of skipLines) console.log(`SKIPPED: ${line}`);
  for (const [id, reason] of gaps) console.log(`SKIPPED: ${id}: ${reason}`);
  for (const id of unsteady) console.log(`UNSTEADY: ${id}: failed beside other files, passed alone`);
  for (const { id } of failed) console.log(`FAILED: ${id}`);
  console.log(`PGlite: ${passed(PGlite)} tests passed`);
  console.log(`PostgreSQL: ${onPostgres ? `${passed(PostgreSQL)} tests passed` : 'not run'}`);
  const skipped = gaps.size + (onPostgres ? 0 : 1);
  // Data that is too large for the repository is the one thing that even the gate does not insist on.
  const needed = [...gaps.values()].filter((reason) => !reason.startsWith('optional: ')).length;
  const refused = REQUIRE_ALL ? needed + skipLines.length : 0;
  if (refused > 0) console.log('TEST_REQUIRE=all: what was skipped is a failure.');
  console.log(`in ${elapsed()} s`);
  const counts = [`${passed(all)} passed`, `${failed.length + checksFailed} failed`, `${skipped} skipped`];
  if (unsteady.length > 0) counts.push(`${unsteady.length} unsteady`);
  console.log(counts.join(', '));
  process.exitCode = failed.length + checksFailed + refused > 0 ? 1 : 0;
}

await main();
