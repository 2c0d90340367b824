import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type ApiKey, type CallOptions, PosthornError } from '../../../client/src/index.ts';
import { systemClock } from '../../lib/clock.ts';
import { hear } from '../connection/service-clock.ts';
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
  const keysOf = async function* (accountId: string | undefined) {
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
    const message = 'too many\u001b[2J requests.';
    throw new PosthornError({
      code: 'RATE_LIMITED',
      message,
      status: 429,
      requestId: 'abcdefgh',
      details: [],
      currentVersion: null,
      retryAfterMs: 2000,
    });
  };
  assert.equal(
    await leftWithout(refused, { id: 'a' }),
    'Whether its account has another valid key was not found out: RATE_LIMITED: too many?[2J requests. Try again in 2 s. [request abcdefgh]',
  );
});

test('it is asked once and not for long: until it has ended, a key that leaked is valid', async () => {
  let calls: CallOptions[] = [];
  // oxlint-disable-next-line require-yield -- no reply comes
  const silent = async function* (_of: string | undefined, call: CallOptions): AsyncGenerator<ApiKey> {
    calls = [...calls, call];
    while (!call.signal?.aborted) await setImmediate();
    throw call.signal.reason;
  };
  assert.equal(
    await leftWithout(silent, { id: 'a' }, 20),
    'Whether its account has another valid key was not found out: no reply in time.',
  );
  assert.deepEqual(
    calls.map(({ maxRetries }) => maxRetries),
    [0],
  );
});

test('an old key among very many is not looked for without an end, and it is said what would find it', async () => {
  const many = Array.from({ length: 3000 }, (_, i) => keyOf(`other-${i}`, { accountId: 'others' }));
  const { keysOf, asked } = listOf([...many, keyOf('a')]);
  assert.match((await leftWithout(keysOf, { id: 'a' })) ?? '', /not found out: .*--account/);
  assert.equal(asked.keys, 1000);
  assert.match(
    (await leftWithout(keysOf, { id: 'a', accountId: 'shop' })) ?? '',
    /^The account has no other valid key/,
  );
  assert.equal(await leftWithout(listOf([keyOf('b')]).keysOf, { id: 'a' }), null, 'there is none: the service says so');
});

test('the last key of another account than the one that was named is ended as well, so that is told', async () => {
  const { keysOf } = listOf([keyOf('b', { accountId: 'others' }), keyOf('a', { accountName: 'Sh\u001bop' })]);
  assert.equal(
    await leftWithout(keysOf, { id: 'a', accountId: 'others' }),
    'It is a key of Sh?op (shop), not of the account that --account names. The account has no other valid key: what is for its endpoints is then held until it has one.',
  );
  const more = listOf([keyOf('c'), keyOf('a')]).keysOf;
  assert.equal(
    await leftWithout(more, { id: 'a', accountId: 'others' }),
    'It is a key of Shop (shop), not of the account that --account names.',
  );
});

test('only a key that stays is another one', async () => {
  const warning = /^The account has no other valid key: /;
  const revoked = keyOf('b', { revokedAt: '2026-01-02T00:00:00.000Z' });
  const elsewhere = keyOf('c', { accountId: 'others' });
  assert.match((await leftWithout(listOf([revoked, elsewhere, keyOf('a')]).keysOf, { id: 'a' })) ?? '', warning);
  assert.equal(await leftWithout(listOf([keyOf('b'), keyOf('a')]).keysOf, { id: 'a' }), null);
});

test('whether another key is valid still is a matter of the service’s clock', async () => {
  const hours = (n: number): Date => new Date(systemClock.now() + n * 3_600_000);
  const left = () =>
    leftWithout(listOf([keyOf('b', { expiresAt: hours(1).toISOString() }), keyOf('a')]).keysOf, { id: 'a' });
  try {
    assert.match((await left()) ?? '', /no other valid key after /);
    hear(hours(2).toUTCString());
    assert.match((await left()) ?? '', /no other valid key: /, 'it has expired there');
    hear(null);
    assert.match((await left()) ?? '', /no other valid key: /, 'a reply without a time says nothing');
  } finally {
    hear(new Date(systemClock.now()).toUTCString());
  }
  assert.match((await left()) ?? '', /no other valid key after /);
});
