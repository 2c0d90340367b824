import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { idempotencyFixture, newName } from './fixtures.ts';

const { db, nodes, count, send } = await idempotencyFixture();

describe('failures', () => {
  test('a refusal by the use case is given again, without running it again', async () => {
    const name = newName();
    const first = await send({ name, fail: 'INVALID_STATE' }, { key: 'refused' });
    const second = await send({ name, fail: 'INVALID_STATE' }, { key: 'refused' });
    assert.deepEqual([first.status, first.replayed], [409, undefined]);
    assert.deepEqual([second.status, second.code, second.replayed], [409, 'INVALID_STATE', 'true']);
    assert.equal(await count(name), 0);
  });

  test('the refusal given again carries the id of the present request', async () => {
    const body = { name: newName(), fail: 'INVALID_STATE' };
    const first = await send(body, { key: 'request-id' });
    const second = await send(body, { key: 'request-id' });
    assert.notEqual(second.requestId, first.requestId);
    assert.deepEqual(second.json, { error: { ...first.json.error, requestId: second.requestId } });
  });

  test('also by a use case that commits by itself', async () => {
    const body = { name: newName(), fail: 'INVALID_STATE' };
    await send(body, { key: 'refused', path: '/v1/batch' });
    assert.equal((await send(body, { key: 'refused', path: '/v1/batch' })).replayed, 'true');
  });

  for (const code of [
    'VALIDATION_ERROR',
    'UNAUTHENTICATED',
    'PRECONDITION_FAILED',
    'RATE_LIMITED',
    'UNAVAILABLE',
    'crash',
  ]) {
    test(`${code} is not kept: the request may be tried again`, async () => {
      const body = { name: newName(), fail: code };
      const first = await send(body, { key: `kept-${code}` });
      assert.ok(first.status >= 400);
      const second = await send(body, { key: `kept-${code}` });
      assert.deepEqual([second.status, second.replayed], [first.status, undefined]);
    });
  }

  test('a use case that fails after its effect leaves neither effect nor key', async () => {
    const name = newName();
    assert.equal((await send({ name, fail: 'crash' }, { key: 'crash' })).status, 500);
    assert.equal(await count(name), 0);
    const { rows } = await sql`select 1 from idempotency_keys where key = 'crash'`.execute(db);
    assert.equal(rows.length, 0);
    assert.equal((await send({ name }, { key: 'crash' })).count, 1);
  });

  for (const key of ['', '""', 'with space', 'tab\there', 'x'.repeat(256), '"open', 'ümlaut']) {
    test(`a bad key is 400: ${JSON.stringify(key.slice(0, 12))}`, async () => {
      const name = newName();
      const reply = await send({ name }, { key });
      assert.deepEqual([reply.status, reply.code], key === '"open' ? [201, undefined] : [400, 'VALIDATION_ERROR']);
      assert.equal(await count(name), key === '"open' ? 1 : 0);
    });
  }

  test('a key of 255 characters is taken, and none is needed for a read', async () => {
    assert.equal((await send({ name: newName() }, { key: 'x'.repeat(255) })).status, 201);
    const reply = await nodes[0].inject({
      method: 'GET',
      url: '/v1/count',
      headers: { authorization: 'Bearer key1', 'idempotency-key': 'r' },
    });
    assert.equal(reply.statusCode, 204);
  });
});
