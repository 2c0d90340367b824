import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followVersion } from './follow-version.ts';

/** A database with a version, whose answers wait until they are let through. */
function source() {
  const state = { version: 1, now: 0, reads: 0, changes: [] as number[], cached: '', failing: false };
  let gate: Promise<void> = Promise.resolve();
  const follower = followVersion({
    monotonic: () => state.now,
    async read() {
      state.reads++;
      const { version } = state;
      await gate;
      if (state.failing) throw new Error('away');
      return version;
    },
    async changedSince(version) {
      state.changes.push(version);
      return () => (state.cached = `after ${version}`);
    },
  });
  const hold = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    return () => {
      gate = Promise.resolve();
      resolve();
    };
  };
  return { state, follower, hold };
}

const settle = (): Promise<void> => new Promise((done) => setImmediate(done));

test('the version is read at first, then not before it is old or doubted', async () => {
  const { state, follower } = source();
  assert.equal(follower.version(), null);
  await follower.confirm();
  await follower.confirm();
  assert.deepEqual([state.reads, follower.version(), state.changes], [1, 1, []]);
  state.now = 2500;
  await follower.confirm();
  assert.equal(state.reads, 1);
  state.now = 2501;
  await follower.confirm();
  await settle();
  assert.equal(state.reads, 2, 'renewed in the background');
  state.version = 4;
  follower.doubt();
  await follower.confirm();
  assert.deepEqual([follower.version(), state.changes, state.cached], [4, [1], 'after 1']);
});

test('a lost announcement is noticed after 5 s', async () => {
  const { state, follower } = source();
  await follower.confirm();
  state.version = 2;
  state.now = 5001;
  await follower.confirm();
  assert.equal(follower.version(), 2);
});

test('a read that began before the doubt does not settle it', async () => {
  const { state, follower, hold } = source();
  await follower.confirm();
  state.now = 3000;
  const letThrough = hold();
  follower.keepFresh();
  assert.equal(state.reads, 2);
  state.version = 2;
  follower.doubt();
  const confirmed = follower.confirm();
  letThrough();
  await confirmed;
  assert.equal(follower.version(), 2);
});

test('a failure is the answer of those who wait, and is tried again by the next', async () => {
  const { state, follower } = source();
  await follower.confirm();
  state.failing = true;
  follower.doubt();
  await assert.rejects(follower.confirm(), /away/);
  state.failing = false;
  await follower.confirm();
});

test('many who wait share one read', async () => {
  const { state, follower } = source();
  await Promise.all(Array.from({ length: 50 }, () => follower.confirm()));
  assert.ok(state.reads <= 2, `${state.reads} reads`);
});
