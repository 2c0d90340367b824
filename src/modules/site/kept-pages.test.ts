import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markup } from '../../lib/markup.ts';
import { type PageReply, strongEtag } from '../../platform/http/index.ts';
import type { WatchedReads } from '../blog/index.ts';
import { KeptPages } from './kept-pages.ts';

/** Kept pages whose reads are said to be the same or not, and how often each page was made. */
function given(maxBytes = 1_000_000) {
  const state = { isStill: true, isKnown: true, fails: false, made: [] as string[] };
  const still = async (): Promise<boolean> => {
    if (state.fails) throw new Error('the database is away');
    return state.isStill;
  };
  const watch = (): WatchedReads => ({
    reads: {} as WatchedReads['reads'],
    still: () => (state.isKnown ? still : null),
  });
  const pages = new KeptPages({ maxBytes, watch });
  const get = (key: string, reply: PageReply = { status: 200, body: markup`<p>${key}</p>` }) =>
    pages.reply(key, async () => {
      state.made.push(key);
      return reply;
    });
  return { state, get };
}

test('a page is made once, as bytes with their ETag, for as long as it would be the same', async () => {
  const { state, get } = given();
  const headers = { 'cache-control': 'public, max-age=300' };
  const first = await get('a', { status: 200, type: 'application/rss+xml', headers, body: markup`é <b>${'&'}</b>` });
  const bytes = Buffer.from('é <b>&amp;</b>');
  const expected = { status: 200, type: 'application/rss+xml', headers, body: bytes, etag: strongEtag(bytes) };
  assert.deepEqual(first, expected);
  assert.equal((first.body as Buffer).buffer.byteLength, bytes.length, 'memory of its own');
  assert.deepEqual(await get('a'), expected);
  assert.deepEqual(state.made, ['a']);
  await get('b');
  state.isStill = false;
  assert.deepEqual((await get('a')).body, Buffer.from('<p>a</p>'));
  assert.deepEqual(state.made, ['a', 'b', 'a']);
});

test('where it cannot be told whether it is the same, making it tells', async () => {
  const { state, get } = given();
  await get('a');
  state.fails = true;
  assert.equal((await get('a')).status, 200);
  assert.deepEqual(state.made, ['a', 'a']);
});

test('what is no page of its own, or would be another for the next one, is not kept', async () => {
  const { state, get } = given();
  for (const reply of [
    { status: 404, body: 'none' },
    { status: 301, headers: { location: '/' } },
    { status: 200, body: 'a', cookies: ['a=b'] },
    { status: 200, body: Buffer.from('a') },
  ]) {
    assert.equal(await get('a', reply), reply);
    assert.equal(await get('a', reply), reply);
  }
  state.isKnown = false;
  await get('a');
  await get('a');
  assert.equal(state.made.length, 10);
});

test('no more is kept than there is room for, and first goes what was not asked for lately', async () => {
  const { state, get } = given(100_000);
  const page = { status: 200, body: 'x'.repeat(5000) };
  for (let i = 0; i < 9; i++) await get(`${i}`, page);
  await get('0', page);
  await get('9', page);
  assert.equal(state.made.length, 10);
  await get('0', page);
  assert.equal(state.made.length, 10, 'it was asked for');
  await get('1', page);
  assert.equal(state.made.length, 11, 'it was the oldest of the others');
  const large = { status: 200, body: 'x'.repeat(20_000) };
  await get('large', large);
  assert.deepEqual(await get('large', large), { ...large, etag: strongEtag(large.body) });
  assert.equal(state.made.length, 13, 'a page of a fifth of the room');
});

test('where nothing is to be kept, nothing is', async () => {
  const { state, get } = given(0);
  await get('a');
  await get('a');
  assert.equal(state.made.length, 2);
});
