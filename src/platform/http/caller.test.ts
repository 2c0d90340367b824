import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller, Scope } from '../../contracts/caller.ts';
import type { AppError, ErrorCode } from '../../contracts/errors.ts';
import { newApiKey, newSigningSecret } from '../../lib/credentials.ts';
import { authorize, identify, nobodyId } from './caller.ts';
import type { Access } from './route.ts';

const key = (...scopes: Scope[]): Caller => ({
  kind: 'key',
  keyId: 'k',
  accountId: 'a',
  accountType: 'MERCHANT',
  scopes,
});
const session = (more: object = {}): Caller => ({
  kind: 'session',
  sessionId: 's',
  userId: 'u',
  name: 'n',
  email: null,
  blogRole: null,
  operator: false,
  accountIds: [],
  ...more,
});
const CALLERS = {
  'key blog:read': key('blog:read'),
  'key webhooks:manage': key('webhooks:manage'),
  'key admin': key('admin'),
  reader: session(),
  author: session({ blogRole: 'AUTHOR' }),
  editor: session({ blogRole: 'EDITOR' }),
  member: session({ accountIds: ['a'] }),
  operator: session({ operator: true }),
} as const;

const yes = null;
const U: ErrorCode = 'UNAUTHENTICATED';
const F: ErrorCode = 'FORBIDDEN';
/** Who may call what: one row an access policy, in the order of CALLERS (contract: "Callers"). */
const TABLE: [Exclude<Access, 'public'>, (ErrorCode | null)[]][] = [
  //                             read manage admin reader author editor member operator
  ['any', [yes, yes, yes, yes, yes, yes, yes, yes]],
  [{ key: 'blog:read' }, [yes, F, yes, yes, yes, yes, yes, yes]],
  [{ key: 'events:publish' }, [F, F, yes, F, F, F, F, yes]],
  [{ account: 'webhooks:manage' }, [F, yes, yes, F, F, F, yes, yes]],
  ['session', [U, U, U, yes, yes, yes, yes, yes]],
  ['writer', [U, U, U, F, yes, yes, F, F]],
  ['editor', [U, U, U, F, F, yes, F, F]],
  ['operator', [F, F, yes, F, F, F, F, yes]],
];

for (const [access, row] of TABLE) {
  test(`access ${JSON.stringify(access)}`, () => {
    const found = Object.entries(CALLERS).map(([name, caller]) => {
      try {
        authorize(access, caller);
        return [name, null];
      } catch (error) {
        return [name, (error as AppError).code];
      }
    });
    assert.deepEqual(
      found,
      Object.keys(CALLERS).map((name, i) => [name, row[i]]),
    );
  });
}

test('who may not is told the scope of a key that may', () => {
  const asks = (caller: Caller) => () => authorize({ key: 'events:publish' }, caller);
  assert.throws(asks(CALLERS.member), {
    code: F,
    message: /an API key with the scope events:publish, or the session of an operator/,
  });
  assert.throws(asks(CALLERS['key blog:read']), { code: F, message: 'This API key lacks the scope events:publish.' });
});

test('a credential is read from a Bearer header only, and who is unknown is told nothing else', async () => {
  const authenticate = async (bearer: string): Promise<Caller | null> => (bearer === 'good' ? CALLERS.reader : null);
  assert.equal(await identify('Bearer good', 'of the cookie', authenticate), CALLERS.reader);
  assert.equal(await identify('  bearer   good ', null, authenticate), CALLERS.reader);
  assert.equal(await identify(undefined, 'good', authenticate), CALLERS.reader);
  for (const header of [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'Basic good',
    'good',
    'Bearer bad',
    `Bearer ${'x'.repeat(5000)}`,
    'Bearer gööd',
  ]) {
    await assert.rejects(
      identify(header, header === undefined ? null : 'good', authenticate),
      { code: U, headers: { 'www-authenticate': 'Bearer' } },
      String(header),
    );
  }
});

test('who sends the signing secret, or a part of a key, is told so', async () => {
  const isRefused = (bearer: string, message: RegExp) =>
    assert.rejects(
      identify(`Bearer ${bearer}`, null, async () => null),
      { code: U, message },
    );
  const key = newApiKey('live');
  await isRefused(newSigningSecret(), /signing secret/);
  await isRefused(key.slice(0, -1), /incomplete or mistyped/);
  await isRefused(key, /^The credential is unknown, expired or revoked\.$/);
  await isRefused('phs_abc', /^The credential is unknown, expired or revoked\.$/);
});

test('who has no credential is told apart by network and e-mail, of which no more is kept than an e-mail has', () => {
  const email = 'Ann@example.com';
  assert.equal(
    nobodyId('2001:db8:1:1::1', { email }),
    nobodyId('2001:db8:1:1:ffff::e', { email: email.toLowerCase() }),
  );
  assert.notEqual(nobodyId('2001:db8:1:1::1', { email }), nobodyId('2001:db8:1:2::1', { email }));
  assert.notEqual(nobodyId('192.0.2.1', { email }), nobodyId('192.0.2.1', { email: 'bob@example.com' }));
  assert.ok(nobodyId('192.0.2.1', { email: 'x'.repeat(60_000) }).length < 300);
  assert.equal(nobodyId('192.0.2.1', undefined), nobodyId('192.0.2.1', { email: 7 }));
});
