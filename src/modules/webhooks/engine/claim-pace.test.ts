import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClaimPace } from './claim-pace.ts';

/** A claim takes 10 ms; meanwhile, and while time passes, so many first outcomes are written per millisecond. */
function paced() {
  const state = { now: 0, outcomes: 0, perMs: 0, claims: 0, more: true };
  const pass = (ms: number): void => {
    state.now += ms;
    state.outcomes += ms * state.perMs;
  };
  const pace = new ClaimPace(
    () => state.outcomes,
    () => state.now,
  );
  const step = () =>
    pace.step(async () => {
      pass(10);
      state.claims++;
      return state.more;
    });
  return { state, pass, step };
}

test('with little that is new, claims follow each other at once', async () => {
  const { state, step } = paced();
  state.perMs = 0.9;
  for (let i = 0; i < 10; i++) assert.equal(await step(), true);
  state.more = false;
  assert.equal(await step(), false, 'nothing more is due');
});

test('while first attempts flow, a claim is followed by a rest of twelve times its length, and then by the next', async () => {
  const { state, pass, step } = paced();
  state.perMs = 5;
  for (let ms = 0; ms < 6000; ms++) {
    await step();
    pass(1);
  }
  assert.ok(state.claims >= 44 && state.claims <= 54, `${state.claims} claims of 10 ms in 6.5 s`);
  state.perMs = 0;
  pass(1000);
  await step();
  pass(1000);
  const before = state.claims;
  for (let i = 0; i < 5; i++) assert.equal(await step(), true);
  assert.equal(state.claims, before + 5, 'when nothing new comes any more it does not rest');
});

test('many outcomes over a long time are no flow', async () => {
  const { state, pass, step } = paced();
  state.perMs = 0.5;
  pass(10_000);
  assert.equal(await step(), true);
});
