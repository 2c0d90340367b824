import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { createClient, type ClientOptions, InvalidInputError } from './index.ts';

interface Sent {
  url: string;
  headers: Headers;
}

/** A client whose requests are kept, and what it sent. */
function keeping(options: Partial<ClientOptions> = {}) {
  const sent: Sent[] = [];
  const client = createClient({
    baseUrl: 'https://a.example',
    ...options,
    async fetch(url, init) {
      const request = new Request(url, init);
      sent.push({ url: request.url, headers: request.headers });
      return Response.json({ data: [], nextCursor: null });
    },
  });
  return { client, sent };
}

test('the caller’s headers are sent once each, those of the call before those of the client', async () => {
  const { client, sent } = keeping({ headers: { 'X-Trace': 'client', authorization: 'Basic a' }, credential: 'key' });
  const headers = { 'Idempotency-Key': 'mine', 'x-trace': 'call', Authorization: 'Basic b' };
  await client.createAccount({ body: { name: 'A', type: 'SITE' } }, { headers });
  await client.createAccount({ body: { name: 'A', type: 'SITE' } }, { headers, idempotencyKey: 'option' });
  await client.createAccount({ body: { name: 'A', type: 'SITE' } }, { headers: { 'Content-Type': 'text/plain' } });
  const values = (name: string): (string | null)[] => sent.map((request) => request.headers.get(name));
  assert.deepEqual(values('idempotency-key').slice(0, 2), ['mine', 'option']);
  assert.match(values('idempotency-key')[2] ?? '', /^[0-9a-f]{32}$/);
  assert.deepEqual(values('x-trace'), ['call', 'call', 'client']);
  assert.deepEqual(values('authorization'), ['Bearer key', 'Bearer key', 'Bearer key']);
  assert.deepEqual(values('content-type'), ['application/json', 'application/json', 'application/json']);
});

test('without a credential the caller’s own Authorization is sent', async () => {
  const { client, sent } = keeping({ credential: () => undefined });
  await client.listPosts({}, { headers: { Authorization: 'Basic b' } });
  assert.equal(sent[0]?.headers.get('authorization'), 'Basic b');
});

test('a credential that no header can hold is told at once, without showing it', async () => {
  for (const credential of ['ph_live_a\u200b', '“ph_live_a”', 'ph_live_a\nb']) {
    const { client, sent } = keeping({ credential });
    await assert.rejects(client.listPosts(), { name: 'TypeError', message: /^the credential holds a character/ });
    assert.equal(sent.length, 0);
  }
  const { client, sent } = keeping({ credential: 'ph_live_a\n' });
  await client.listPosts();
  assert.equal(sent[0]?.headers.get('authorization'), 'Bearer ph_live_a');
});

test('an id that would make another address of it is refused', async () => {
  const { client, sent } = keeping();
  for (const id of ['.', '..', '']) {
    const told = { name: 'InvalidInputError', code: 'INVALID_INPUT', value: id };
    await assert.rejects(client.discardDelivery({ id, body: { reason: 'none' } }), { ...told, parameter: 'id' });
    await assert.rejects(client.getPost({ slug: id }), { ...told, parameter: 'slug' });
  }
  const loose = client.getPost as (input: object) => Promise<unknown>;
  await assert.rejects(loose({}), (error) => error instanceof InvalidInputError && error instanceof TypeError);
  await assert.rejects(client.getPost({ slug: '\ud800' }), { code: 'INVALID_INPUT', parameter: 'slug' });
  await client.getPost({ slug: '...' });
  await client.getPost({ slug: '%2e' });
  assert.deepEqual(
    sent.map(({ url }) => url),
    ['https://a.example/v1/blog/posts/...', 'https://a.example/v1/blog/posts/%252e'],
  );
});

test('what no header can hold, and what is no JSON, is refused by its name', async () => {
  const { client, sent } = keeping();
  const body = { reason: 'none' };
  const loop: Record<string, unknown> = {};
  loop['self'] = loop;
  const discard = client.discardDelivery as (input: object, call?: object) => Promise<unknown>;
  for (const [parameter, input, call] of [
    ['idempotencyKey', { id: 'a', body }, { idempotencyKey: 'ключ' }],
    ['x-trace', { id: 'a', body }, { headers: { 'x-trace': 'a\nb' } }],
    ['ifMatch', { id: 'a', body, ifMatch: 'ж' }, {}],
    ['body', { id: 'a', body: loop }, {}],
    ['body', { id: 'a', body: { n: 1n } }, {}],
  ] as const)
    await assert.rejects(discard(input, call), { name: 'InvalidInputError', code: 'INVALID_INPUT', parameter });
  // Whoever logs the error logs no credential.
  const headers = { authorization: 'Bearer hidden\nand more' };
  const isRefused = (error: unknown): boolean =>
    /InvalidInputError/.test(inspect(error)) && !/hidden/.test(inspect(error));
  await assert.rejects(discard({ id: 'a', body }, { headers }), isRefused);
  const always = keeping({ headers });
  await assert.rejects(always.client.listPosts(), isRefused);
  assert.equal(always.sent.length, 0);
  assert.equal(sent.length, 0);
});

test('what is null or undefined is left out of the query, and a number that is none is refused', async () => {
  const { client, sent } = keeping();
  const loose = client.listPosts as (input: object) => Promise<unknown>;
  await loose({ q: null, tag: ['a', null, undefined, 'b'], limit: undefined, page: 2 });
  assert.equal(sent[0]?.url, 'https://a.example/v1/blog/posts?tag=a&tag=b&page=2');
  for (const limit of [Number.NaN, Infinity])
    await assert.rejects(client.listPosts({ limit }), { code: 'INVALID_INPUT', parameter: 'limit', value: limit });
  assert.equal(sent.length, 1);
});
