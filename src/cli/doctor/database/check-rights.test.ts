import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from 'kysely';
import { blocksFor, placed } from '../../../../test/docs/runnable.ts';
import { rowsOf } from '../../../../test/helpers/ask.ts';
import { cleanup } from '../../../../test/helpers/cleanup.ts';
import { emptyPostgres, onlyPostgres, withDatabase } from '../../../../test/helpers/database.ts';
import { loadMigrations, migrate, openPostgres } from '../../../platform/db/index.ts';
import { checkRights } from './check-rights.ts';

const { db } = await withDatabase();

/** What is found by whoever the transaction has become; nothing of it is kept. */
async function foundAfter(...statements: string[]): Promise<string[]> {
  const end = new Error('the end');
  const found: string[] = [];
  const trying = db.transaction().execute(async (trx) => {
    for (const statement of statements) await sql.raw(statement).execute(trx);
    found.push(...(await checkRights(trx)).map((finding) => `${finding.state}: ${finding.found}`));
    throw end;
  });
  await assert.rejects(trying, end);
  return found;
}

test('a role that may do what a start does is nothing to tell of', async () => {
  assert.deepEqual(await checkRights(db), []);
});

test('a database that takes no writes is told', async () => {
  assert.deepEqual(await foundAfter('set transaction read only'), [
    'fail: the database takes no writes: it is a standby, or read-only for this role',
  ]);
});

test('a role that may not make tables, or does not own them, is told', onlyPostgres, async () => {
  const role = `posthorn_rights_${randomUUID().slice(0, 8)}`;
  const become = [`create role ${role}`, `revoke create on schema public from public`, `set local role ${role}`];
  const [create, own, ...rest] = await foundAfter(...become);
  assert.equal(create, `fail: the role ${role} may not make tables in the schema public`);
  assert.match(own ?? '', new RegExp(`^fail: the role ${role} does not own all tables \\(\\w+\\)$`));
  assert.deepEqual(rest, []);
});

const RUNNER = 'src/cli/doctor/database/check-rights.test.ts';

test('the role and the database of the page suffice, and the role that takes turns with it', onlyPostgres, async () => {
  const [block] = blocksFor('docs/operations.md', RUNNER);
  const [turn] = blocksFor('docs/operations/keys.md', RUNNER);
  const name = `posthorn_page_${randomUUID().slice(0, 8)}`;
  const admin = await emptyPostgres();
  cleanup(async () => {
    await rowsOf(admin, `drop database if exists ${name} with (force)`);
    await rowsOf(admin, `drop role if exists ${name}, ${name}_b`);
  });
  for (const text of [block, turn].map((one) => one?.text ?? '')) {
    const statements = placed(text, { posthorn: name, '…': 'of the page' }).split(';');
    for (const statement of statements.filter((one) => one.trim() !== '')) await rowsOf(admin, statement);
  }
  const migrations = await loadMigrations();
  const by = async (username: string, count: number): Promise<void> => {
    const url = Object.assign(new URL(admin), { username, password: 'of the page', pathname: `/${name}` });
    const database = await openPostgres(url.href, 2);
    cleanup(() => database.close());
    await migrate(database.db, migrations.slice(0, count));
    assert.deepEqual(await checkRights(database.db), []);
  };
  await by(name, migrations.length - 2);
  await by(`${name}_b`, migrations.length);
  await by(name, migrations.length);
});
