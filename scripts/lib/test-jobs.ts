import { globSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { needsDatabase } from './needs-database.ts';
import { ROOT } from './step.ts';

export type TestDatabase = 'PGlite' | 'PostgreSQL';

/**
 * `many`: as many as there are cores, and two. `browser`: those in a browser, three at once: two leave a fifth of two cores idle, and
 * beside more each is slow. `system`: tests of the whole system in processes of their own, which look at how long something takes that was
 * killed; two of them leave nearly half of two cores idle, so there are three at once, but nothing else.
 */
export type Company = 'many' | 'browser' | 'system';

const PGLITE: readonly TestDatabase[] = ['PGlite'];
const BOTH: readonly TestDatabase[] = ['PGlite', 'PostgreSQL'];

/** One test file on one database. */
export interface TestJob {
  file: string;
  database: TestDatabase;
  /** How many of its kind run at once. */
  company: Company;
  /** Runs in a process in which others ran before it. */
  shares: boolean;
}

/**
 * What is the same on every database: it is about several workers, which the embedded one cannot have (`dispatch`); it goes on after a
 * kill by statements that the tests of its module try on both, where what a kill leaves of either database is shown by test/kill.test.ts
 * (the other `-kill`); it asks a service only for what that has by its code, or is the side of who asks (the commands and
 * the client, which know nothing of a database; what they ask for is tried on both by the tests of the service). The blocks of the pages start services on
 * the embedded database by themselves; a few of them need PostgreSQL, and the tests of `audit verify` make databases of both kinds. Which targets may be reached follows from addresses, which no database
 * is asked about.
 */
const ONCE: Readonly<Record<string, TestDatabase>> = {
  'src/app/main.test.ts': 'PGlite',
  'src/cli/audit/audit-command.test.ts': 'PostgreSQL',
  'src/cli/breaking-off.test.ts': 'PostgreSQL',
  'src/cli/broken-database.test.ts': 'PGlite',
  'src/cli/completion/completion.test.ts': 'PostgreSQL',
  'src/cli/doctor/doctor.test.ts': 'PostgreSQL',
  'src/cli/events/tail.test.ts': 'PostgreSQL',
  'src/cli/listen/listen.test.ts': 'PostgreSQL',
  'src/cli/main.test.ts': 'PostgreSQL',
  'src/cli/people/admin.test.ts': 'PostgreSQL',
  'src/cli/posts/posts.test.ts': 'PostgreSQL',
  'src/cli/session/session.test.ts': 'PostgreSQL',
  'src/cli/trades/trades.test.ts': 'PostgreSQL',
  'src/cli/transfer/editor.test.ts': 'PostgreSQL',
  'src/cli/transfer/export-command.test.ts': 'PostgreSQL',
  'src/cli/transfer/read-export.test.ts': 'PostgreSQL',
  'src/cli/webhooks/dead-letters.test.ts': 'PostgreSQL',
  'src/cli/webhooks/endpoint-settings.test.ts': 'PostgreSQL',
  'src/cli/webhooks/webhooks.test.ts': 'PostgreSQL',
  'test/cli-docs-run.test.ts': 'PostgreSQL',
  'test/cli-session.test.ts': 'PostgreSQL',
  'test/client.test.ts': 'PostgreSQL',
  'test/dispatch.test.ts': 'PostgreSQL',
  'test/docs/blocks.test.ts': 'PostgreSQL',
  'test/docs/monitoring.test.ts': 'PGlite',
  'test/docs/names.test.ts': 'PGlite',
  'test/docs/nginx-page.test.ts': 'PGlite',
  'test/docs/served.test.ts': 'PGlite',
  'test/image.test.ts': 'PGlite',
  'test/mails-kill.test.ts': 'PostgreSQL',
  'test/site-codings.test.ts': 'PostgreSQL',
  'test/webhooks-jobs-kill.test.ts': 'PostgreSQL',
  'test/webhooks-targets.test.ts': 'PostgreSQL',
};

/** Those that must have their process for themselves, each with what for. */
const ALONE: Readonly<Record<string, string>> = {
  'src/cli/doctor/database/check-replica.test.ts':
    'test/helpers/replica.ts has one primary for as long as its process lives',
  'src/platform/db/replica/replica.test.ts': 'the same',
  'test/replica.test.ts': 'the same',
  'src/platform/db/open.test.ts': 'counts the timers of its process',
  'src/platform/http/validators.test.ts': 'looks through all that its process holds',
  'test/webhooks-hostile-memory.test.ts': 'measures the memory of its process',
};

const canShare = (file: string): boolean => companyOf(file) === 'many' && ALONE[file] === undefined;

/**
 * What took longest when it was last looked at, longest first: begun last, one of them would run on alone while the other
 * cores have nothing to do. The end of each run names what took longest then.
 */
const LONGEST: readonly string[] = [
  'test/cluster/cluster.test.ts',
  'test/kill-cores.test.ts',
  'test/real-posts.test.ts',
  'test/docs/blocks.test.ts',
  'test/webhooks-partitions-kill.test.ts',
  'test/webhooks-kill.test.ts',
  'test/dispatch.test.ts',
  'test/cores-end.test.ts',
  'test/cores.test.ts',
  'src/cli/doctor/doctor.test.ts',
  'test/webhooks-limits-nodes.test.ts',
  'test/trades-kill.test.ts',
  'src/cli/listen/listen.test.ts',
  'test/webhooks-isolation.test.ts',
  'test/counters-storm.test.ts',
  'src/modules/blog/rendering/renderer.test.ts',
  'test/replica.test.ts',
  'test/docs/scripts-page.test.ts',
  'test/webhooks-jobs-kill.test.ts',
  'test/operations/statuses.test.ts',
  'test/operations/limits.test.ts',
  'test/operations/roles.test.ts',
  'test/operations/tenancy.test.ts',
  'test/mails-kill.test.ts',
  'test/trades-any-order.test.ts',
  'test/webhooks-model.test.ts',
  'test/site-sitemap.test.ts',
  'test/pooler.test.ts',
  'test/webhooks-recovery.test.ts',
  'test/cli-docs-run.test.ts',
  'test/cli-session.test.ts',
  'test/receiver-kit.test.ts',
  'test/webhooks-hostile.test.ts',
  'test/client-package.test.ts',
  'e2e/dashboard-account-pages.test.ts',
  'e2e/dashboard-edges.test.ts',
  'e2e/dashboard-accounts.test.ts',
  'e2e/docs-page.test.ts',
  'e2e/dashboard-dialogs.test.ts',
  'e2e/dashboard-pages.test.ts',
  'e2e/site.test.ts',
  'e2e/dashboard-operators.test.ts',
];

/** Those of e2e/ that start no browser, which shows the same on every database. */
const WITHOUT_BROWSER = new Set(['e2e/operations.test.ts', 'e2e/process.test.ts']);
const inBrowser = (file: string): boolean => file.startsWith('e2e/') && !WITHOUT_BROWSER.has(file);

const companyOf = (file: string): Company => {
  if (/^(test\/kill|test\/cluster\/|e2e\/process)/.test(file)) return 'system';
  return inBrowser(file) ? 'browser' : 'many';
};

const rank = (file: string): number => {
  const at = LONGEST.indexOf(file);
  return at < 0 ? LONGEST.length : at;
};

const TESTS = '**/*.test.ts';

/** The file, or the tests in the folder, as seen from the root. */
function filesOf(chosen: string): string[] {
  const found = statSync(chosen, { throwIfNoEntry: false });
  if (!found) throw new Error(`there is no ${chosen}`);
  const files = found.isDirectory() ? globSync(TESTS, { cwd: chosen }).map((file) => join(chosen, file)) : [chosen];
  return files.map((file) => relative(ROOT, resolve(file)));
}

/**
 * What is to be run, in the order in which it is begun. With PostgreSQL, what reaches the database of the run and needs no
 * browser runs on both; the rest would do the same again. A file on PGlite computes and one on PostgreSQL waits: they take turns.
 *
 * @param chosen only these files, or all of these folders; all of them when it is empty. Throws for one that is not there.
 */
export function testJobs(chosen: readonly string[], withPostgres: boolean): TestJob[] {
  const files =
    chosen.length > 0
      ? chosen.flatMap(filesOf)
      : globSync(`{client/src,dashboard/src,src,test,e2e}/${TESTS}`, { cwd: ROOT });
  return [...new Set(files)]
    .toSorted()
    .toSorted((a, b) => rank(a) - rank(b))
    .flatMap((file) => {
      const job = { file, company: companyOf(file), shares: canShare(file) };
      const databases = withPostgres && !inBrowser(file) && needsDatabase(file) ? BOTH : PGLITE;
      const once = withPostgres ? ONCE[file] : undefined;
      return (once === undefined ? databases : [once]).map((database) => ({ ...job, database }));
    });
}
