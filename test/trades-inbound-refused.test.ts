import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { checkedFetch } from './helpers/checked-fetch.ts';
import { withDatabase } from './helpers/database.ts';
import { startNode, type Tenant } from './helpers/engine.ts';
import { signatureOf } from './helpers/trading.ts';

const PATH = '/v1/webhooks/inbound';
const BODY_LIMIT = 65_536;
/** Rows that an account gets in a minute for what did nothing; see report-log.ts. */
const OWN_ROWS = 60;
const MINUTE = 60_000;

describe('requests that are no reports', async () => {
  const node = await startNode({ database: await withDatabase() });
  let merchant: Tenant;
  const newMerchant = (): Promise<Tenant> => node.tenant('MERCHANT', ['inbound:write']);
  before(async () => {
    merchant = await newMerchant();
  });

  const body = JSON.stringify({ event: 'payment.completed', tradeSessionId: 'ts_none', side: 'INITIATOR' });
  const send = (
    { key, text = body, headers = {} }: { key?: string; text?: string | Buffer; headers?: Record<string, string> },
    query = '',
  ) =>
    checkedFetch(`${node.service.url}${PATH}${query}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...headers,
      },
      body: text as string,
    });
  const signed = (of: Tenant, text = body) => ({
    'x-service-signature': signatureOf(of.secret, text, node.clock.now()),
  });
  const rows = async (): Promise<number> =>
    Number((await sql<{ n: number }>`select count(*)::integer as n from inbound_reports`.execute(node.db)).rows[0]?.n);
  const newest = async (of: Tenant) => {
    const { data } = await node.ok(200, 'GET', `${PATH}?limit=1`, { key: of.key });
    return node.ok(200, 'GET', `${PATH}/${data[0].id}`, { key: of.key });
  };

  const UNREADABLE: [what: string, request: object, status: number, says: RegExp, excerpt: string][] = [
    ['no JSON', { text: '{"event":' }, 400, /is not JSON/, '{"event":'],
    ['nothing', { text: '' }, 401, /no signature/, ''],
    ['U+0000', { text: '{"event":"\\u0000"}' }, 400, /U\+0000/, '{"event":"\\u0000"}'],
    ['invalid UTF-8', { text: Buffer.from([0x22, 0xff, 0xfe, 0x22]) }, 400, /is not UTF-8/, '"\ufffd\ufffd"'],
    ['too large', { text: JSON.stringify('x'.repeat(BODY_LIMIT)) }, 413, /larger/, ''],
    ['a form', { headers: { 'content-type': 'text/plain' } }, 415, /text\/plain/, ''],
    ['compressed', { headers: { 'content-encoding': 'gzip' } }, 415, /Content-Encoding/, ''],
    ['another charset', { headers: { 'content-type': 'application/json; charset=utf-16' } }, 415, /utf-8/, ''],
    ['another format wanted', { headers: { accept: 'text/html' } }, 406, /application\/json only/, ''],
    ['a key that is none', { headers: { 'idempotency-key': 'a b' } }, 400, /visible ASCII/, body],
  ];
  for (const [what, request, status, says, excerpt] of UNREADABLE) {
    test(`${what} is refused and recorded`, async () => {
      const reply = await send({ key: merchant.key, ...request });
      assert.equal(reply.status, status, JSON.stringify(reply.body));
      const recorded = await newest(merchant);
      assert.equal(recorded.requestId, reply.headers.get('x-request-id'));
      assert.deepEqual([recorded.verdict, recorded.error.code], ['REFUSED', reply.body.error.code]);
      assert.match(recorded.error.message, says);
      assert.equal(recorded.body, excerpt);
    });
  }

  test('an address that does not fit, or names another account, is recorded for the one that the key is of', async () => {
    const other = await newMerchant();
    for (const [query, status] of [
      ['?accountId=zzz', 400],
      ['?foo=1', 400],
      ['?accountId=%00', 400],
      [`?accountId=${other.id}`, 404],
    ] as const) {
      const reply = await send({ key: merchant.key, headers: signed(merchant) }, query);
      assert.equal(reply.status, status, query);
      assert.equal((await newest(merchant)).requestId, reply.headers.get('x-request-id'), query);
    }
    assert.deepEqual((await node.ok(200, 'GET', PATH, { key: other.key })).data, []);
  });

  test('a key without the scope is refused, and its account sees that', async () => {
    const reader = await node.tenant('MERCHANT', ['webhooks:manage']);
    const reply = await send({ key: reader.key, headers: signed(reader) });
    assert.equal(reply.status, 403);
    const { rows: recorded } = await sql<{ error_code: string; message: string }>`
      select error_code, message from inbound_reports where account_id = ${reader.id}`.execute(node.db);
    assert.equal(recorded.length, 1);
    assert.match(recorded[0]?.message ?? '', /lacks the scope inbound:write/);
  });

  test('who has no valid key leaves no row', async () => {
    const had = await rows();
    const changed = merchant.key.slice(0, -1) + (merchant.key.endsWith('x') ? 'y' : 'x');
    for (const key of [undefined, 'nonsense', changed]) {
      for (const request of [
        {},
        { text: '{' },
        { headers: { accept: 'text/html' } },
        { headers: { 'content-type': 'a/b' } },
      ]) {
        const reply = await send({ ...(key === undefined ? {} : { key }), ...request });
        assert.ok(reply.status === 401 || reply.status === 406, String(reply.status));
      }
    }
    assert.equal(await rows(), had);
  });

  test('who sends too much gets a row for each kind of fault, and the rest are counted', async () => {
    const noisy = await newMerchant();
    const before = await rows();
    const times = OWN_ROWS + 40;
    for (let i = 0; i < times; i++) await send({ key: noisy.key, text: `{"n":${i}` });
    assert.equal((await rows()) - before, OWN_ROWS);
    assert.equal((await newest(noisy)).further, 40);
    // Another kind of fault has a row of its own, and so has the next minute.
    await send({ key: noisy.key, headers: signed(noisy) });
    const other = await newest(noisy);
    assert.deepEqual([other.error.code, other.further], ['NOT_FOUND', 0]);
    node.clock.advance(MINUTE);
    await send({ key: noisy.key, text: '{' });
    assert.equal((await rows()) - before, OWN_ROWS + 2);
    const { rows: sums } = await sql<{ n: number }>`
      select sum(1 + further)::integer as n from inbound_reports where account_id = ${noisy.id}`.execute(node.db);
    assert.equal(sums[0]?.n, times + 2);
  });

  test('of a long body that did nothing an excerpt is kept', async () => {
    const long = JSON.stringify({ ...(JSON.parse(body) as object), note: '😀'.repeat(5000) });
    const reply = await send({ key: merchant.key, text: long, headers: signed(merchant, long) });
    assert.equal(reply.status, 404);
    const { body: kept } = await newest(merchant);
    assert.equal(kept.length, 4096);
    assert.ok(long.startsWith(kept.slice(0, -1)));
  });
});
