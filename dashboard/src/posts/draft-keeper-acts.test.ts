import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ManagedPost } from '@posthorn/client';
import { BEFORE_LIVE_MS, OFFLINE_MS, REST_MS } from './draft-keeper.ts';
import { place, POST, Refused } from './fixtures.ts';

const PUBLIC: ManagedPost = { ...POST, status: 'PUBLISHED' };

describe('what is public', () => {
  test('is saved on demand only, and not by what is done besides', async () => {
    const { keeper, here, isDue } = place(PUBLIC);
    keeper.change({ body: 'half a sen' });
    assert.equal(isDue(), false);
    assert.equal(await keeper.flush(), true, 'a preview link can be made');
    assert.deepEqual([keeper.snapshot().state.kind, here.saves], ['dirty', []]);
    assert.equal(await keeper.save(), true);
    assert.equal(here.post.body, 'half a sen');
  });

  test('gets what was there when it was asked for, not what was begun meanwhile', async () => {
    const { keeper, here } = place(PUBLIC);
    keeper.change({ body: 'Whole.' });
    here.during = () => keeper.change({ body: 'Whole. And ha' });
    assert.equal(await keeper.save(), false);
    assert.deepEqual(here.saves, [{ body: 'Whole.' }]);
    assert.equal(keeper.snapshot().state.kind, 'dirty');
  });

  test('gets it when the service is back, as it was asked for', async () => {
    const { keeper, here, pass, isDue } = place(PUBLIC);
    here.fails = ['offline'];
    keeper.change({ body: 'Whole.' });
    assert.equal(await keeper.save(), false);
    await pass(OFFLINE_MS);
    keeper.change({ body: 'Whole. And ha' });
    assert.deepEqual([here.saves, isDue()], [[{ body: 'Whole.' }], false]);
  });

  test('what was to be saved by itself waits when the time of a scheduled post has come', async () => {
    const publishedAt = new Date(100_000).toISOString();
    const { keeper, here, pass, isDue, keptBodies } = place({ ...POST, status: 'SCHEDULED', publishedAt });
    keeper.change({ body: 'half a sen' });
    here.now = 100_000 - BEFORE_LIVE_MS;
    await pass(REST_MS);
    keeper.change({ body: 'half a sent' });
    assert.deepEqual([here.saves, isDue(), keptBodies()], [[], false, ['half a sent']]);
  });

  for (const autosave of [true, false]) {
    test(`a conflict with who published it meanwhile is decided without a save to readers: ${autosave ? 'by itself' : 'by hand'}`, async () => {
      const { keeper, here } = place();
      here.post = { ...PUBLIC, version: 2, body: 'of another' };
      keeper.change({ body: 'mine' });
      await keeper.save(autosave);
      assert.equal(await keeper.resolve(keeper.snapshot().fields), false);
      assert.deepEqual([here.saves, keeper.snapshot().state.kind], [[], 'dirty']);
      assert.equal(await keeper.save(), true);
      assert.equal(here.post.body, 'mine');
    });
  }

  test('a conflict that an update meets is decided with a save to readers', async () => {
    const { keeper, here } = place(PUBLIC);
    here.post = { ...PUBLIC, version: 2, body: 'of another' };
    keeper.change({ body: 'mine' });
    assert.equal(await keeper.save(), false);
    assert.equal(await keeper.resolve(keeper.snapshot().fields), true);
    assert.equal(here.post.body, 'mine');
  });
});

describe('something else that is done with the post', () => {
  const scheduled = () => place({ ...POST, status: 'SCHEDULED', publishedAt: '2099-01-01T00:00:00.000Z' });

  test('leaves what is written meanwhile, and saves it afterwards', async () => {
    const { keeper, here, pass, isDue, keptBodies } = scheduled();
    await keeper.act(async (version) => {
      await Promise.resolve();
      keeper.change({ body: 'typed meanwhile' });
      assert.equal(isDue(), false);
      assert.deepEqual(keptBodies(), ['typed meanwhile']);
      here.post = { ...POST, version: version + 1, title: 'As the service has it' };
      return here.post;
    });
    const { post, fields, state } = keeper.snapshot();
    assert.deepEqual([post.status, post.version, fields.title], ['DRAFT', 2, 'As the service has it']);
    assert.deepEqual([fields.body, state.kind, keptBodies()], ['typed meanwhile', 'dirty', ['typed meanwhile']]);
    await pass(REST_MS);
    assert.equal(here.post.body, 'typed meanwhile');
  });

  test('that fails tells so, and what was written meanwhile is saved all the same', async () => {
    const { keeper, here, pass } = scheduled();
    const acting = keeper.act(async () => {
      keeper.change({ body: 'typed meanwhile' });
      throw new Refused('refused');
    });
    await assert.rejects(acting, { kind: 'refused' });
    await pass(REST_MS);
    assert.equal(here.post.body, 'typed meanwhile');
  });

  test('waits for the save that is under way', async () => {
    const { keeper } = scheduled();
    keeper.change({ body: 'one' });
    const saving = keeper.save();
    const seen = await keeper.act(async (version) => ({ ...POST, version: version + 1 }));
    assert.deepEqual([await saving, seen.version], [true, 3]);
  });
});
