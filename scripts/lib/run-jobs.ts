import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { monotonicNow } from '../../src/lib/clock.ts';
import { type FileResult, runTestFile } from './run-test-file.ts';
import { ROOT } from './step.ts';
import type { TestDatabase, TestJob } from './test-jobs.ts';
import { TestProcess } from './test-process.ts';
import type { TestRecord } from './test-reporter.ts';

/** Compiled code of all the test processes: without it each of them strips the types of everything again. */
const COMPILE_CACHE = join(ROOT, 'node_modules/.cache/compile');
/** Two more than there are cores: most files wait for something now and then. */
const AT_ONCE = Math.max(2, availableParallelism()) + 2;
/** So many of the files that took longest are named after a run: where to look when the whole takes too long. */
const SLOWEST = 16;
/** So many files with a failure are run again alone, of some seven hundred; when there are more, it was not the company. A machine that was ten times as slow as on other days had four. */
const MOST_AGAIN = 6;

/** Those in which files run one after the other: one for each database, since what is loaded knows which it is. */
type Processes = Partial<Record<TestDatabase, TestProcess>>;
type Ended = [job: TestJob, result: FileResult];

export interface JobsOptions {
  /** The environment of each database's tests, in addition to that of this process. */
  envOf: Record<TestDatabase, Record<string, string>>;
  /** Whether the few files with a failure are run again, alone. */
  again: boolean;
  /** For people. */
  print: (line: string) => void;
}

export interface JobsResult {
  records: Record<TestDatabase, TestRecord[]>;
  /** Tests that failed beside other files and passed when theirs ran alone. */
  unsteady: readonly string[];
}

const hasFailed = (r: TestRecord): boolean => r.outcome === 'failed';
const failuresOf = (result: FileResult): string[] => result.records.filter(hasFailed).map((r) => r.id);

/**
 * Runs the jobs in their order, many at once, then three in browsers, then three of the whole system. Failures are printed as files end. What is
 * to be seen within some seconds may not be seen where other files take the machine's time: a file with a failure gets a second
 * look alone. What fails again has failed; what passes is named as unsteady, with what it printed the first time.
 */
export async function runJobs(jobs: readonly TestJob[], { envOf, again, print }: JobsOptions): Promise<JobsResult> {
  const scratch = await mkdtemp(join(tmpdir(), 'posthorn-tests-'));
  const ended: Ended[] = [];

  const runIn = async (job: TestJob, processes: Processes | null): Promise<FileResult> => {
    const folder = await mkdtemp(join(scratch, 'file-'));
    const env = { NODE_COMPILE_CACHE: COMPILE_CACHE, ...envOf[job.database] };
    const options = { env, folder };
    const isAlone = !job.shares || processes === null;
    const result = isAlone
      ? await runTestFile({ file: job.file, ...options })
      : await (processes[job.database] ??= new TestProcess(options)).run(job.file);
    if (result.text !== '') print(result.text);
    return result;
  };
  const runAll = async (those: readonly TestJob[], atOnce: number): Promise<void> => {
    const waiting = [...those];
    const runNext = async (): Promise<void> => {
      const processes: Processes = {};
      for (let job = waiting.shift(); job; job = waiting.shift()) ended.push([job, await runIn(job, processes)]);
      for (const shared of Object.values(processes)) shared.close();
    };
    await Promise.all(Array.from({ length: atOnce }, runNext));
  };
  const lookAgain = async (): Promise<string[]> => {
    const failed = ended.filter(([, result]) => result.records.some(hasFailed));
    if (!again || failed.length > MOST_AGAIN) return [];
    const unsteady: string[] = [];
    for (const one of failed) {
      const [job, first] = one;
      print(`again, alone: ${job.file} on ${job.database}`);
      const second = await runIn(job, null);
      if (second.records.some(hasFailed)) continue;
      unsteady.push(...failuresOf(first));
      one[1] = second;
    }
    return unsteady;
  };

  try {
    for (const [company, atOnce] of [
      ['many', AT_ONCE],
      ['browser', 3],
      ['system', 3],
    ] as const) {
      const those = jobs.filter((job) => job.company === company);
      const began = monotonicNow();
      await runAll(those, atOnce);
      const seconds = (monotonicNow() - began) / 1000;
      if (those.length > 0) print(`${those.length} files, at once ${atOnce}: ended in ${seconds.toFixed(0)} s`);
    }
    const unsteady = await lookAgain();
    const slowest = ended.toSorted(([, a], [, b]) => b.seconds - a.seconds).slice(0, SLOWEST);
    const times = slowest.map(([{ file, database }, { seconds }]) => `${file} on ${database} ${seconds.toFixed(0)} s`);
    if (ended.length > SLOWEST) print(`slowest: ${times.join(', ')}`);
    const recordsOf = (database: TestDatabase): TestRecord[] =>
      ended.filter(([job]) => job.database === database).flatMap(([, result]) => result.records);
    return { records: { PGlite: recordsOf('PGlite'), PostgreSQL: recordsOf('PostgreSQL') }, unsteady };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
