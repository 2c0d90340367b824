import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Copy, OFFLINE_MS, REST_MS } from './draft-keeper.ts';
import { fieldsOf } from './fields.ts';
import { place, POST } from './fixtures.ts';

describe('a draft', () => {
  test('is saved once typing rests: what changed, on top of the version that it had', async () => {
    const { here, keeper, pass, keptBodies } = place();
    keeper.change({ body: 'more' });
    keeper.change({ body: 'more text' });
    assert.equal(keeper.snapshot().state.kind, 'dirty');
    assert.deepEqual(keptBodies(), ['more text']);
    await pass(REST_MS);
    assert.deepEqual(here.saves, [{ body: 'more text' }]);
    assert.deepEqual(keeper.snapshot().state, { kind: 'saved', at: 1000 });
    assert.equal(keeper.snapshot().post.version, 2);
    assert.deepEqual(here.kept, []);
  });

  test('what is written during a save is saved after it', async () => {
    const { here, keeper, pass } = place();
    keeper.change({ body: 'one' });
    here.during = () => {
      here.during = () => undefined;
      keeper.change({ body: 'one two' });
    };
    await pass(REST_MS);
    assert.equal(keeper.snapshot().fields.body, 'one two');
    assert.equal(keeper.snapshot().state.kind, 'dirty');
    await pass(REST_MS);
    assert.deepEqual(here.saves, [{ body: 'one' }, { body: 'one two' }]);
  });

  test('a title that the service trims is not changed under the cursor, nor sent again', async () => {
    const { here, keeper, pass } = place();
    keeper.change({ title: 'A new title ' });
    await pass(REST_MS);
    assert.equal(keeper.snapshot().fields.title, 'A new title ');
    assert.equal(keeper.isDirty, false);
    assert.equal(here.saves.length, 1);
  });

  test('tags that the service holds to be one are not sent for ever', async () => {
    const { here, keeper, pass, isDue } = place();
    keeper.change({ tags: ['News', 'news'] });
    await pass(REST_MS);
    assert.deepEqual([here.saves.length, keeper.isDirty, isDue()], [1, false, false]);
  });

  test('is tried again while the service is away, and loses nothing', async () => {
    const { here, keeper, pass } = place();
    here.fails = ['offline', 'offline'];
    keeper.change({ body: 'on a train' });
    await pass(REST_MS);
    assert.equal(keeper.snapshot().state.kind, 'offline');
    await pass(OFFLINE_MS);
    await pass(OFFLINE_MS);
    assert.equal(here.post.body, 'on a train');
    assert.equal(keeper.snapshot().state.kind, 'saved');
  });

  test('whose reply is lost is asked for it again, and what was written since follows: no conflict with oneself', async () => {
    const { here, keeper, pass } = place();
    here.fails = ['unheard'];
    keeper.change({ body: 'one' });
    await pass(REST_MS);
    keeper.change({ body: 'one two' });
    await pass(REST_MS);
    await pass(REST_MS);
    assert.deepEqual(here.saves, [{ body: 'one' }, { body: 'one two' }]);
    assert.deepEqual([keeper.snapshot().state.kind, keeper.isDirty], ['saved', false]);
  });

  test('that was taken back while its save was unheard is taken back at the service, too', async () => {
    const { here, keeper, pass } = place();
    here.fails = ['unheard'];
    keeper.change({ body: 'one' });
    await pass(REST_MS);
    keeper.change({ body: POST.body });
    assert.equal(keeper.isDirty, true);
    await pass(REST_MS);
    await pass(REST_MS);
    assert.equal(here.post.body, POST.body);
  });

  test('is saved one time after the other, whoever waits', async () => {
    const { here, keeper } = place();
    keeper.change({ body: 'one' });
    const first = keeper.save(true);
    keeper.change({ body: 'one two' });
    assert.deepEqual(await Promise.all([first, keeper.save(), keeper.save()]), [false, true, true]);
    assert.deepEqual(here.saves, [{ body: 'one' }, { body: 'one two' }]);
    assert.deepEqual([keeper.snapshot().state.kind, here.askedOn], ['saved', [1, 2]]);
  });

  test('what is half written waits for its rest, and holds nothing else up', async () => {
    const { here, keeper, pass, isDue } = place();
    keeper.change({ title: '', slug: 'half a ', coverImageUrl: 'https:/', body: 'goes on' });
    await pass(REST_MS);
    assert.deepEqual(here.saves, [{ body: 'goes on' }]);
    await pass(REST_MS);
    const { state } = keeper.snapshot();
    assert.equal(state.kind === 'refused' && state.error, 'Title cannot be empty again');
    assert.deepEqual([isDue(), await keeper.save()], [false, false]);
    keeper.change({ title: 'B', slug: 'half-a-slug', coverImageUrl: '' });
    await pass(REST_MS);
    assert.deepEqual(here.saves[1], { title: 'B', slug: 'half-a-slug' });
    assert.equal(keeper.snapshot().state.kind, 'saved');
  });

  test('a refusal waits for the next change', async () => {
    const { here, keeper, pass, isDue } = place();
    here.fails = ['refused'];
    keeper.change({ slug: 'taken' });
    await pass(REST_MS);
    assert.equal(keeper.snapshot().state.kind, 'refused');
    assert.equal(isDue(), false);
    keeper.change({ slug: 'free' });
    await pass(REST_MS);
    assert.equal(here.post.slug, 'free');
  });
});

describe('a conflict', () => {
  const conflict = async () => {
    const scene = place();
    scene.here.post = { ...POST, version: 5, title: 'Of another', body: 'of another' };
    scene.keeper.change({ body: 'mine' });
    await scene.pass(REST_MS);
    return scene;
  };

  test('shows what the other one saved, and saves nothing until it is decided', async () => {
    const { keeper, here, isDue } = await conflict();
    const { state } = keeper.snapshot();
    assert.equal(state.kind === 'conflict' && state.theirs.body, 'of another');
    keeper.change({ body: 'mine, and more' });
    assert.equal(isDue(), false);
    assert.equal(await keeper.save(), false);
    assert.deepEqual(here.saves, []);
  });

  test('is none when the other version holds the same', async () => {
    const { keeper, here, pass } = place();
    here.post = { ...POST, version: 5, title: 'Of another', body: 'the same' };
    keeper.change({ body: 'the same' });
    await pass(REST_MS);
    const { state, post, fields } = keeper.snapshot();
    assert.deepEqual([state.kind, post.version, fields.title], ['saved', 5, 'Of another']);
  });

  test('mine goes on top of theirs, and what only they changed stays', async () => {
    const { keeper, here } = await conflict();
    assert.equal(await keeper.resolve(keeper.snapshot().fields), true);
    assert.deepEqual([here.post.title, here.post.body], ['Of another', 'mine']);
    assert.equal(here.post.version, 6);
  });

  test('theirs is taken without a save', async () => {
    const { keeper, here } = await conflict();
    assert.equal(await keeper.resolve({ ...keeper.snapshot().fields, body: 'of another' }), true);
    assert.deepEqual(here.saves, []);
    assert.equal(keeper.snapshot().state.kind, 'saved');
    assert.equal(keeper.snapshot().fields.body, 'of another');
  });

  for (const failure of ['offline', 'refused'] as const) {
    test(`that is decided loses nothing when the save is ${failure}`, async () => {
      const { keeper, here, keptBodies } = await conflict();
      here.fails = [failure];
      assert.equal(await keeper.resolve(keeper.snapshot().fields), false);
      assert.deepEqual(keptBodies(), ['mine']);
    });
  }

  test('what is left of mine waits, also in the browser, until it is taken or forgotten', async () => {
    const { keeper, here, keptBodies } = await conflict();
    await keeper.resolve({ ...keeper.snapshot().fields, body: 'of another' });
    const [copy] = keeper.snapshot().aside;
    assert.ok(copy);
    assert.deepEqual([copy.fields.body, copy.version, keptBodies()], ['mine', 1, ['mine']]);
    keeper.take(copy);
    await new Promise((done) => setImmediate(done));
    assert.deepEqual([here.post.body, keeper.snapshot().aside, here.kept], ['mine', [], []]);
  });

  test('a merge is kept as it grows, beside mine', async () => {
    const { keeper, here, keptBodies } = await conflict();
    keeper.merge({});
    keeper.merge({ title: 'Of both' });
    keeper.merge({ body: 'of both' });
    assert.deepEqual(keptBodies(), ['of both', 'mine']);
    const { state, fields } = keeper.snapshot();
    assert.ok(state.kind === 'conflict' && state.merged);
    assert.deepEqual([state.merged.title, fields.body], ['Of both', 'mine']);
    here.fails = ['refused'];
    await keeper.resolve(state.merged);
    assert.deepEqual(keptBodies(), ['of both', 'mine']);
  });

  test('a merge that was begun is kept when one of the two is taken as it is', async () => {
    for (const [taken, kept] of [
      ['mine', ['of both']],
      ['of another', ['of both', 'mine']],
    ] as const) {
      const { keeper, keptBodies } = await conflict();
      keeper.merge({ body: 'of both' });
      assert.equal(await keeper.resolve({ ...keeper.snapshot().fields, body: taken }), true);
      assert.deepEqual(keptBodies(), kept);
    }
  });
});

describe('copies that were left behind', () => {
  const copyOf = (body: string): Copy => ({
    version: 1,
    fields: { ...fieldsOf(POST), body },
    at: '2026-11-25T10:00:00.000Z',
  });

  test('are offered where they differ, and stay while something else is written and saved', async () => {
    const { keeper, pass, keptBodies } = place();
    keeper.offer([copyOf('from before'), copyOf(POST.body)]);
    keeper.change({ body: 'text, and more' });
    assert.deepEqual(keptBodies(), ['text, and more', 'from before']);
    await pass(REST_MS);
    assert.deepEqual(keptBodies(), ['from before']);
    keeper.forget(keeper.snapshot().aside[0] as Copy);
    assert.deepEqual(keptBodies(), []);
  });

  test('change places with what is not saved', () => {
    const { keeper, keptBodies } = place({ ...POST, status: 'PUBLISHED' });
    const copy = copyOf('from before');
    keeper.change({ body: 'begun anew' });
    keeper.offer([copy]);
    keeper.take(copy);
    assert.equal(keeper.snapshot().fields.body, 'from before');
    assert.deepEqual(keptBodies(), ['from before', 'begun anew']);
  });
});
