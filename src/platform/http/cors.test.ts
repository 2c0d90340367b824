import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Type } from 'typebox';
import { withDatabase } from '../../../test/helpers/database.ts';
import { httpSide } from '../../../test/helpers/http-app.ts';
import { octets } from './etag.ts';
import { read } from './route.ts';

const database = await withDatabase();
const SHOP = 'https://shop.example';
const EXPOSED = /(?=.*\bETag\b)(?=.*\bX-Request-Id\b)(?=.*\bRateLimit-Remaining\b)(?=.*\bRetry-After\b)/;

const route = read({
  method: 'GET',
  path: '/v1/any',
  operationId: 'any',
  tag: 'test',
  summary: 'test',
  access: 'any',
  schemas: { replies: { 200: Type.Object({ text: Type.String() }) } },
  handle: async () => {
    const reply = { status: 200 as const, bytes: octets('{"text":"a"}'), headers: { vary: 'Authorization' } };
    return { ...reply, again: () => reply };
  },
});

async function given(origins?: string) {
  const { app } = await httpSide([route], { database, env: origins === undefined ? {} : { CORS_ORIGINS: origins } });
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  after(() => app.close());
  const call = async (
    origin: string | undefined,
    { path = '/v1/any', as = 'key1', ...more }: Record<string, string> = {},
  ) => {
    const { method = 'GET', ...fields } = more;
    const headers = { authorization: `Bearer ${as}`, ...(origin === undefined ? {} : { origin }), ...fields };
    const reply = await fetch(`${address}${path}`, { method, headers });
    const named = (name: string): string | null => reply.headers.get(name);
    const [allowed, exposed, vary] = ['access-control-allow-origin', 'access-control-expose-headers', 'vary'].map(
      named,
    );
    return { status: reply.status, allowed, exposed, vary, named };
  };
  return call;
}

/** The second is answered ahead of the framework. */
const twice = async (call: Awaited<ReturnType<typeof given>>, origin?: string) => [
  await call(origin),
  await call(origin),
];

test('without the setting no reply says that another origin may read it', async () => {
  const call = await given();
  for (const { status, allowed, exposed, vary } of await twice(call, SHOP))
    assert.deepEqual([status, allowed, exposed, vary], [200, null, null, 'Authorization']);
  const { status, named } = await call(SHOP, { method: 'OPTIONS', 'access-control-request-method': 'GET' });
  assert.deepEqual([status, named('access-control-allow-methods')], [405, null]);
  const { app } = await httpSide([route], { database });
  const preflight = { origin: SHOP, 'access-control-request-method': 'GET' };
  const refused = await app.inject({ method: 'OPTIONS', url: '/v1/any', headers: preflight });
  assert.match(refused.json().error.message, /CORS_ORIGINS/);
});

test('pages of the origins that are named may read every reply, refusals too, and caches are told', async () => {
  const call = await given(`${SHOP}, http://localhost:5173`);
  for (const origin of [SHOP, 'http://localhost:5173']) {
    for (const { status, allowed, exposed, vary } of await twice(call, origin)) {
      assert.deepEqual([status, allowed, vary], [200, origin, 'Authorization, Origin']);
      assert.match(exposed ?? '', EXPOSED);
    }
  }
  for (const origin of ['https://other.example', 'http://shop.example', 'https://shop.example:444', 'null', undefined])
    for (const { status, allowed, vary } of await twice(call, origin))
      assert.deepEqual([status, allowed, vary], [200, null, 'Authorization, Origin']);
  for (const [status, more] of [
    [401, { as: 'nobody' }],
    [404, { path: '/v1/nowhere' }],
    [400, { path: '/v1/%zz' }],
    [406, { accept: 'text/html' }],
  ] as const) {
    const refused = await call(SHOP, more);
    assert.deepEqual([refused.status, refused.allowed], [status, SHOP]);
    assert.match(refused.vary ?? '', /Origin/);
  }
});

test('what a page may send is whatever it asks for, without a credential and with no cookie', async () => {
  const call = await given(SHOP);
  const asked = { method: 'OPTIONS', as: '', 'access-control-request-method': 'PATCH' };
  const preflight = await call(SHOP, { ...asked, 'access-control-request-headers': 'authorization,idempotency-key' });
  assert.deepEqual([preflight.status, preflight.allowed], [204, SHOP]);
  assert.equal(preflight.named('access-control-allow-headers'), 'authorization,idempotency-key');
  assert.match(preflight.named('access-control-allow-methods') ?? '', /PATCH/);
  assert.equal(preflight.named('access-control-allow-credentials'), null);
  assert.match(preflight.vary ?? '', /Origin/);
  assert.ok(preflight.named('x-request-id'));
  const other = await call('https://other.example', asked);
  assert.deepEqual([other.status, other.allowed], [204, null]);
  assert.equal((await call(SHOP, { method: 'OPTIONS' })).status, 405, 'no preflight');
});

test('by * pages of all origins may read, and nothing varies', async () => {
  const call = await given('*');
  for (const origin of [SHOP, 'null', undefined])
    for (const { allowed, vary, exposed } of await twice(call, origin)) {
      assert.deepEqual([allowed, vary], ['*', 'Authorization']);
      assert.match(exposed ?? '', EXPOSED);
    }
  assert.equal((await call(SHOP, { path: '/healthz' })).allowed, null, 'what is no operation is for nobody else');
});
