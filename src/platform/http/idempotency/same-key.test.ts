import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { idempotencyFixture, newName } from './fixtures.ts';

const { db, count, send } = await idempotencyFixture();

describe('the same key', () => {
  test('with the same request: the effect once, and the same answer again', async () => {
    const name = newName();
    const first = await send({ name }, { key: 'again' });
    const second = await send({ name }, { key: 'again' });
    assert.deepEqual([first.status, first.count, first.replayed], [201, 1, undefined]);
    assert.deepEqual([second.status, second.text, second.replayed], [201, first.text, 'true']);
    assert.equal(second.etag, first.etag);
    assert.equal(await count(name), 1);
  });

  test('quoted is the same as bare', async () => {
    const name = newName();
    await send({ name }, { key: '"quoted"' });
    assert.equal((await send({ name }, { key: 'quoted' })).replayed, 'true');
  });

  test('with another body: 422, and no effect', async () => {
    const [name, other] = [newName(), newName()];
    await send({ name }, { key: 'other-body' });
    const second = await send({ name: other }, { key: 'other-body' });
    assert.deepEqual([second.status, second.code], [422, 'IDEMPOTENCY_KEY_REUSED']);
    assert.equal(await count(other), 0);
  });

  test('with another address of the same route: 422', async () => {
    await send(undefined, { key: 'address', path: '/v1/things/a' });
    assert.equal((await send(undefined, { key: 'address', path: '/v1/things/b' })).status, 422);
    const id = '0198c2a0-3f10-7c5e-8a51-6f0f5f3a1b01';
    await send(undefined, { key: 'id', path: `/v1/things/${id}` });
    const inUpperCase = await send(undefined, { key: 'id', path: `/v1/things/${id.toUpperCase()}` });
    assert.equal(inUpperCase.replayed, 'true', 'an id in another case is the same one');
    const again = await send(undefined, { key: 'address', path: '/v1/things/a' });
    assert.deepEqual([again.status, again.text, again.replayed], [204, '', 'true']);
  });

  test('of another caller, or on another route, is another key', async () => {
    const name = newName();
    await send({ name }, { key: 'scoped' });
    assert.equal((await send({ name }, { key: 'scoped', token: 'key2' })).count, 2);
    assert.equal((await send({ name }, { key: 'scoped', path: '/v1/secret' })).count, 3);
  });

  test('is answered by every node', async () => {
    const name = newName();
    await send({ name }, { key: 'nodes' });
    assert.equal((await send({ name }, { key: 'nodes', node: 1 })).replayed, 'true');
    assert.equal(await count(name), 1);
  });

  test('without a key every request has its effect', async () => {
    const name = newName();
    await send({ name });
    assert.equal((await send({ name })).count, 2);
  });
});

describe('without a credential', () => {
  const enter = (name: string, email: string, from?: string) =>
    send({ name, email }, { key: 'enter', token: null, path: '/v1/enter', ...(from ? { from } : {}) });

  test('two people who choose the same key do not meet', async () => {
    const [ann, bob] = [await enter(newName(), 'ann@example.com'), await enter(newName(), 'bob@example.com')];
    assert.deepEqual([ann.status, ann.json.secret, ann.replayed], [201, 'token of ann@example.com', undefined]);
    assert.deepEqual([bob.status, bob.json.secret, bob.replayed], [201, 'token of bob@example.com', undefined]);
  });

  test('nor does somebody at another address get the reply', async () => {
    const name = newName();
    await enter(name, 'eve@example.com', '192.0.2.7');
    const elsewhere = await enter(name, 'eve@example.com', '192.0.2.8');
    assert.deepEqual([elsewhere.status, elsewhere.count, elsewhere.replayed], [201, 2, undefined]);
  });

  test('the same person is answered again; another body is 422', async () => {
    const name = newName();
    const first = await enter(name, 'Dan@example.com');
    const again = await enter(name, 'Dan@example.com');
    assert.deepEqual([again.status, again.text, again.replayed], [201, first.text, 'true']);
    assert.equal((await enter(newName(), 'dan@example.com')).status, 422);
  });

  test('neither address nor e-mail is in the table', async () => {
    await enter(newName(), 'fay@example.com', '198.51.100.9');
    const { rows } = await sql<{ scope: string }>`
      select scope from idempotency_keys where scope like 'nobody:%'`.execute(db);
    assert.ok(rows.length > 0);
    for (const { scope } of rows) assert.doesNotMatch(scope, /example|198\.51/);
  });
});
