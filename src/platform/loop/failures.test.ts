import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../log/log.ts';
import { LoopFailures } from './failures.ts';

const away = (): Error => Object.assign(new Error('the database is away'), { code: 'ECONNREFUSED' });

/** Failures of a loop with the clock in the test's hand (milliseconds), and what was logged since `lines` was asked last. */
function watched() {
  const clock = { now: 0 };
  let written: Record<string, unknown>[] = [];
  const log = createLog('info', { write: (line: string) => void written.push(JSON.parse(line)) });
  const lines = (): unknown[] => {
    const told = written.map(({ level, loop, err, untold, failures, forMs }) => {
      assert.equal(loop, 'test');
      return level === 'info'
        ? { failures, forMs }
        : [(err as Error).message, ...(untold === undefined ? [] : [untold])];
    });
    written = [];
    return told;
  };
  return { clock, lines, failures: new LoopFailures('test', log, () => clock.now) };
}

test('the first failure is told, the same one again once a minute with how often, and when the loop works again', () => {
  const { clock, lines, failures } = watched();
  failures.failed(away());
  assert.deepEqual(lines(), [['the database is away']]);
  for (let i = 0; i < 5; i++) {
    clock.now += 10_000;
    failures.failed(away());
  }
  assert.deepEqual(lines(), []);
  clock.now += 10_000;
  failures.failed(away());
  assert.deepEqual(lines(), [['the database is away', 5]]);
  clock.now += 10_000;
  failures.failed(away());
  assert.deepEqual(lines(), []);
  clock.now += 5000;
  failures.worked();
  assert.deepEqual(lines(), [{ failures: 8, forMs: 75_000 }]);
  failures.worked();
  assert.deepEqual(lines(), []);
});

test('another error is told at once, also where two come in turn', () => {
  const { clock, lines, failures } = watched();
  const errors = [
    away(),
    new Error('the connection was ended'),
    Object.assign(new Error('no'), { code: '57P03' }),
    'text',
  ];
  for (const error of errors) failures.failed(error);
  assert.equal(lines().length, 4);
  for (let i = 0; i < 3; i++) for (const error of errors) failures.failed(error);
  assert.deepEqual(lines(), []);
  clock.now += 60_000;
  failures.failed(away());
  assert.deepEqual(lines(), [['the database is away', 3]]);
});

test('a loop that fails and works in turn has no more lines than one that only fails', () => {
  const { clock, lines, failures } = watched();
  for (let i = 0; i < 60; i++) {
    failures.failed(away());
    clock.now += 500;
    failures.worked();
    clock.now += 500;
  }
  assert.deepEqual(lines(), [['the database is away'], { failures: 1, forMs: 500 }]);
  failures.failed(away());
  failures.worked();
  assert.deepEqual(lines(), [['the database is away', 59], { failures: 1, forMs: 0 }]);
});

test('a failure long after is the first one again, and of errors that are all different few are remembered', () => {
  const { clock, lines, failures } = watched();
  failures.failed(away());
  failures.worked();
  clock.now += 60_000;
  failures.failed(away());
  assert.deepEqual(lines(), [['the database is away'], { failures: 1, forMs: 0 }, ['the database is away']]);
  for (let i = 0; i < 100; i++) failures.failed(new Error(`no ${i}`));
  assert.equal(lines().length, 100);
  failures.failed(away());
  assert.equal(lines().length, 1, 'it was forgotten');
});
