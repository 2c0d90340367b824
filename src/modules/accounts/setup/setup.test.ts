import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { Installation } from '../fixtures.ts';

const here = new Installation(await withDatabase(), { RATE_LIMIT_SIGN_IN: '1000' });
const node = here.node();
const app = await here.http(node);

const HOUR_MS = 3600 * 1000;
const PERSON = { email: 'first@example.com', name: 'First', password: 'a long enough password' };

async function setUp(token: string, change: object = {}, headers: Record<string, string> = {}) {
  const payload = { token, ...PERSON, ...change };
  const reply = await app.inject({ method: 'POST', url: '/v1/auth/setup', payload, headers });
  const json = reply.json<{ accessToken?: string; user?: object; error?: { code: string; message: string } }>();
  return { status: reply.statusCode, json, code: json.error?.code };
}
const offer = async (): Promise<string> => {
  const token = await node.offerSetup(here.env);
  assert.ok(token);
  return token;
};

test('a wrong token and an expired one get the same answer; a valid one is not spent by a bad request', async () => {
  const token = await offer();
  const wrong = await setUp(`${token}x`);
  assert.deepEqual([wrong.status, wrong.code], [401, 'UNAUTHENTICATED']);
  assert.deepEqual([(await setUp(token, { password: 'elevenchars' })).status], [400]);
  here.advance(HOUR_MS - 1);
  const reader = await here.user();
  const taken = await setUp(token, { email: reader.email.toUpperCase() });
  assert.deepEqual([taken.status, taken.json.error?.message], [400, 'body.email: belongs to another user already']);
  here.advance(1);
  const expired = await setUp(token);
  assert.deepEqual([expired.status, expired.json.error?.message], [401, wrong.json.error?.message]);
});

test('of two tokens that are used at the same time one makes an operator, and then neither is worth anything', async () => {
  const tokens = [await offer(), await offer()];
  const both = await Promise.all(tokens.map((t, i) => setUp(t, { email: `first${i}@example.com` })));
  assert.deepEqual(
    both.map((r) => r.status).toSorted((a, b) => a - b),
    [201, 401],
  );
  const winner = both.find((r) => r.status === 201);
  const caller = await node.authenticate(winner?.json.accessToken ?? '');
  assert.ok(caller?.kind === 'session' && caller.operator);
  assert.deepEqual(Object.keys(winner?.json ?? {}), ['accessToken', 'expiresAt', 'user']);
  const { userId, email } = caller;
  const after = { name: PERSON.name, email, blogRole: null, operator: true };
  assert.deepEqual(await here.recordedOf(userId), [['user.created', userId, {}, after]], 'by whom it is about');

  for (const token of tokens) assert.equal((await setUp(token, { email: 'second@example.com' })).status, 401);
  assert.equal(await node.offerSetup(here.env), null);
});
