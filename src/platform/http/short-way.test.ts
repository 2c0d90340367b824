import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { get, readAgain } from '../../../test/helpers/read-again.ts';
import { systemClock } from '../../lib/clock.ts';

const { state, given, LIMIT } = await readAgain();

/** What is another one with each request, or with each second. */
const DIFFERENT = new Set(['x-request-id', 'date', 'ratelimit-remaining', 'ratelimit-reset']);

const comparable = async (reply: Response) => ({
  status: reply.status,
  body: await reply.text(),
  headers: Object.fromEntries([...reply.headers].filter(([name]) => !DIFFERENT.has(name))),
});

test('a repeated read is answered without its handler, byte for byte and field for field as by it', async () => {
  const { call } = await given();
  const long = await call();
  const short = await call();
  assert.deepEqual([state.asked, state.again], [1, 1]);
  assert.equal(Number(short.headers.get('ratelimit-remaining')), LIMIT - 2);
  assert.notEqual(short.headers.get('x-request-id'), long.headers.get('x-request-id'));
  const [first = 0, then = 0] = [long, short].map((reply) => Number(reply.headers.get('ratelimit-reset')));
  assert.ok(first <= 60 && first - then >= 0 && first - then <= 2, `${first} and then ${then} seconds`);
  const [one, two] = [await comparable(long), await comparable(short)];
  assert.deepEqual(two, one);
  assert.equal(two.body, JSON.stringify({ text: state.text }));
  const named = await call('/v1/any', { headers: { 'x-request-id': 'request-of-mine' } });
  assert.equal(named.headers.get('x-request-id'), 'request-of-mine');
});

/** What comes back on one connection for these requests, sent at once, until it is closed. */
function raw(address: string, requests: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(address);
  return new Promise((done, fail) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.on('close', () => done(text));
    socket.on('error', fail);
    socket.write(requests.join(''));
  });
}

test('its head is the one that Node writes; several at once on one connection are answered in order, and the last one ends it', async () => {
  const { call, address } = await given();
  const etag = (await call()).headers.get('etag') as string;
  const requests = [
    get(),
    get(`If-None-Match: ${etag}`),
    get('x-request-id: request-of-mine'),
    get('Connection: close'),
  ];
  const short = await raw(address, requests);
  assert.equal(state.asked, 2, 'the last one went the long way');
  state.holds = false;
  const long = await raw(address, requests);
  assert.equal(state.asked, 6);
  const heads = (text: string) =>
    text
      .split('HTTP/1.1 ')
      .slice(1)
      .map((reply) =>
        reply
          .replace(/^(x-request-id): [\w-]{36}$/im, '$1: new')
          .replace(/^(date|ratelimit-remaining|ratelimit-reset): .*$/gim, '$1: some')
          .split('\r\n')
          .toSorted(),
      );
  assert.equal(heads(short).length, 4);
  assert.deepEqual(heads(short), heads(long));
  const date = /^Date: (.*)$/m.exec(short)?.[1] ?? '';
  assert.ok(Math.abs(Date.parse(date) - systemClock.now()) < 10_000, date);
});

test('so is a 304', async () => {
  const { call } = await given();
  const etag = (await call()).headers.get('etag') as string;
  const init = { headers: { 'if-none-match': etag } };
  const short = await comparable(await call('/v1/any', init));
  assert.deepEqual([state.asked, short.status, short.body], [1, 304, '']);
  state.holds = false;
  assert.deepEqual(short, await comparable(await call('/v1/any', init)));
  assert.equal(state.asked, 2);
});

test('what does not hold any more is asked for', async () => {
  const { call } = await given();
  await call();
  state.holds = false;
  state.text = 'another';
  assert.equal(await (await call()).text(), JSON.stringify({ text: 'another' }));
  assert.equal(state.asked, 2);
});

test('an error on the short way is met on the long one', async () => {
  const { call } = await given();
  await call();
  state.throws = true;
  assert.equal((await call()).status, 200);
  assert.deepEqual([state.asked, state.again], [2, 1]);
});

test('another address is another answer', async () => {
  const { call } = await given();
  await call('/v1/any?n=1');
  await call('/v1/any?n=2');
  await call('/v1/any');
  assert.equal(state.asked, 3);
});

test('it is counted and timed like every request', async () => {
  const { call, address } = await given();
  for (let i = 0; i < 3; i++) await call();
  assert.equal(state.asked, 1);
  const metrics = await (await fetch(`${address}/metrics`)).text();
  assert.match(metrics, /posthorn_http_request_seconds_count\{operation="v1any",status="200"\} 3/);
});

describe('it lets nobody in whom the long way would refuse', () => {
  test('a limit is reached at the same request', async () => {
    const { call } = await given({ env: { RATE_LIMIT_KEY: '3' } });
    const statuses = [];
    for (let i = 0; i < 5; i++) statuses.push((await call()).status);
    assert.deepEqual(statuses, [200, 200, 200, 429, 429]);
  });

  test('a revoked key, one without the scope, a wrong one, and nobody', async () => {
    const { call, callers, address } = await given();
    assert.equal((await call('/v1/scoped')).status, 200);
    assert.equal((await call('/v1/scoped')).status, 200);
    assert.equal(state.asked, 1);
    assert.equal((await call('/v1/scoped', { as: 'scopeless' })).status, 403);
    assert.equal((await call('/v1/scoped', { as: 'wrong' })).status, 401);
    assert.equal((await fetch(`${address}/v1/scoped`)).status, 401);
    delete callers.site;
    assert.equal((await call('/v1/scoped')).status, 401);
  });

  test('a user is asked for each time', async () => {
    const { call } = await given();
    await call();
    await call('/v1/any', { as: 'user' });
    await call('/v1/any', { as: 'user' });
    assert.deepEqual([state.asked, state.again], [3, 0]);
  });
});

test('what is not a plain read goes the long way', async () => {
  const { call, address } = await given();
  await call();
  assert.equal((await call('/v1/any', { headers: { accept: 'text/html' } })).status, 406);
  assert.equal((await call('/v1/any', { headers: { accept: 'text/html, application/json;q=0.5' } })).status, 200);
  assert.equal((await call('/v1/any', { method: 'HEAD' })).status, 200);
  assert.equal((await call('/v1/any', { method: 'DELETE' })).status, 405);
  assert.equal((await fetch(`${address}/v1/any`, { headers: { authorization: 'bearer  site' } })).status, 200);
  assert.equal(state.again, 0);
});

test('requests are logged where that is wanted', async () => {
  const { call } = await given({ log: 'debug' });
  await call();
  await call();
  assert.deepEqual([state.asked, state.again], [2, 0]);
});

test('a service that is shutting down answers nothing more', async () => {
  const { call, side } = await given();
  await call();
  side.refuse();
  const reply = await call();
  assert.deepEqual([reply.status, reply.headers.get('connection')], [503, 'close']);
});
