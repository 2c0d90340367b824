import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
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

test('one that a killed program left behind is taken away, once', async () => {
  const file = join(folder, 'left');
  writeFileSync(`${file}.lock`, '');
  const longAgo = systemClock.now() / 1000 - 60;
  utimesSync(`${file}.lock`, longAgo, longAgo);
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
