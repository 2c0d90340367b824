import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { onlyPostgres } from '../../../../test/helpers/database.ts';
import { idempotencyFixture, newName, type Sent } from './fixtures.ts';

const { db, count, send, onArrival } = await idempotencyFixture();

describe('at the same time', () => {
  /** Sends one request that waits inside its use case, then another one; gives both answers. */
  async function overlapping(second: Sent) {
    const name = newName();
    const key = `overlap-${name}`;
    const arrived = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    onArrival(() => (arrived.resolve(), go.promise));
    const first = send({ name }, { key });
    await arrived.promise;
    onArrival(async () => undefined);
    const refused = await send({ name }, { key, ...second });
    go.resolve();
    return { name, first: await first, refused };
  }

  test('on the same node: 409 with Retry-After, and the effect once', async () => {
    const { name, first, refused } = await overlapping({});
    assert.deepEqual([refused.status, refused.code, refused.retryAfter], [409, 'IDEMPOTENCY_IN_PROGRESS', '1']);
    assert.deepEqual([first.status, await count(name)], [201, 1]);
  });

  test('on another node: 409 too', onlyPostgres, async () => {
    const { name, first, refused } = await overlapping({ node: 1 });
    assert.deepEqual([refused.status, refused.code], [409, 'IDEMPOTENCY_IN_PROGRESS']);
    assert.deepEqual([first.status, await count(name)], [201, 1]);
  });

  test('what another node has stored meanwhile stands, and this effect is not written', onlyPostgres, async () => {
    const name = newName();
    const key = `meanwhile-${name}`;
    await send({ name: newName() }, { key: 'before' });
    // As the other one does: without the lock that its effect had, which has been taken back.
    onArrival(async () => {
      await sql`insert into idempotency_keys (scope, key, request_hash, status, body, headers, created_at)
        select scope, ${key}, request_hash, 409, '{}', '{}', created_at from idempotency_keys where key = 'before'`.execute(
        db,
      );
    });
    const reply = await send({ name }, { key });
    onArrival(async () => undefined);
    assert.deepEqual([reply.status, reply.code], [409, 'IDEMPOTENCY_IN_PROGRESS']);
    assert.equal(await count(name), 0);
  });

  test('fifty at once on two nodes: one effect, and each answer is 201 or 409', async () => {
    const name = newName();
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, i) => send({ name }, { key: 'fifty', node: i % 2 ? 1 : 0 })),
    );
    assert.equal(await count(name), 1);
    assert.ok(
      all.every((r) => [201, 409].includes(r.status)),
      JSON.stringify(all.map((r) => r.status)),
    );
    assert.ok(all.some((r) => r.status === 201 && r.replayed === undefined));
  });
});
