import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { Client } from '../../client/src/index.ts';
import { createAccount } from '../../src/modules/accounts/index.ts';
import { inTransaction } from '../../src/platform/db/index.ts';
import { PASSWORD } from '../helpers/service.ts';
import { type Change, openShop, url } from './shop.ts';

const shop = await openShop();
const { service, db, operator, me, accountId, businessId, member: members, merchantKey } = shop;
const { all, changesOf, newUser, key, endpoint } = shop;

const { id: deleted } = await endpoint();
await operator.pauseEndpoint({ id: deleted });
await operator.deleteEndpoint({ id: deleted });
const { id: somebody } = await newUser();
for (const disabled of [true, false]) await operator.updateUser({ id: somebody, body: { disabled } });

test('what is no configuration, and what was refused, leaves nothing', async () => {
  const { id } = await endpoint();
  const { id: keyId } = await key();
  assert.deepEqual(
    await changesOf(async () => {
      await operator.testEndpoint({ id, body: {} });
      const path = `/v1/admin/api-keys/${keyId}/rotate`;
      await service.refused('VALIDATION_ERROR', 'POST', path, {
        token: await service.operator(),
        body: { overlapSeconds: -1 },
      });
      await operator.createEndpoint({ accountId: businessId, body: { url } }).catch(() => undefined);
    }),
    [],
  );
});

test('a change that is rolled back takes its entry with it', async () => {
  const env = { now: new Date(), newId: service.service.opened.platform.newId, requestId: '' };
  const made = await changesOf(() =>
    assert.rejects(
      inTransaction(db, async (trx) => {
        await createAccount(trx, { name: 'Never', type: 'SITE' }, env);
        throw new Error('rolled back');
      }),
      /rolled back/,
    ),
  );
  assert.deepEqual(made, []);
});

test('a repeated request is recorded once, with its id', async () => {
  const ask = async () =>
    service.call('POST', '/v1/admin/accounts', {
      token: await service.operator(),
      headers: { 'idempotency-key': 'once', 'x-request-id': 'of-the-test' },
      body: { name: 'Twice', type: 'SITE' },
    });
  assert.equal((await changesOf(async () => [await ask(), await ask()])).length, 1);
  assert.equal((await all())[0]?.requestId, 'of-the-test');
});

test('no secret is kept', async () => {
  const issued = await key();
  await operator.rotateApiKey({ id: issued.id, body: {} });
  await endpoint({ headers: { Authorization: 'Bearer hush-hush' } });
  await operator.createUser({ body: { email: 'eve@example.com', name: 'Eve', password: 'very secret phrase' } });
  const { rows } = await sql<{ text: string }>`select string_agg(c::text, ' ') as text from changes c`.execute(db);
  const text = rows[0]?.text ?? '';
  assert.match(text, /Reading/);
  for (const secret of [issued.key, issued.signingSecret, 'hush', 'very secret', PASSWORD, 'scrypt'])
    assert.ok(!text.includes(secret), secret);
});

test('members read what concerns their account, without e-mail addresses and keys of others', async () => {
  const admin = await service.key(['admin'], businessId);
  const { id } = await operator.createEndpoint({ accountId, body: { url } });
  await service.client(admin.key).pauseEndpoint({ id });
  await operator.resumeEndpoint({ id });
  const list = await Array.fromAsync(members.listAccountChanges({ id: accountId, limit: 100 }));
  assert.ok(list.length > 5);
  assert.deepEqual([...new Set(list.map(({ account }) => account?.id))], [accountId]);
  const [resumed, paused] = list;
  assert.deepEqual(resumed?.actor, { kind: 'USER', id: me.id, name: me.name, hint: null });
  assert.deepEqual(paused?.actor, { kind: 'API_KEY', id: admin.id, name: null, hint: null });
  const byOwn = list.find(({ actor }) => actor.id === merchantKey.id);
  assert.match(byOwn?.actor.hint ?? '', /^ph_/);
  const [seen] = await Array.fromAsync(operator.listAccountChanges({ id: accountId, limit: 1 }));
  assert.equal(seen?.actor.hint, me.email);
});

test('what is gone, and what was renamed, is told by the name of that time; who did it by the present one', async () => {
  const { id, token, name } = await newUser();
  await operator.updateUser({ id, body: { operator: true } });
  const made = await service.client(token).createAccount({ body: { name: 'By her', type: 'SITE' } });
  await operator.updateUser({ id, body: { name: 'Renamed', operator: false } });
  const [of] = await Array.fromAsync(operator.listChanges({ thingId: made.id }));
  const gone = await Array.fromAsync(operator.listChanges({ thingId: deleted }));
  assert.deepEqual(
    gone.map(({ action, thing }) => [action, thing.name, thing.isGone]),
    ['endpoint.deleted', 'endpoint.paused', 'endpoint.created'].map((action) => [action, url, true]),
  );
  assert.equal(of?.thing.isGone, false);
  assert.equal(of?.actor.name, 'Renamed');
  const things = (await Array.fromAsync(operator.listChanges({ thingId: id }))).map(({ thing }) => thing.name);
  assert.deepEqual(things, ['Renamed', name, name]);
});

test('a list is narrowed by account, actor, action, thing and time, and read page by page', async () => {
  const list = await all();
  const ids = list.map(({ id }) => id);
  assert.deepEqual(ids, ids.toSorted().toReversed(), 'newest first');
  const page = await Array.fromAsync(operator.listChanges({ limit: 7 }));
  assert.deepEqual(
    page.map(({ id }) => id),
    ids,
    'as many pages as it takes',
  );
  const check = async (query: Parameters<Client['listChanges']>[0], fits: (change: Change) => boolean) => {
    const found = await Array.fromAsync(operator.listChanges({ ...query, limit: 100 }));
    const expected = list.filter(fits);
    assert.ok(expected.length > 0 && expected.length < list.length, JSON.stringify(query));
    assert.deepEqual(found, expected);
  };
  await check({ accountId }, ({ account }) => account?.id === accountId);
  await check({ actorId: merchantKey.id }, ({ actor }) => actor.id === merchantKey.id);
  await check({ action: ['api_key.created'] }, ({ action }) => action === 'api_key.created');
  await check({ action: ['user.disabled', 'user.enabled'] }, ({ action }) => /^user\.(dis|en)abled$/.test(action));
  await check(
    { accountId, action: ['endpoint.paused'] },
    ({ account, action }) => account?.id === accountId && action === 'endpoint.paused',
  );
  const thing = list.find(({ action }) => action === 'endpoint.deleted')?.thing.id ?? '';
  await check({ thingId: thing }, (change) => change.thing.id === thing);
  await assert.rejects(
    Array.fromAsync(operator.listChanges({ since: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' })),
    {
      code: 'VALIDATION_ERROR',
    },
  );
  assert.deepEqual(await Array.fromAsync(operator.listChanges({ until: '2020-01-01T00:00:00Z' })), []);
  assert.equal(
    (await Array.fromAsync(operator.listChanges({ since: '2020-01-01T00:00:00Z', limit: 100 }))).length,
    list.length,
  );
});

test('the record is append-only', async () => {
  const refused = /the record of changes is append-only: (update|truncate) is refused/;
  await assert.rejects(sql`update changes set action = 'x'`.execute(db), refused);
  await assert.rejects(sql`truncate changes`.execute(db), refused);
});

test('the operator of the settings was made by the service itself', async () => {
  const [first] = (await Array.fromAsync(operator.listChanges({ thingId: me.id }))).toReversed();
  assert.deepEqual(
    [first?.action, first?.actor],
    ['user.created', { kind: 'SERVICE', id: null, name: null, hint: null }],
  );
});
