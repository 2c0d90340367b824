import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDatabase } from '../../../../test/helpers/database.ts';
import type { SessionCaller } from '../../../contracts/caller.ts';
import { Installation } from '../fixtures.ts';
import type { IssuedApiKey } from '../schemas.ts';
import { createAccount } from '../tenants/create-account.ts';
import { createAccountApiKey, listAccountApiKeys, revokeAccountApiKey, rotateAccountApiKey } from './account-keys.ts';
import type { KeyDeps } from './issue-key.ts';
import { createKeyCache } from './key-cache.ts';

const here = new Installation(await withDatabase());
const node = here.node();
const { nextVersion } = createKeyCache(here.platform, () => here.monotonic);
const deps: KeyDeps = { cipher: here.platform.cipher, environment: 'test', log: here.platform.log, nextVersion };

const account = async (): Promise<string> =>
  (await here.trx((trx) => createAccount(trx, { name: 'Shop', type: 'MERCHANT' }, here.env))).id;
const memberOf = (...accountIds: string[]): SessionCaller => ({
  kind: 'session',
  sessionId: here.platform.newId(),
  userId: here.platform.newId(),
  name: 'Staff',
  email: null,
  blogRole: null,
  operator: false,
  accountIds,
});
const make = (caller: SessionCaller, id: string): Promise<IssuedApiKey> =>
  here.trx((trx) =>
    createAccountApiKey(trx, { caller, id, name: 'Ours', scopes: ['webhooks:manage'] }, here.env, deps),
  );

test('a member makes, lists, rotates and revokes keys of the account, and of no other', async () => {
  const [mine, other] = [await account(), await account()];
  const caller = memberOf(mine);
  const issued = await make(caller, mine);
  assert.equal((await node.authenticate(issued.key))?.kind, 'key');
  await assert.rejects(make(caller, other), { code: 'NOT_FOUND' });

  const page = { page: 1, limit: 20 };
  const listed = await listAccountApiKeys(here.platform.db, caller, { id: mine, ...page });
  assert.deepEqual(
    listed.data.map((key) => key.id),
    [issued.id],
  );
  await assert.rejects(listAccountApiKeys(here.platform.db, caller, { id: other, ...page }), { code: 'NOT_FOUND' });
  const ofNone = { id: here.platform.newId(), ...page };
  await assert.rejects(listAccountApiKeys(here.platform.db, { ...caller, operator: true }, ofNone), {
    code: 'NOT_FOUND',
  });

  const asked = { caller, id: mine, keyId: issued.id };
  const rotate = (input: typeof asked): Promise<IssuedApiKey> =>
    here.trx((trx) => rotateAccountApiKey(trx, { ...input, overlapSeconds: 60 }, here.env, deps));
  const next = await rotate(asked);
  assert.ok(await node.authenticate(issued.key), 'the old one is valid meanwhile');
  const stranger = memberOf(other);
  for (const input of [
    { ...asked, caller: stranger, keyId: next.id },
    { caller: stranger, id: other, keyId: next.id },
  ]) {
    await assert.rejects(rotate(input), { code: 'NOT_FOUND' });
    await assert.rejects(
      here.trx((trx) => revokeAccountApiKey(trx, input, here.env, deps)),
      { code: 'NOT_FOUND' },
    );
  }
  await here.trx((trx) => revokeAccountApiKey(trx, { ...asked, keyId: next.id }, here.env, deps));
  assert.equal(await node.authenticate(next.key), null);
});

test('a key that reaches beyond the account is not given anew to a member, but can be revoked', async () => {
  const id = await account();
  const caller = memberOf(id);
  for (const scope of ['events:publish', 'admin'] as const) {
    const { id: keyId, key } = await here.trx((trx) =>
      node.createApiKey(trx, { accountId: id, name: 'Theirs', scopes: ['blog:read', scope] }, here.env),
    );
    await assert.rejects(
      here.trx((trx) => rotateAccountApiKey(trx, { caller, id, keyId, overlapSeconds: 0 }, here.env, deps)),
      { code: 'FORBIDDEN' },
    );
    assert.ok(await node.authenticate(key));
    await here.trx((trx) => revokeAccountApiKey(trx, { caller, id, keyId }, here.env, deps));
    assert.equal(await node.authenticate(key), null);
  }
});
