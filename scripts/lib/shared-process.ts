import { describe, mock, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { undoAll } from '../../test/helpers/cleanup.ts';
import { END_OF_FILE } from './test-reporter.ts';

/**
 * A process for one test file after the other: it imports each that it is told, waits for its tests, undoes what they made, and
 * says so. What the files share is loaded once.
 */
const environment = { ...process.env };

/** As it was before the file: what it set is not for the next one. */
function restore(): void {
  mock.reset();
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  process.exitCode = undefined;
}

/** A file is a suite: its hooks are its own, and not those of the files that come after. */
async function runFile(path: string): Promise<void> {
  const loaded = Promise.withResolvers<void>();
  void describe(path, async () => {
    await import(pathToFileURL(path).href).then(() => loaded.resolve(), loaded.reject);
  });
  await loaded.promise;
  // Suites and tests of the root run one after the other. A turn more for what its last test has left behind.
  await test(END_OF_FILE, async () => {
    await turn();
    await undoAll();
  });
}

async function take(path: string): Promise<void> {
  const notLoaded = await runFile(path).then(
    () => null,
    (error: unknown) => (error instanceof Error ? (error.stack ?? String(error)) : String(error)),
  );
  // Errors that come when their test has ended, or in a hook, are none of its tests' failures: node:test only sets the code.
  const late = process.exitCode ? 'an error outside of its tests' : null;
  restore();
  process.send?.({ fault: notLoaded ?? late, isWhole: notLoaded === null, bytes: process.memoryUsage.rss() });
}

process.on('message', (path: string) => void take(path));
