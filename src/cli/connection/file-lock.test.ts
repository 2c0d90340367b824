import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { after, test } from 'node:test';
import { systemClock } from '../../lib/clock.ts';
import { exclusively } from './file-lock.ts';

const folder = mkdtempSync(join(tmpdir(), 'posthorn-lock-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('what reads and writes back loses nothing of what others do', async () => {
  let count = 0;
  const add = async (): Promise<void> => {
    const before = count;
    await turn();
    count = before + 1;
  };
  await Promise.all(Array.from({ length: 20 }, () => exclusively(join(folder, 'counted'), add)));
  assert.equal(count, 20);
});

test('a failure sets it free', async () => {
  const file = join(folder, 'failed');
  await assert.rejects(
    exclusively(file, () => Promise.reject(new Error('x'))),
    /x/,
  );
  assert.equal(existsSync(`${file}.lock`), false);
});

/** A program that has ended, and nobody has its number yet. */
const gone = (): string => `${hostname()} ${spawnSync(process.execPath, ['--version']).pid} x`;
const MINUTE_AGO = systemClock.now() / 1000 - 60;

for (const [who, owner, at] of [
  ['killed program', gone(), null],
  ['program that had the number of this one', `${hostname()} ${process.pid} x`, null],
  ['program of another machine, long ago', 'elsewhere 1 x', MINUTE_AGO],
  ['program of a version that wrote nothing into it, long ago', '', MINUTE_AGO],
] as const)
  test(`one that a ${who} left behind is taken away, once`, async () => {
    const file = join(folder, `left ${who}`);
    writeFileSync(`${file}.lock`, owner);
    if (at !== null) utimesSync(`${file}.lock`, at, at);
    let running = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 5 }, () =>
        exclusively(file, async () => {
          most = Math.max(most, ++running);
          await turn();
          running--;
        }),
      ),
    );
    assert.equal(most, 1);
  });

test('one of a program that was suspended stays, however old', async () => {
  const file = join(folder, 'suspended');
  let taken = false;
  const first = exclusively(file, async () => {
    utimesSync(`${file}.lock`, MINUTE_AGO, MINUTE_AGO);
    const second = exclusively(file, async () => void (taken = true));
    await wait(200);
    assert.equal(taken, false);
    return { second };
  });
  await (await first).second;
  assert.equal(taken, true);
});

test('whose lock was taken away leaves that of the next one', async () => {
  const file = join(folder, 'of the next');
  await exclusively(file, async () => writeFileSync(`${file}.lock`, 'elsewhere 1 x'));
  assert.equal(readFileSync(`${file}.lock`, 'utf8'), 'elsewhere 1 x');
});
