import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { CompiledQuery } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { createCipher } from '../../../lib/cipher.ts';
import { credentialHash, newApiKey, signingSecretBytes } from '../../../lib/credentials.ts';
import { createLog } from '../../../platform/log/log.ts';
import { Installation } from '../fixtures.ts';
import { type Accounts, createAccounts } from '../index.ts';
import type { IssuedApiKey } from '../schemas.ts';
import { createAccount } from '../tenants/create-account.ts';
import type { KeyDeps } from './issue-key.ts';
import { createKeyCache } from './key-cache.ts';
import { listApiKeys } from './list-api-keys.ts';
import { revokeApiKey } from './revoke-api-key.ts';
import { rotateApiKey } from './rotate-api-key.ts';

const HOUR = 3_600_000;
const here = new Installation(await withDatabase());
const node = here.node();
/** Of another node, on which nobody authenticates. */
const { nextVersion } = createKeyCache(here.platform, () => here.monotonic);
const told: Record<string, unknown>[] = [];
const log = createLog('info', { write: (line: string) => told.push(JSON.parse(line)) });
const deps: KeyDeps = { cipher: here.platform.cipher, environment: 'test', log, nextVersion };

const account = async (): Promise<string> =>
  (await here.trx((trx) => createAccount(trx, { name: ' Shop ', type: 'MERCHANT' }, here.env))).id;
const newKey = (accountId: string): Promise<IssuedApiKey> =>
  here.trx((trx) =>
    node.createApiKey(trx, { accountId, name: 'Main', scopes: ['blog:read', 'webhooks:manage'] }, here.env),
  );
const rotate = (id: string, overlapSeconds = 86_400): Promise<IssuedApiKey> =>
  here.trx((trx) => rotateApiKey(trx, { id, overlapSeconds }, here.env, deps));
const revoke = (id: string): Promise<void> => here.trx((trx) => revokeApiKey(trx, { id }, here.env, deps));
const secretIds = async (accounts: Accounts, id: string): Promise<string[]> =>
  (await accounts.secretsOf(id)).map((s) => s.keyId);

test('a key authenticates its account; the database holds neither key nor secret', async () => {
  const accountId = await account();
  const issued = await newKey(accountId);
  assert.match(issued.key, /^ph_test_[0-9A-Za-z]{38}$/);
  assert.deepEqual(await node.authenticate(issued.key), {
    kind: 'key',
    keyId: issued.id,
    accountId,
    accountType: 'MERCHANT',
    scopes: ['blog:read', 'webhooks:manage'],
  });
  const [secret] = await node.secretsOf(accountId);
  assert.equal(secret?.secret, issued.signingSecret);
  assert.deepEqual(secret?.key.export(), Buffer.from(issued.signingSecret));
  assert.deepEqual(secret?.rawKey.export(), signingSecretBytes(issued.signingSecret));
  assert.equal(node.cachedSecretsOf(accountId), node.cachedSecretsOf(accountId), 'no new list for each delivery');

  const { data } = await listApiKeys(here.platform.db, { page: 1, limit: 20, accountId });
  assert.deepEqual(data, [
    {
      id: issued.id,
      accountId,
      accountName: 'Shop',
      name: 'Main',
      hint: issued.key.slice(0, 12),
      scopes: ['blog:read', 'webhooks:manage'],
      createdAt: '2026-01-01T00:00:00.000Z',
      expiresAt: null,
      revokedAt: null,
    },
  ]);
  const query = CompiledQuery.raw('select k::text as text from api_keys k');
  const { rows } = await here.platform.db.executeQuery<{ text: string }>(query);
  const stored = rows.map((r) => r.text).join();
  assert.ok(stored.includes(credentialHash(issued.key)));
  assert.ok(!stored.includes(issued.key) && !stored.includes(issued.signingSecret.slice(6)));
});

test('unknown and malformed keys are refused', async () => {
  assert.equal(await node.authenticate(newApiKey('test')), null);
  assert.equal(await node.authenticate('ph_test_nonsense'), null);
  assert.equal(await node.authenticate('whatever'), null);
});

test('a revoked key is refused on the next call, on every node that got the message', async () => {
  const accountId = await account();
  const issued = await newKey(accountId);
  const other = here.node();
  for (const each of [node, other]) {
    assert.ok(await each.authenticate(issued.key));
    assert.deepEqual(await secretIds(each, accountId), [issued.id]);
  }
  await revoke(issued.id);
  await revoke(issued.id);
  for (const each of [node, other]) {
    assert.equal(await each.authenticate(issued.key), null);
    assert.deepEqual(await secretIds(each, accountId), []);
    assert.deepEqual(each.cachedSecretsOf(accountId), []);
  }
  const unknown = here.platform.newId();
  await assert.rejects(revoke(unknown), { code: 'NOT_FOUND' });
});

test('who holds a key is known without asking once it was asked for, and no longer than that is right', async () => {
  const issued = await newKey(await account());
  await rotate(issued.id, 60);
  assert.equal(node.knownCaller(issued.key), null, 'never asked for');
  const caller = await node.authenticate(issued.key);
  assert.deepEqual(node.knownCaller(issued.key), caller);
  assert.equal(node.knownCaller(`${issued.key}x`), null);
  here.advance(5001);
  assert.equal(node.knownCaller(issued.key), null, 'a revocation may have been missed');
  assert.deepEqual(await node.authenticate(issued.key), caller);
  assert.deepEqual(node.knownCaller(issued.key), caller);
  here.advance(55_000);
  assert.equal(await node.authenticate(issued.key), null);
  assert.equal(node.knownCaller(issued.key), null, 'expired');
  const another = await newKey(await account());
  await node.authenticate(another.key);
  assert.ok(node.knownCaller(another.key));
  await revoke(another.id);
  assert.equal(node.knownCaller(another.key), null);
});

test('a node that lost the message refuses the key after 5 s', async () => {
  const accountId = await account();
  const issued = await newKey(accountId);
  assert.ok(await node.authenticate(issued.key));
  here.bus.losing = true;
  await revoke(issued.id);
  here.bus.losing = false;
  assert.ok(await node.authenticate(issued.key), 'nobody told this node');
  here.advance(5001);
  assert.equal(await node.authenticate(issued.key), null);
});

test('the node that makes the change needs no message', async () => {
  const accountId = await account();
  here.bus.losing = true;
  assert.deepEqual(await secretIds(node, accountId), []);
  const issued = await newKey(accountId);
  assert.deepEqual(await secretIds(node, accountId), [issued.id]);
  here.bus.losing = false;
});

test('a change that is rolled back changes nothing', async () => {
  const issued = await newKey(await account());
  const failing = here.trx(async (trx) => {
    await revokeApiKey(trx, { id: issued.id }, here.env, deps);
    throw new Error('later');
  });
  await assert.rejects(failing, /later/);
  assert.ok(await node.authenticate(issued.key));
});

/** What the log told of an account since it was asked. */
const toldOf = (accountId: string) =>
  told
    .splice(0)
    .filter((line) => line['accountId'] === accountId)
    .map(({ keyId, until, msg }) => ({ keyId, ...(until === undefined ? {} : { until }), msg }));

test('the log tells of the last key of an account that is revoked, and of no other', async () => {
  const accountId = await account();
  const [one, other] = [await newKey(accountId), await newKey(accountId)];
  await newKey(await account());
  await revoke(one.id);
  assert.deepEqual(toldOf(accountId), []);
  await revoke(other.id);
  const rest = 'calls with its keys are refused and what is for its endpoints is held, until it has one';
  assert.deepEqual(toldOf(accountId), [{ keyId: other.id, msg: `an account has no valid key any more: ${rest}` }]);
  await revoke(other.id);
  assert.deepEqual(toldOf(accountId), [], 'once');
});

test('it tells until when an account is left with keys that were replaced, and a node when those have expired', async () => {
  const accountId = await account();
  const old = await newKey(accountId);
  const next = await rotate(old.id, 3600);
  const until = new Date(here.clock.now() + HOUR).toISOString();
  await revoke(next.id);
  const [line] = toldOf(accountId);
  assert.deepEqual([line?.keyId, line?.until], [next.id, until]);
  assert.match(String(line?.msg), /no key any more that stays valid: after `until`, calls/);
  const sending = createAccounts({ ...here.platform, log }, { monotonic: () => here.monotonic });
  await sending.loadSecretsOf([accountId]);
  assert.equal(sending.cachedSecretsOf(accountId)?.length, 1);
  here.advance(HOUR);
  assert.equal(sending.cachedSecretsOf(accountId)?.length, 0);
  assert.equal(sending.cachedSecretsOf(accountId)?.length, 0);
  assert.match(
    toldOf(accountId)
      .map(({ msg }) => msg)
      .join(),
    /^the last key of an account .* has expired: [^:]*$/,
    'once',
  );
  await revoke(old.id);
  assert.deepEqual(toldOf(accountId), [], 'it had ended before');
});

test('a rotation keeps the old key and secret for the overlap', async () => {
  const accountId = await account();
  const old = await newKey(accountId);
  assert.ok(await node.authenticate(old.key));
  here.advance(1000);
  const next = await rotate(old.id, 3600);
  assert.notEqual(next.key, old.key);
  assert.deepEqual({ ...next, id: '', key: '', signingSecret: '' }, { ...old, id: '', key: '', signingSecret: '' });
  assert.deepEqual(await secretIds(node, accountId), [next.id, old.id], 'newest first');
  await assert.rejects(rotate(old.id), { code: 'INVALID_STATE' });

  here.advance(HOUR - 1);
  assert.ok(await node.authenticate(old.key));
  here.advance(1);
  assert.equal(await node.authenticate(old.key), null);
  assert.ok(await node.authenticate(next.key));
  assert.deepEqual(
    node.cachedSecretsOf(accountId)?.map((s) => s.keyId),
    [next.id],
    'without any query',
  );
  assert.deepEqual(await secretIds(here.node(), accountId), [next.id]);
});

test('a clock that was ahead and is set right has the old secret sign again, until its overlap is over', async () => {
  const accountId = await account();
  const old = await newKey(accountId);
  const next = await rotate(old.id, HOUR / 1000);
  toldOf(accountId);
  const both = [next.id, old.id];
  const ids = (at: Accounts) => at.cachedSecretsOf(accountId)?.map(({ keyId }) => keyId);
  const ahead = createAccounts({ ...here.platform, log }, { monotonic: () => here.monotonic });
  await node.loadSecretsOf([accountId]);
  assert.deepEqual(ids(node), both);
  here.clock.advance(2 * HOUR);
  assert.deepEqual(ids(node), [next.id]);
  await ahead.loadSecretsOf([accountId]);
  assert.deepEqual(ids(ahead), [next.id], 'read while it is ahead');
  here.clock.advance(-2 * HOUR);
  assert.deepEqual([ids(node), ids(ahead)], [both, both]);
  assert.equal(node.cachedSecretsOf(accountId), node.cachedSecretsOf(accountId), 'no new list for each delivery');
  await revoke(next.id);
  // Another node did it: this one hears of it a moment later.
  await node.loadSecretsOf([accountId]);
  here.clock.advance(HOUR);
  assert.deepEqual(ids(node), []);
  here.clock.advance(-HOUR);
  assert.deepEqual(ids(node), [old.id], 'what is revoked stays so');
});

for (const hours of [1, 26]) {
  test(`what expired a day ago is forgotten where it is asked for every ${hours} h, and read again when the clock was wrong`, async () => {
    const accountId = await account();
    const old = await newKey(accountId);
    await rotate(old.id, HOUR / 1000);
    const sending = createAccounts({ ...here.platform, log }, { monotonic: () => here.monotonic });
    const ids = () => sending.cachedSecretsOf(accountId)?.map(({ keyId }) => keyId);
    await sending.loadSecretsOf([accountId]);
    const both = ids();
    assert.equal(both?.length, 2);
    for (let passed = 0; passed < 26; passed += hours) {
      here.clock.advance(hours * HOUR);
      assert.deepEqual(ids(), both.slice(0, 1), `after ${passed + hours} h`);
    }
    here.clock.advance(-26 * HOUR);
    assert.equal(ids(), undefined, 'it is not in memory');
    await sending.loadSecretsOf([accountId]);
    assert.deepEqual(ids(), both);
  });
}

test('what was read by a clock that was ahead by days is read again once that is right, also by who asks for it to be loaded', async () => {
  const accountId = await account();
  const old = await newKey(accountId);
  const next = await rotate(old.id, HOUR / 1000);
  const ahead = here.node();
  here.clock.advance(48 * HOUR);
  assert.deepEqual(await secretIds(ahead, accountId), [next.id]);
  here.clock.advance(-48 * HOUR);
  assert.deepEqual(await secretIds(ahead, accountId), [next.id, old.id]);
});

test('that a secret cannot be opened is told of those that would sign, and not of what has expired', async () => {
  const accountId = await account();
  const old = await newKey(accountId);
  const next = await rotate(old.id, HOUR / 1000);
  here.advance(HOUR);
  const cipher = createCipher(randomBytes(32));
  const elsewhere = createAccounts({ ...here.platform, log, cipher }, { monotonic: () => here.monotonic });
  toldOf(accountId);
  await elsewhere.loadSecretsOf([accountId]);
  assert.deepEqual(
    toldOf(accountId).map(({ keyId }) => keyId),
    [next.id],
  );
});

test('a rotation without overlap ends the old key now; unknown, revoked and expired ones are not rotated', async () => {
  const accountId = await account();
  const old = await newKey(accountId);
  const next = await rotate(old.id, 0);
  assert.equal(await node.authenticate(old.key), null);
  assert.ok(await node.authenticate(next.key));
  here.clock.advance(-HOUR);
  assert.equal(await node.authenticate(old.key), null, 'also by a clock that is set back');
  assert.deepEqual(await secretIds(node, accountId), [next.id]);
  here.clock.advance(HOUR);
  const message = `This key was rotated already; rotate the key that replaced it, ${next.id}.`;
  await assert.rejects(rotate(old.id), { code: 'INVALID_STATE', message });
  await revoke(next.id);
  await assert.rejects(rotate(next.id), { code: 'INVALID_STATE', message: 'This key was revoked.' });
  await assert.rejects(rotate(here.platform.newId()), { code: 'NOT_FOUND' });
});

test('who rotates a key of before is told which one to rotate, or that there is none any more', async () => {
  const first = await newKey(await account());
  const second = await rotate(first.id);
  const third = await rotate(second.id);
  const message = `This key was rotated already; rotate the key that replaced it, ${third.id}.`;
  await assert.rejects(rotate(first.id), { code: 'INVALID_STATE', message });
  await assert.rejects(rotate(second.id), { code: 'INVALID_STATE', message });
  await revoke(third.id);
  const gone = 'This key was rotated already, and the key that replaced it was revoked; create a new one.';
  await assert.rejects(rotate(first.id), { code: 'INVALID_STATE', message: gone });
});

test('an account has at most 20 active keys, also when they are made at once', async () => {
  const accountId = await account();
  const made = await Promise.allSettled(Array.from({ length: 23 }, () => newKey(accountId)));
  const refused = made.filter((r) => r.status === 'rejected');
  assert.deepEqual(
    refused.map((r) => (r.reason as { code: string }).code),
    Array(3).fill('INVALID_STATE'),
  );
  assert.equal((await node.secretsOf(accountId)).length, 20);
  const [first] = made.filter((r) => r.status === 'fulfilled').map((r) => r.value);
  assert.ok(first);
  await assert.rejects(rotate(first.id), { code: 'INVALID_STATE' });
  const next = await rotate(first.id, 0);
  assert.equal((await node.secretsOf(accountId)).length, 20);
  await assert.rejects(newKey(accountId), { code: 'INVALID_STATE' });
  await revoke(next.id);
  await newKey(accountId);
});

test('a key needs an account', async () => {
  await assert.rejects(newKey(here.platform.newId()), { code: 'VALIDATION_ERROR', message: /^body\.accountId/ });
});

test('existing accounts are remembered, but not from a transaction that may be rolled back', async () => {
  const [known, never] = [await account(), here.platform.newId()];
  const { db } = here.platform;
  assert.deepEqual(await node.missingAccounts(db, [known, never, known, 'no-uuid']), [never, 'no-uuid']);
  assert.deepEqual(await node.missingAccounts(db, [known.toUpperCase()]), []);
  assert.equal(await node.accountType(db, known), 'MERCHANT');
  assert.equal(await node.accountType(db, never), null);
  let dropped = '';
  const failing = here.trx(async (trx) => {
    dropped = (await createAccount(trx, { name: 'x', type: 'SITE' }, here.env)).id;
    assert.deepEqual(await node.missingAccounts(trx, [dropped]), []);
    throw new Error('later');
  });
  await assert.rejects(failing, /later/);
  assert.deepEqual(await node.missingAccounts(db, [dropped]), [dropped]);
});
