import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiKey } from '../../../client/src/index.ts';
import { leftWithout } from './last-key.ts';

const keyOf = (id: string, more: Partial<ApiKey> = {}): ApiKey => ({
  id,
  accountId: 'shop',
  accountName: 'Shop',
  name: 'k',
  hint: 'ph_abc',
  scopes: ['webhooks:manage'],
  createdAt: '2026-01-01T00:00:00.000Z',
  expiresAt: null,
  revokedAt: null,
  ...more,
});

/** Keys of all accounts, and how many of them were asked for. */
function listOf(keys: readonly ApiKey[]) {
  const asked = { keys: 0 };
  const keysOf = async function* (accountId?: string) {
    for (const key of keys) {
      if (accountId !== undefined && key.accountId !== accountId) continue;
      asked.keys++;
      yield key;
    }
  };
  return { asked, keysOf };
}

test('a key that leaked can be revoked where the list of keys is refused: that is told, and nothing thrown', async () => {
  // oxlint-disable-next-line require-yield -- refused before the first of them
  const refused = async function* (): AsyncGenerator<ApiKey> {
    throw new Error('RATE_LIMITED: too many requests');
  };
  const said = await leftWithout(refused, 'a');
  assert.equal(said, 'Whether its account has another valid key was not found out: RATE_LIMITED: too many requests.');
});

test('an old key among very many is not looked for without an end, and it is said what would find it', async () => {
  const many = Array.from({ length: 3000 }, (_, i) => keyOf(`other-${i}`, { accountId: 'others' }));
  const { keysOf, asked } = listOf([...many, keyOf('a')]);
  assert.match((await leftWithout(keysOf, 'a')) ?? '', /not found out: .*--account/);
  assert.equal(asked.keys, 1000);
  assert.equal(await leftWithout(listOf([keyOf('b')]).keysOf, 'a'), null, 'there is none: the service says so');
});

test('only a key that stays is another one', async () => {
  const warning = /^The account has no other valid key: /;
  const revoked = keyOf('b', { revokedAt: '2026-01-02T00:00:00.000Z' });
  const elsewhere = keyOf('c', { accountId: 'others' });
  assert.match((await leftWithout(listOf([revoked, elsewhere, keyOf('a')]).keysOf, 'a')) ?? '', warning);
  assert.equal(await leftWithout(listOf([keyOf('b'), keyOf('a')]).keysOf, 'a'), null);
});
