import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { Installation, PASSWORD } from '../fixtures.ts';
import { verifySignIn } from '../sessions/sign-in.ts';
import { ensureFirstOperator } from './ensure-first-operator.ts';
import { findOrCreateAuthor } from './find-or-create-author.ts';
import { listUsers } from './list-users.ts';
import { type UpdateUserInput, updateUser } from './update-user.ts';

const here = new Installation(await withDatabase());
const { db } = here.platform;
const change = (id: string, input: Omit<UpdateUserInput, 'id'>) =>
  here.trx((trx) => updateUser(trx, { id, ...input }, here.env));
const operators = async () => (await listUsers(db, { page: 1, limit: 100, operator: true })).data;

// The tests of this file follow one another: what they are about is the only operator of the installation.

test('nodes that start together create one first operator', async () => {
  const first = { email: 'Boss@Example.com', password: PASSWORD };
  const done = await Promise.all([1, 2, 3].map(() => ensureFirstOperator(db, first, here.env, here.passwords)));
  assert.deepEqual(done.toSorted(), ['created', 'exists', 'exists']);
  assert.deepEqual(
    (await operators()).map((u) => u.email),
    ['boss@example.com'],
  );
  assert.equal(
    await ensureFirstOperator(db, { ...first, email: 'other@example.com' }, here.env, here.passwords),
    'exists',
  );
  assert.ok(await verifySignIn(db, first, here.passwords));
});

test('an installation with nobody but operators is fresh', async () => {
  assert.equal(await here.node().isFresh(db), true);
});

test('the last enabled operator stays', async () => {
  const [boss] = await operators();
  assert.ok(boss);
  const refused = { code: 'INVALID_STATE', message: 'This is the last enabled operator.' };
  await assert.rejects(change(boss.id, { operator: false }), refused);
  await assert.rejects(change(boss.id, { disabled: true }), refused);
  assert.equal((await change(boss.id, { name: 'Boss', operator: true, disabled: false })).name, 'Boss');
  const second = await here.user({ operator: true });
  await change(second.id, { disabled: true });
  await assert.rejects(change(boss.id, { operator: false }), refused, 'a disabled operator does not count');
  await change(second.id, { disabled: false });
  assert.equal((await change(boss.id, { disabled: true })).disabled, true);
  await assert.rejects(change(second.id, { operator: false }), refused);
  await change(boss.id, { disabled: false });
});

test('a new e-mail address is the one to sign in by; that of another is refused', async () => {
  const [ann, bea] = [await here.user(), await here.user()];
  const signIn = (email: string) => verifySignIn(db, { email, password: PASSWORD }, here.passwords);
  assert.equal((await change(ann.id, { email: ' Ann.New@Example.com ' })).email, 'ann.new@example.com');
  assert.equal((await signIn('ANN.new@example.com')).id, ann.id);
  await assert.rejects(signIn(ann.email), { code: 'UNAUTHENTICATED' });
  await assert.rejects(change(bea.id, { email: 'ANN.NEW@example.com' }), {
    code: 'VALIDATION_ERROR',
    details: [{ path: 'body.email', message: 'belongs to another user already' }],
  });
  assert.equal((await change(ann.id, { email: 'ann.new@example.com' })).email, 'ann.new@example.com');
});

test('two operators who take each other’s flag at once leave one', async () => {
  const ids = (await operators()).map((u) => u.id);
  assert.equal(ids.length, 2);
  const results = await Promise.allSettled(ids.map((id) => change(id, { operator: false })));
  assert.deepEqual(results.map((r) => r.status).toSorted(), ['fulfilled', 'rejected']);
  assert.equal((await operators()).length, 1);
});

test('imported authors are found by name, also by two imports at once, and cannot sign in or be operators', async () => {
  const find = (name: string) => here.trx((trx) => findOrCreateAuthor(trx, name, here.env));
  const [one, same, other] = await Promise.all([find('Ada Lovelace'), find(' Ada Lovelace '), find('ada lovelace')]);
  assert.deepEqual(one, same);
  assert.notEqual(one.id, other.id);
  assert.equal(one.name, 'Ada Lovelace');
  assert.equal((await find('   ')).name, 'Unknown author');
  assert.equal((await find('x'.repeat(300))).name.length, 100);

  const named = await here.user();
  assert.notEqual((await find(named.name)).id, named.id, 'a user who signs in is not taken for the author');
  await assert.rejects(change(one.id, { operator: true }), { code: 'INVALID_STATE' });
  await assert.rejects(change(one.id, { passwordHash: 'x' }), { code: 'INVALID_STATE' });
  await assert.rejects(change(other.id, { name: 'Ada Lovelace' }), {
    code: 'VALIDATION_ERROR',
    message: /^body\.name/,
  });
  assert.equal((await change(one.id, { blogRole: 'AUTHOR' })).blogRole, 'AUTHOR');
});

test('users are listed page by page and by filter', async () => {
  const special = await here.user({ blogRole: 'EDITOR' });
  await change(special.id, { name: '100%_\\ sure' });
  const list = (over: object) => listUsers(db, { page: 1, limit: 100, ...over });
  assert.deepEqual(
    (await list({ q: '0%_\\ S' })).data.map((u) => u.id),
    [special.id],
  );
  assert.deepEqual(
    (await list({ q: special.email.toUpperCase() })).data.map((u) => u.id),
    [special.id],
  );
  assert.deepEqual(
    (await list({ blogRole: 'EDITOR' })).data.map((u) => u.id),
    [special.id],
  );
  const all = await list({});
  const pages = [await list({ limit: 3 }), await list({ limit: 3, page: 2 }), await list({ limit: 3, page: 9 })];
  assert.deepEqual(
    pages.flatMap((p) => p.data),
    all.data.slice(0, 6),
  );
  assert.deepEqual([pages[0]?.total, pages[0]?.pages], [all.total, Math.ceil(all.total / 3)]);
});

test('an installation with a user is not fresh', async () => {
  assert.equal(await here.node().isFresh(db), false);
});

test('an unknown user cannot be changed', async () => {
  await assert.rejects(change(here.platform.newId(), { name: 'x' }), { code: 'NOT_FOUND' });
});
