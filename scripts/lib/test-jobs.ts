import { globSync } from 'node:fs';
import { needsDatabase } from './needs-database.ts';
import { ROOT } from './step.ts';

export type TestDatabase = 'PGlite' | 'PostgreSQL';

/**
 * `many`: as many as there are cores, and one. `two`: those in a browser, which wait for it most of the time, but are slow beside
 * more. `none`: tests of the whole system in processes of their own, since they load the machine and take its time.
 */
export type Company = 'many' | 'two' | 'none';

/** One test file on one database. */
export interface TestJob {
  file: string;
  database: TestDatabase;
  /** How many of its kind run at once. */
  company: Company;
}

/**
 * What took longest when it was last looked at, longest first: begun last, one of them would run on alone while the other
 * cores have nothing to do. The end of each run names what took longest then.
 */
const LONGEST: readonly string[] = [
  'src/cli/transfer/import-real-posts.test.ts',
  'test/real-posts.test.ts',
  'test/trades-kill.test.ts',
  'test/webhooks-isolation.test.ts',
  'test/webhooks-jobs-kill.test.ts',
  'test/operations/statuses.test.ts',
  'test/operations/limits.test.ts',
  'test/operations/roles.test.ts',
  'test/operations/tenancy.test.ts',
  'test/counters-storm.test.ts',
  'test/webhooks-kill.test.ts',
  'test/mails-kill.test.ts',
  'test/trades-any-order.test.ts',
  'test/webhooks-model.test.ts',
  'test/docs/blocks.test.ts',
  'test/receiver-kit.test.ts',
  'test/webhooks-hostile.test.ts',
  'test/client-package.test.ts',
];

/** A browser shows the same on every database. */
const inBrowser = (file: string): boolean => file.startsWith('e2e/') && !file.startsWith('e2e/process');

const companyOf = (file: string): Company => {
  if (file.startsWith('test/kill') || file.startsWith('e2e/process')) return 'none';
  return inBrowser(file) ? 'two' : 'many';
};

const rank = (file: string): number => {
  const at = LONGEST.indexOf(file);
  return at < 0 ? LONGEST.length : at;
};

/**
 * What is to be run, in the order in which it is begun. With PostgreSQL, what reaches the database of the run and needs no
 * browser runs on both; the rest would do the same again. A file on PGlite computes and one on PostgreSQL waits: they take turns.
 *
 * @param chosen only these files; all of them when it is empty
 */
export function testJobs(chosen: readonly string[], withPostgres: boolean): TestJob[] {
  const patterns = '{client/src,dashboard/src,src,test,e2e}/**/*.test.ts';
  const files = (chosen.length > 0 ? [...chosen] : globSync(patterns, { cwd: ROOT })).toSorted();
  return files
    .toSorted((a, b) => rank(a) - rank(b))
    .flatMap((file) => {
      const job = { file, company: companyOf(file) };
      const onPglite: TestJob = { ...job, database: 'PGlite' };
      const onBoth = withPostgres && !inBrowser(file) && needsDatabase(file);
      return onBoth ? [onPglite, { ...job, database: 'PostgreSQL' }] : [onPglite];
    });
}
