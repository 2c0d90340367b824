import { lockDataDir } from '../../src/platform/db/data-dir-lock.ts';

/** A process that takes the data folder of its argument and holds it until it is killed. Says how it went in one line. */
try {
  await lockDataDir(process.argv[2] ?? '');
  process.stdout.write('held\n');
  setInterval(() => undefined, 2 ** 30);
} catch (error) {
  process.stdout.write(`${(error as Error).name}: ${(error as Error).message}\n`);
}
