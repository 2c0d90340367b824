import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompiledQuery, sql } from 'kysely';
import { testDb, withDatabase } from '../../../../test/helpers/database.ts';
import { inTransaction } from '../../../platform/db/index.ts';
import { createLog } from '../../../platform/log/log.ts';
import { Installation, PASSWORD } from '../fixtures.ts';
import { signIn, verifySignIn } from '../sessions/sign-in.ts';
import { ensureFirstOperator } from './ensure-first-operator.ts';
import { newUserRow } from './new-user.ts';
import { insertUser, lockFirstOperator } from './store.ts';

const settings = { POSTHORN_OPERATOR_EMAIL: 'user1@example.com', POSTHORN_OPERATOR_PASSWORD: 'of the settings' };
const here = new Installation(await withDatabase(), settings);
const told: string[] = [];
Object.assign(here.platform, { log: createLog('info', { write: (line: string) => told.push(line) }) });
const race = { skip: testDb === 'postgres' ? false : 'the embedded database has one connection' };

test('a node waits for another one that is creating the first operator', race, async () => {
  const { database, env, passwords, platform } = new Installation(await withDatabase());
  const waiting = CompiledQuery.raw(`select from pg_locks join pg_database d on d.oid = database
    where locktype = 'advisory' and not granted and d.datname = current_database()`);
  let done: Promise<string> | undefined;
  await inTransaction(database.db, async (trx) => {
    await lockFirstOperator(trx);
    const state = { finished: false };
    done = ensureFirstOperator(platform.db, { email: 'late@example.com', password: PASSWORD }, env, passwords).finally(
      () => (state.finished = true),
    );
    while (!state.finished && (await trx.executeQuery(waiting)).rows.length === 0);
    await insertUser(trx, newUserRow({ name: 'First', email: 'first@example.com', operator: true }, env));
  });
  assert.equal(await done, 'exists');
});

test('who signed up with the address of the first operator does not become the operator', async () => {
  const first = here.node({}, { POSTHORN_OPERATOR_EMAIL: 'first@example.com' });
  assert.equal(await first.ensureConfiguredOperator(here.env), 'created');
  assert.equal(await first.ensureConfiguredOperator(here.env), 'exists');
  await sql`update users set disabled_at = now() where email = 'first@example.com'`.execute(here.platform.db);
  const node = here.node();
  const squatter = await here.user();
  const verified = await verifySignIn(here.platform.db, { email: squatter.email, password: PASSWORD }, here.passwords);
  const { accessToken } = await here.trx((trx) => signIn(trx, verified, here.env, 3600));
  assert.equal(await node.ensureConfiguredOperator(here.env), 'promoted');
  assert.equal(await node.authenticate(accessToken), null);
  await assert.rejects(verifySignIn(here.platform.db, { email: squatter.email, password: PASSWORD }, here.passwords));
  const operator = await verifySignIn(
    here.platform.db,
    { email: squatter.email, password: 'of the settings' },
    here.passwords,
  );
  assert.equal(operator.operator, true);
  assert.deepEqual((await here.recordedOf(operator.id)).slice(1), [
    ['user.updated', 'SERVICE', { operator: false }, { operator: true }],
    ['user.password_changed', 'SERVICE', {}, {}],
  ]);
  assert.equal(await node.ensureConfiguredOperator(here.env), 'exists');
  assert.deepEqual(
    told.map((line) => [JSON.parse(line).level, JSON.parse(line).msg.slice(0, 62)]),
    [
      ['info', 'the first operator was made from POSTHORN_OPERATOR_EMAIL'],
      ['warn', 'the user of POSTHORN_OPERATOR_EMAIL became the first operator,'],
    ],
  );
});
