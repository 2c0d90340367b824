import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../test/helpers/database.ts';
import { Installation, PASSWORD } from './fixtures.ts';

const here = new Installation(await withDatabase(), { RATE_LIMIT_SIGN_IN: '1000' });
const node = here.node();
const app = await here.http(node);

type Json = Record<string, unknown> & { error?: { code: string; message: string } };

async function call(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: object, headers = {}) {
  const reply = await app.inject({ method, url, headers, ...(body ? { payload: body } : {}) });
  const json: Json = reply.body === '' ? {} : reply.json<Json>();
  return { status: reply.statusCode, json, replayed: reply.headers['idempotency-replayed'], code: json.error?.code };
}
const bearer = (token: unknown): { authorization: string } => ({ authorization: `Bearer ${String(token)}` });
const enter = async (email: string): Promise<{ authorization: string }> =>
  bearer((await call('POST', '/v1/auth/sign-in', { email, password: PASSWORD })).json['accessToken']);

const operator = await here.user({ operator: true });
const asOperator = await enter(operator.email);

test('sign-up, me, password, sign-out', async () => {
  const input = { email: 'New.Reader@example.com', name: 'New reader', password: PASSWORD };
  const opened = await call('POST', '/v1/auth/sign-up', input);
  assert.equal(opened.status, 201);
  assert.deepEqual(Object.keys(opened.json), ['accessToken', 'expiresAt', 'user']);
  const taken = await call('POST', '/v1/auth/sign-up', input);
  assert.deepEqual([taken.status, taken.json.error?.message], [400, 'body.email: belongs to another user already']);

  const signedIn = await call('POST', '/v1/auth/sign-in', { email: input.email, password: PASSWORD });
  assert.equal(signedIn.status, 200);
  assert.deepEqual(signedIn.json['user'], {
    id: (opened.json['user'] as Json)['id'],
    name: 'New reader',
    email: 'new.reader@example.com',
    blogRole: null,
    operator: false,
  });
  const wrong = await call('POST', '/v1/auth/sign-in', { email: input.email, password: 'x' });
  assert.deepEqual([wrong.status, wrong.code], [401, 'UNAUTHENTICATED']);

  const me = bearer(signedIn.json['accessToken']);
  assert.deepEqual((await call('GET', '/v1/auth/me', undefined, me)).json, {
    user: signedIn.json['user'],
    accounts: [],
  });
  const change = { currentPassword: PASSWORD, newPassword: 'a new password' };
  for (const [newPassword, fault] of [
    [PASSWORD, 'is the current password'],
    [' \t'.repeat(4), 'must not be blank'],
  ]) {
    const refused = await call('POST', '/v1/auth/password', { ...change, newPassword }, me);
    assert.deepEqual([refused.status, refused.json.error?.message], [400, `body.newPassword: ${fault}`]);
  }
  const blank = await call('POST', '/v1/auth/sign-up', { ...input, email: 'b@example.com', password: ' '.repeat(8) });
  assert.deepEqual([blank.status, blank.json.error?.message], [400, 'body.password: must not be blank']);
  assert.equal((await call('POST', '/v1/auth/password', change, me)).status, 204);
  assert.equal((await call('GET', '/v1/auth/me', undefined, bearer(opened.json['accessToken']))).status, 401);
  assert.equal((await call('POST', '/v1/auth/sign-out', undefined, me)).status, 204);
  assert.equal((await call('GET', '/v1/auth/me', undefined, me)).code, 'UNAUTHENTICATED');
});

test('a session of a browser is in a cookie that no script reads, and only our own pages change something with it', async () => {
  const { email } = await here.user({ blogRole: 'EDITOR' });
  const credentials = { email, password: PASSWORD };
  const key = { 'idempotency-key': 'browser-1' };
  const send = () =>
    app.inject({ method: 'POST', url: '/v1/auth/browser-session', headers: key, payload: credentials });
  const opened = await send();
  assert.deepEqual(Object.keys(opened.json<Json>()), ['expiresAt', 'user']);
  const [cookie = '', ...attributes] = String(opened.headers['set-cookie']).split('; ');
  assert.match(cookie, /^posthorn_session=phs_[\w-]{43}$/);
  assert.deepEqual(attributes.toSorted(), ['HttpOnly', 'Max-Age=1209600', 'Path=/', 'SameSite=Lax']);
  assert.equal((await send()).headers['set-cookie'], opened.headers['set-cookie'], 'repeated');
  const { rows } = await sql<{ headers: string }>`select headers from idempotency_keys where key = 'browser-1'`.execute(
    here.platform.db,
  );
  assert.ok(rows.length === 1 && !rows[0]?.headers.includes('phs_'), 'the token is not stored as it is');

  const me = await call('GET', '/v1/auth/me', undefined, { cookie });
  assert.equal((me.json['user'] as Json)['email'], email);
  const { headers } = await app.inject({ method: 'GET', url: '/v1/auth/me', headers: { cookie } });
  assert.equal(headers['cache-control'], 'private, no-store', 'no cache may give it to others');
  const wrong = await call('GET', '/v1/auth/me', undefined, { cookie, ...bearer(`phs_${'A'.repeat(43)}`) });
  assert.equal(wrong.status, 401, 'a credential that is given is the one that counts');
  const change = (headers: object) => call('POST', '/v1/auth/sign-out', undefined, { cookie, ...headers });
  for (const elsewhere of [{}, { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }])
    assert.equal((await change(elsewhere)).code, 'FORBIDDEN');
  assert.equal((await change({ origin: 'https://evil.example' })).code, 'FORBIDDEN');

  const left = await app.inject({
    method: 'POST',
    url: '/v1/auth/sign-out',
    headers: { cookie, 'sec-fetch-site': 'same-origin' },
  });
  assert.equal(left.statusCode, 204);
  assert.match(String(left.headers['set-cookie']), /^posthorn_session=; Max-Age=0; /);
  assert.equal((await call('GET', '/v1/auth/me', undefined, { cookie })).status, 401);
});

test('the same Idempotency-Key signs up once and gets the same token; another body is refused', async () => {
  const key = { 'idempotency-key': 'sign-up-1' };
  const input = { email: 'once@example.com', name: 'Once', password: PASSWORD };
  const first = await call('POST', '/v1/auth/sign-up', input, key);
  const again = await call('POST', '/v1/auth/sign-up', input, key);
  assert.deepEqual([again.status, again.json, again.replayed], [201, first.json, 'true']);
  assert.equal((await call('POST', '/v1/auth/sign-up', { ...input, name: 'Twice' }, key)).status, 422);
  const stored = await here.platform.db.selectFrom('idempotency_keys').select('body').execute();
  assert.ok(
    stored.every((row) => !row.body?.includes('phs_')),
    'no token in plain text',
  );
});

test('an operator makes accounts, users, members and keys', async () => {
  const account = await call('POST', '/v1/admin/accounts', { name: 'Shop', type: 'MERCHANT' }, asOperator);
  assert.equal(account.status, 201);
  const accountId = String(account.json['id']);
  assert.deepEqual(account.json, { id: accountId, name: 'Shop', type: 'MERCHANT' });
  const listed = await call('GET', '/v1/admin/accounts?type=MERCHANT', undefined, asOperator);
  assert.deepEqual(listed.json, { page: 1, pages: 1, total: 1, data: [account.json] });

  for (const [q, found] of [
    ['SHO', 1],
    ['%25', 0],
    ['nothing', 0],
  ] as const)
    assert.equal((await call('GET', `/v1/admin/accounts?q=${q}`, undefined, asOperator)).json['total'], found, q);
  assert.deepEqual((await call('GET', `/v1/admin/accounts/${accountId}`, undefined, asOperator)).json, account.json);

  const newUser = { email: 'staff@example.com', name: 'Staff', password: PASSWORD, blogRole: 'AUTHOR' };
  const user = await call('POST', '/v1/admin/users', newUser, asOperator);
  assert.deepEqual(
    [user.status, user.json['blogRole'], user.json['operator'], user.json['disabled']],
    [201, 'AUTHOR', false, false],
  );
  const membership = `/v1/admin/accounts/${accountId}/members/${String(user.json['id'])}`;
  assert.equal((await call('PUT', membership, undefined, asOperator)).status, 204);
  const asStaff = await enter('staff@example.com');
  assert.deepEqual((await call('GET', '/v1/auth/me', undefined, asStaff)).json['accounts'], [account.json]);
  const members = await call('GET', `/v1/admin/accounts/${accountId}/members`, undefined, asOperator);
  assert.deepEqual(members.json['data'], [user.json]);
  const seen = await call('GET', `/v1/admin/users/${String(user.json['id'])}`, undefined, asOperator);
  assert.deepEqual(seen.json, { ...user.json, accounts: [account.json] });
  assert.equal((await call('DELETE', membership, undefined, asOperator)).status, 204);
  const nowhere = membership.replace(accountId, here.platform.newId());
  for (const method of ['PUT', 'DELETE'] as const)
    assert.equal((await call(method, nowhere, undefined, asOperator)).status, 404);

  const changed = await call(
    'PATCH',
    `/v1/admin/users/${String(user.json['id'])}`,
    { blogRole: null, disabled: true },
    asOperator,
  );
  assert.deepEqual([changed.status, changed.json['blogRole'], changed.json['disabled']], [200, null, true]);
  assert.equal((await call('GET', '/v1/auth/me', undefined, asStaff)).status, 401);
  assert.equal(
    (await call('PATCH', `/v1/admin/users/${operator.id}`, { operator: false }, asOperator)).code,
    'INVALID_STATE',
  );

  const wanted = { accountId, name: 'Main', scopes: ['blog:read', 'admin'] };
  const key = await call('POST', '/v1/admin/api-keys', wanted, asOperator);
  assert.equal(key.status, 201);
  assert.deepEqual(Object.keys(key.json), ['id', 'accountId', 'name', 'key', 'signingSecret', 'scopes']);
  const asKey = bearer(key.json['key']);
  assert.equal((await call('GET', '/v1/auth/me', undefined, asKey)).status, 401, 'a key is no session');
  const keys = await call('GET', `/v1/admin/api-keys?accountId=${accountId}`, undefined, asKey);
  assert.deepEqual(keys.json['total'], 1);
  assert.ok(
    !JSON.stringify(keys.json).includes(String(key.json['key'])) && !JSON.stringify(keys.json).includes('whsec_'),
  );

  const rotated = await call('POST', `/v1/admin/api-keys/${String(key.json['id'])}/rotate`, undefined, asKey);
  assert.deepEqual([rotated.status, Object.keys(rotated.json)], [201, Object.keys(key.json)]);
  here.advance(86_400_000);
  assert.equal((await call('GET', '/v1/admin/users', undefined, asKey)).status, 401);
  const asNext = bearer(rotated.json['key']);
  const revoke = `/v1/admin/api-keys/${String(rotated.json['id'])}`;
  assert.equal((await call('DELETE', revoke, undefined, asNext)).status, 204);
  assert.equal((await call('DELETE', revoke, undefined, asNext)).status, 401);
  assert.equal((await call('DELETE', revoke, undefined, asOperator)).status, 204);
});

test('ids in upper case are the same ids', async () => {
  const last = await call('PATCH', `/v1/admin/users/${operator.id.toUpperCase()}`, { operator: false }, asOperator);
  assert.equal(last.code, 'INVALID_STATE', 'the last operator stays');
  const account = await call('POST', '/v1/admin/accounts', { name: 'Upper', type: 'SITE' }, asOperator);
  const accountId = String(account.json['id']);
  const wanted = { accountId: accountId.toUpperCase(), name: 'Upper', scopes: ['blog:read'] };
  const key = await call('POST', '/v1/admin/api-keys', wanted, asOperator);
  assert.deepEqual([key.status, key.json['accountId']], [201, accountId]);
  const url = `/v1/admin/api-keys?accountId=${accountId.toUpperCase()}`;
  assert.equal((await call('GET', url, undefined, asOperator)).json['total'], 1);
});

test('names without line breaks, marks that turn the text around, or halves of characters', async () => {
  for (const name of ['a\nb', 'a\u2028b', 'a\u0085b', 'a\u202eb', 'a\u2066b', 'a\u200fb', 'a\ud800b', '\udc00']) {
    const reply = await call('POST', '/v1/admin/accounts', { name, type: 'SITE' }, asOperator);
    assert.equal(reply.status, 400, JSON.stringify(name));
  }
  for (const name of ['Zoë 😀', '李雷', 'Ann-Marie O’Neil', 'می‌خواهم']) {
    const reply = await call('POST', '/v1/admin/accounts', { name, type: 'SITE' }, asOperator);
    assert.equal(reply.status, 201, JSON.stringify(name));
  }
});

test('who is no operator may not administer', async () => {
  const asReader = await enter((await here.user()).email);
  for (const url of ['/v1/admin/users', '/v1/admin/accounts', '/v1/admin/api-keys']) {
    assert.equal((await call('GET', url)).code, 'UNAUTHENTICATED');
    assert.equal((await call('GET', url, undefined, asReader)).code, 'FORBIDDEN');
  }
});

test('what does not fit is refused with its path', async () => {
  const user = { email: 'x@example.com', name: 'X', password: PASSWORD };
  const cases: [object, string][] = [
    [{ ...user, email: 'x' }, 'body.email'],
    [{ ...user, name: ' ' }, 'body.name'],
    [{ ...user, password: 'short' }, 'body.password'],
    [{ ...user, operator: true }, 'body.operator'],
  ];
  for (const [body, path] of cases) {
    const reply = await call('POST', '/v1/auth/sign-up', body);
    assert.equal(reply.code, 'VALIDATION_ERROR');
    assert.ok(reply.json.error?.message.startsWith(path), reply.json.error?.message);
  }
  const key = { accountId: here.platform.newId(), name: 'K', scopes: ['blog:read', 'root'] };
  assert.equal((await call('POST', '/v1/admin/api-keys', key, asOperator)).status, 400);
  assert.equal((await call('POST', '/v1/admin/api-keys', { ...key, scopes: [] }, asOperator)).status, 400);
  assert.equal((await call('GET', '/v1/admin/users?limit=101', undefined, asOperator)).status, 400);
});

test('a closed installation takes no sign-ups', async () => {
  const closed = here.node({}, { POSTHORN_SIGN_UP: false });
  const route = closed.module.routes.find((r) => r.operationId === 'signUp');
  const input = { body: { email: 'x@example.com', name: 'X', password: PASSWORD }, env: here.env } as never;
  assert.ok(route?.kind === 'batch');
  await assert.rejects(route.handle(here.platform.db, input, undefined), { code: 'FORBIDDEN' });
});
