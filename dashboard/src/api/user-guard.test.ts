import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { UserGuard } from './user-guard.ts';

/** A guard of a page that shows Ann; `signedIn` is whose cookie the browser has. */
async function opened() {
  const guard = new UserGuard();
  const world = { signedIn: 'ann', isDown: false, asked: 0, left: 0 };
  guard.start(
    () => {
      world.asked++;
      return world.isDown ? Promise.reject(new Error('down')) : Promise.resolve(world.signedIn);
    },
    () => void world.left++,
  );
  await guard.saw('ann');
  return { guard, world };
}

const isWaiting = (promise: Promise<void>): Promise<boolean> =>
  Promise.race([promise.then(() => false), new Promise<boolean>((done) => setImmediate(() => done(true)))]);

describe('who is shown is who writes', () => {
  test('a change is sent without asking as long as only this window is in use', async () => {
    const { guard, world } = await opened();
    await guard.beforeChange();
    assert.equal(world.asked, 0);
    guard.lookAway();
    await Promise.all([guard.beforeChange(), guard.beforeChange()]);
    assert.equal(world.asked, 1);
    await guard.beforeChange();
    assert.equal(world.asked, 2, 'another window is in use all the time');
    await guard.lookHere();
    await guard.beforeChange();
    assert.deepEqual([world.asked, world.left], [3, 0]);
  });

  test('nothing is sent as another: the page goes', async () => {
    const { guard, world } = await opened();
    guard.lookAway();
    world.signedIn = 'bob';
    assert.ok(await isWaiting(guard.beforeChange()));
    assert.equal(world.left, 1);
  });

  test('another is found out by whatever asks who it is, and shown after a sign-in only', async () => {
    const { guard, world } = await opened();
    assert.ok(await isWaiting(guard.saw('bob')));
    assert.equal(world.left, 1);
    guard.forget();
    await guard.saw('bob');
    assert.equal(world.left, 1);
  });

  test('while somebody signs in nothing else is sent, and afterwards only in the name of who is shown', async () => {
    const { guard, world } = await opened();
    let answer = (): void => undefined;
    const signedIn = guard.during(async () => {
      await new Promise<void>((done) => (answer = done));
      await guard.saw('ann');
    });
    const change = guard.beforeChange();
    assert.ok(await isWaiting(change));
    answer();
    await Promise.all([signedIn, change]);
    assert.equal(world.asked, 0, 'the sign-in said who it is');

    const failed = guard.during(() => Promise.reject(new Error('refused')));
    const next = guard.beforeChange();
    await assert.rejects(failed);
    await next;
    assert.equal(world.asked, 1, 'it may have been somebody else');

    void guard.during(() => guard.saw('bob'));
    assert.ok(await isWaiting(guard.beforeChange()));
    assert.equal(world.left, 1);
  });

  test('nothing is sent where it cannot be found out, and it is asked again; who is not signed in is not asked for', async () => {
    const { guard, world } = await opened();
    guard.lookAway();
    world.isDown = true;
    await assert.rejects(guard.beforeChange());
    await guard.lookHere();
    assert.deepEqual([world.asked, world.left], [2, 0]);
    world.isDown = false;
    await guard.beforeChange();
    assert.equal(world.asked, 3);
    guard.forget();
    await guard.beforeChange();
    assert.equal(world.asked, 3);
  });
});
