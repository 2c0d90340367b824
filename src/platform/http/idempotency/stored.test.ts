import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { systemClock } from '../../../lib/clock.ts';
import { purgeIdempotencyKeys } from './idempotency.ts';
import { idempotencyFixture, newName } from './fixtures.ts';

const { db, clock, send } = await idempotencyFixture();

describe('what is stored', () => {
  const rowOf = async (key: string) => {
    const { rows } = await sql<{ body: string; request_hash: string }>`
      select body, request_hash from idempotency_keys where key = ${key}`.execute(db);
    return rows[0];
  };

  test('a reply with a secret is sealed, and given again in the clear', async () => {
    const name = newName();
    const first = await send({ name }, { key: 'secret', path: '/v1/secret' });
    assert.match(first.text, /whsec_x/);
    const row = await rowOf('secret');
    assert.ok(row && row.body.startsWith('v1.') && !row.body.includes('whsec_x'));
    assert.equal((await send({ name }, { key: 'secret', path: '/v1/secret' })).text, first.text);
  });

  test('the request is kept as a digest that needs the master key', async () => {
    const body = { name: newName() };
    await send(body, { key: 'digest' });
    const text = JSON.stringify(body);
    for (const plain of [text, `/v1/count${text}`, `/v1/count\0${text}`]) {
      for (const form of ['hex', 'base64', 'base64url'] as const) {
        assert.notEqual((await rowOf('digest'))?.request_hash, createHash('sha256').update(plain).digest(form));
      }
    }
  });

  test('a key answers for 24 hours, then it is free again', async () => {
    const name = newName();
    await send({ name }, { key: 'day' });
    clock.advance(24 * 3600 * 1000 - 1);
    assert.equal((await send({ name }, { key: 'day' })).replayed, 'true');
    clock.advance(1);
    assert.equal((await send({ name }, { key: 'day' })).count, 2);
    assert.equal((await send({ name }, { key: 'day' })).replayed, 'true');
  });

  test('a node whose clock jumps ahead does nothing twice, and removes no key that is younger by the database', async () => {
    const name = newName();
    const start = clock.now();
    clock.set(systemClock.now());
    await send({ name }, { key: 'jump' });
    clock.advance(365 * 24 * 3600 * 1000);
    assert.equal((await send({ name }, { key: 'jump', node: 1 })).replayed, 'true');
    while (await purgeIdempotencyKeys(db, new Date(clock.now())));
    assert.equal((await send({ name }, { key: 'jump' })).replayed, 'true');
    await sql`update idempotency_keys set created_at = now() - interval '24 hours' where key = 'jump'`.execute(db);
    assert.equal((await send({ name }, { key: 'jump' })).count, 2);
    clock.set(start);
    await sql`delete from idempotency_keys where key = 'jump'`.execute(db);
  });

  test('the purge removes what is older than 24 hours, and nothing else', async () => {
    const total = async () =>
      (await sql<{ n: number }>`select count(*)::int as n from idempotency_keys`.execute(db)).rows[0]?.n;
    await send({ name: newName() }, { key: 'old' });
    clock.advance(24 * 3600 * 1000);
    await send({ name: newName() }, { key: 'young' });
    assert.equal(await purgeIdempotencyKeys(db, new Date(clock.now())), false);
    assert.equal(await total(), 1);
    assert.ok(await rowOf('young'));
  });
});
