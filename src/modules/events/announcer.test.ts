import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Announcer } from './announcer.ts';

/** An announcer that knows how many nodes read, and how often it has told them. */
async function announcer(countNodes: () => Promise<number>): Promise<{ it: Announcer; told: () => number }> {
  let told = 0;
  const it = new Announcer({ announce: () => told++, countNodes });
  it.appended();
  assert.equal(told, 1, 'of the first at once');
  await pause(150);
  return { it, told: () => told };
}

test('one node that reads is told of every commit at once', async () => {
  const { it, told } = await announcer(async () => 1);
  for (let i = 0; i < 5; i++) it.appended();
  assert.equal(told(), 6);
});

test('eight are told of the first at once and of those in the pause after it once, at its end', async () => {
  const { it, told } = await announcer(async () => 8);
  for (let i = 0; i < 5; i++) it.appended();
  assert.equal(told(), 2);
  await pause(20);
  it.appended();
  assert.equal(told(), 2);
  await pause(150);
  assert.equal(told(), 3);
  await pause(150);
  assert.equal(told(), 3, 'nothing was committed since');
});

test('what waits is told when the process stops, and only then', async () => {
  const { it, told } = await announcer(async () => 8);
  it.flush();
  assert.equal(told(), 1, 'nothing waited');
  it.appended();
  it.appended();
  assert.equal(told(), 2);
  it.flush();
  assert.equal(told(), 3);
  await pause(150);
  assert.equal(told(), 3);
});

test('a database that cannot be asked how many there are changes nothing', async () => {
  const { it, told } = await announcer(() => Promise.reject(new Error('away')));
  it.appended();
  it.appended();
  assert.equal(told(), 3);
});
