import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Counters, countersText, PageTemplate } from './page-template.ts';

const zero: Counters = { likeCount: 0, commentCount: 0, viewCount: 0, shareCount: 0 };
const post = (id: string, counters: Partial<Counters> = {}, title = 'T') => ({
  id,
  title,
  ...zero,
  ...counters,
  author: { name: 'A' },
});

test('a reply is the JSON of its body, with the counters of the moment', () => {
  const body = { total: 2, data: [post('a', { likeCount: 3 }), post('b')] };
  const template = new PageTemplate(body);
  assert.deepEqual(template.counters, [countersText({ ...zero, likeCount: 3 }), countersText(zero)]);
  assert.equal(template.render(template.counters, false).bytes, JSON.stringify(body));
  const later = template.render(
    [countersText({ ...zero, likeCount: 4 }), countersText({ ...zero, viewCount: 9 })],
    false,
  );
  assert.deepEqual(JSON.parse(later.bytes.toString()), {
    total: 2,
    data: [post('a', { likeCount: 4 }), post('b', { viewCount: 9 })],
  });
});

test('a detail knows whether the caller likes the post, and its related posts', () => {
  const body = { ...post('a'), likedByMe: false, related: [post('b', { shareCount: 7 })] };
  const template = new PageTemplate(body);
  assert.equal(template.counters.length, 2);
  assert.equal(template.render(template.counters, false).bytes, JSON.stringify(body));
  assert.deepEqual(JSON.parse(template.render(template.counters, true).bytes.toString()), { ...body, likedByMe: true });
});

test('the ETag is another one exactly when the bytes are others', () => {
  const template = new PageTemplate({ ...post('a'), likedByMe: false, related: [] });
  const same = new PageTemplate({ ...post('a', { likeCount: 5 }), likedByMe: false, related: [] });
  const etag = template.render(template.counters, false).etag;
  assert.equal(same.render(template.counters, false).etag, etag, 'the same bytes by another way');
  assert.notEqual(same.render(same.counters, false).etag, etag);
  assert.notEqual(template.render(template.counters, true).etag, etag);
  const other = new PageTemplate({ ...post('a', {}, 'U'), likedByMe: false, related: [] });
  assert.notEqual(other.render(other.counters, false).etag, etag);
});

test('text of a writer that looks like counters is text', () => {
  const nasty = `${countersText(zero)} \\"likeCount":1,"commentCount":1,"viewCount":1,"shareCount":1 "likedByMe":true`;
  const body = { ...post('a', { likeCount: 1 }, nasty), body: nasty, likedByMe: false, related: [] };
  const template = new PageTemplate(body);
  assert.equal(template.counters.length, 1);
  const ready = template.render([countersText({ ...zero, likeCount: 2 })], true);
  assert.deepEqual(JSON.parse(ready.bytes.toString()), { ...body, likeCount: 2, likedByMe: true });
});
