import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { Announcer } from './announcer.ts';

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
afterEach(() => mock.timers.reset());

/** An announcer that knows how many nodes share the reading, and how often it has told them. */
async function announcer(countHolders: () => Promise<number>) {
  let [told, now] = [0, 0];
  const it = new Announcer({ announce: () => told++, countHolders, now: () => now });
  const pass = (ms: number): void => {
    now += ms;
    mock.timers.tick(ms);
  };
  it.appended();
  assert.equal(told, 1, 'of the first at once');
  await new Promise(setImmediate);
  pass(1000);
  return { it, pass, told: () => told };
}

test('one node that reads is told of every commit at once', async () => {
  const { it, told } = await announcer(async () => 1);
  for (let i = 0; i < 5; i++) it.appended();
  assert.equal(told(), 6);
});

test('eight are told of the first at once and of those in the pause after it once, at its end', async () => {
  const { it, pass, told } = await announcer(async () => 8);
  for (let i = 0; i < 5; i++) it.appended();
  assert.equal(told(), 2);
  pass(79);
  it.appended();
  assert.equal(told(), 2);
  pass(1);
  assert.equal(told(), 3);
  pass(1000);
  assert.equal(told(), 3, 'nothing was committed since');
});

test('no pause is longer than a tenth of a second, and their number is asked anew', async () => {
  let holders = 64;
  const { it, pass, told } = await announcer(async () => holders);
  it.appended();
  it.appended();
  pass(100);
  assert.equal(told(), 3);
  holders = 1;
  pass(10_000);
  it.appended();
  await new Promise(setImmediate);
  it.appended();
  it.appended();
  assert.equal(told(), 6);
});

test('what waits is told when the process stops, and nothing where nothing waits', async () => {
  const { it, pass, told } = await announcer(async () => 8);
  it.flush();
  assert.equal(told(), 1);
  it.appended();
  it.appended();
  assert.equal(told(), 2);
  it.flush();
  assert.equal(told(), 3);
  pass(1000);
  assert.equal(told(), 3);
});

test('while it cannot be asked how many there are it goes by the last answer', async () => {
  let isAway = false;
  const { it, pass, told } = await announcer(async () => {
    if (isAway) throw new Error('away');
    return 8;
  });
  isAway = true;
  pass(10_000);
  it.appended();
  await new Promise(setImmediate);
  it.appended();
  assert.equal(told(), 2);
  pass(80);
  assert.equal(told(), 3);
});
