import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { monotonicNow } from '../../lib/clock.ts';
import { createLog } from '../log/log.ts';
import { type Loop, type RunningLoop, runLoop } from './loop.ts';

const silent = createLog('silent');
const FOREVER_MS = 2 ** 31 - 1;

/** A loop whose every step waits for the test: `next()` resolves when a step has begun, with what ends it. */
class Stepped {
  readonly #begun: { polled: boolean; end: (more: boolean) => void; fail: (error: Error) => void }[] = [];
  #waiting: (() => void) | undefined;
  wake: () => void = () => undefined;
  readonly running: RunningLoop;
  steps = 0;

  constructor(more: Partial<Loop> = {}, log = silent, now = monotonicNow) {
    this.running = runLoop(
      {
        name: 'test',
        everyMs: FOREVER_MS,
        attach: (wake) => (this.wake = wake),
        step: (polled) =>
          new Promise((end, fail) => {
            this.steps++;
            this.#begun.push({ polled, end, fail });
            this.#waiting?.();
          }),
        ...more,
      },
      log,
      now,
    );
  }
  async next() {
    if (this.#begun.length === 0) await new Promise<void>((done) => (this.#waiting = done));
    return this.#begun.shift() as { polled: boolean; end: (more: boolean) => void; fail: (error: Error) => void };
  }
}

/** Lets everything that is ready run. */
const settle = (): Promise<void> => new Promise((done) => setImmediate(done));

describe('a loop', () => {
  test('steps again at once while there is more, and then waits', async () => {
    const loop = new Stepped();
    (await loop.next()).end(true);
    (await loop.next()).end(true);
    (await loop.next()).end(false);
    await settle();
    assert.equal(loop.steps, 3);
    await loop.running.stop();
  });

  test('is woken out of its wait', async () => {
    const loop = new Stepped();
    (await loop.next()).end(false);
    await settle();
    loop.wake();
    (await loop.next()).end(false);
    await loop.running.stop();
    assert.equal(loop.steps, 2);
  });

  test('does not lose a wake-up during a step', async () => {
    const loop = new Stepped();
    const step = await loop.next();
    loop.wake();
    step.end(false);
    (await loop.next()).end(false);
    await loop.running.stop();
    assert.equal(loop.steps, 2);
  });

  test('takes many wake-ups as one', async () => {
    const loop = new Stepped();
    const step = await loop.next();
    for (let i = 0; i < 10; i++) loop.wake();
    step.end(false);
    (await loop.next()).end(false);
    await settle();
    assert.equal(loop.steps, 2);
    await loop.running.stop();
  });

  test('never runs two steps at once', async () => {
    const loop = new Stepped({ everyMs: 1 });
    const step = await loop.next();
    for (let i = 0; i < 5; i++) {
      loop.wake();
      await settle();
    }
    assert.equal(loop.steps, 1);
    const stopped = loop.running.stop();
    step.end(true);
    await stopped;
  });
});

describe('polled', () => {
  test('is told at the start and after a whole wait, not after a wake-up', async () => {
    const seen: boolean[] = [];
    const loop = new Stepped({ everyMs: 5 });
    const first = await loop.next();
    seen.push(first.polled);
    loop.wake();
    first.end(false);
    const second = await loop.next();
    seen.push(second.polled);
    second.end(true);
    const third = await loop.next();
    seen.push(third.polled);
    third.end(false);
    const fourth = await loop.next();
    seen.push(fourth.polled);
    const stopped = loop.running.stop();
    fourth.end(false);
    await stopped;
    assert.deepEqual(seen, [true, false, false, true]);
  });
});

describe('a step that fails', () => {
  test('is in the log with the name of the loop, and is tried again', async () => {
    const lines: string[] = [];
    const loop = new Stepped({}, createLog('error', { write: (line: string) => void lines.push(line) }));
    (await loop.next()).fail(new Error('the database is away'));
    const again = await loop.next();
    assert.equal(again.polled, true);
    const stopped = loop.running.stop();
    again.end(false);
    await stopped;
    assert.match(lines[0] ?? '', /"loop":"test"/);
    assert.match(lines[0] ?? '', /the database is away/);
  });

  test('again is not told each time, and what works again is', async () => {
    const lines: string[] = [];
    let now = 0;
    const log = createLog('info', { write: (line: string) => void lines.push(line) });
    const loop = new Stepped({}, log, () => now);
    (await loop.next()).fail(new Error('the database is away'));
    (await loop.next()).fail(new Error('the database is away'));
    const works = await loop.next();
    now = 7000;
    works.end(false);
    await settle();
    await loop.running.stop();
    assert.equal(lines.length, 2, lines.join(''));
    assert.match(lines[1] ?? '', /"level":"info".*"loop":"test","failures":2,"forMs":7000,.*works again/);
  });
});

describe('stop', () => {
  test('waits for the step under way, and there is no further one', async () => {
    const loop = new Stepped();
    const step = await loop.next();
    let stopped = false;
    const stopping = loop.running.stop().then(() => (stopped = true));
    await settle();
    assert.equal(stopped, false);
    step.end(true);
    await stopping;
    await settle();
    assert.equal(loop.steps, 1);
  });

  test('says of a step that fails then that the shutdown broke it off, and not that it is tried again', async () => {
    const lines: string[] = [];
    const loop = new Stepped({}, createLog('warn', { write: (line: string) => void lines.push(line) }));
    const step = await loop.next();
    const stopped = loop.running.stop();
    step.fail(new Error('the database is closed'));
    await stopped;
    assert.equal(loop.steps, 1);
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /"level":"warn".*"loop":"test".*broke off/);
  });

  test('ends a wait at once', async () => {
    const loop = new Stepped();
    (await loop.next()).end(false);
    await settle();
    await loop.running.stop();
    loop.wake();
    await settle();
    assert.equal(loop.steps, 1);
  });
});
