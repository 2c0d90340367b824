import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDatabase } from '../../../../test/helpers/database.ts';
import type { SessionCaller } from '../../../contracts/caller.ts';
import { Installation, PASSWORD } from '../fixtures.ts';
import type { OpenedSession } from '../schemas.ts';
import { addMember } from '../tenants/add-member.ts';
import { createAccount } from '../tenants/create-account.ts';
import { removeMember } from '../tenants/remove-member.ts';
import { updateUserRow } from '../users/store.ts';
import { type UpdateUserInput, updateUser } from '../users/update-user.ts';
import { changePassword, preparePassword } from './change-password.ts';
import { getMe } from './get-me.ts';
import { systemClock } from '../../../lib/clock.ts';
import { leastTime } from '../../../platform/db/index.ts';
import { purgeSessions } from './purge-sessions.ts';
import { signIn, verifySignIn } from './sign-in.ts';
import { signOut } from './sign-out.ts';
import { checkSignUpOpen, signUp } from './sign-up.ts';

const WEEK = 7 * 24 * 3600;
const here = new Installation(await withDatabase());
const node = here.node();
const other = here.node();

const enter = async (email: string, password = PASSWORD): Promise<OpenedSession> => {
  const user = await verifySignIn(here.platform.db, { email, password }, here.passwords);
  return here.trx((trx) => signIn(trx, user, here.env, WEEK));
};
const caller = async (token: string): Promise<SessionCaller> => {
  const found = await node.authenticate(token);
  assert.ok(found?.kind === 'session');
  return found;
};
const change = (id: string, input: Omit<UpdateUserInput, 'id'>) =>
  here.trx((trx) => updateUser(trx, { id, ...input }, here.env));
const refused = { code: 'UNAUTHENTICATED', message: 'E-mail address and password do not belong together.' };

test('sign-up opens a session of a user without roles; the address is taken from then on, in any case', async () => {
  const passwordHash = await here.passwords.hash('a long password');
  const input = { email: 'Reader@Example.com', name: ' Reader ', passwordHash };
  const opened = await here.trx((trx) => signUp(trx, input, here.env, WEEK));
  assert.match(opened.accessToken, /^phs_[\w-]{43}$/);
  assert.equal(opened.expiresAt, '2026-01-08T00:00:00.000Z');
  const { id, ...user } = opened.user;
  assert.deepEqual(user, { name: 'Reader', email: 'reader@example.com', blogRole: null, operator: false });
  assert.equal((await caller(opened.accessToken)).userId, id);

  const again = here.trx((trx) => signUp(trx, { ...input, email: 'READER@example.com' }, here.env, WEEK));
  await assert.rejects(again, { code: 'VALIDATION_ERROR', message: /^body\.email/ });
  assert.equal((await enter('READER@EXAMPLE.COM', 'a long password')).user.id, id);
});

test('sign-up can be closed', () => {
  checkSignUpOpen(true);
  assert.throws(() => checkSignUpOpen(false), { code: 'FORBIDDEN' });
});

test('wrong address, wrong password, disabled and imported users get one answer', async () => {
  const { id, email } = await here.user();
  await assert.rejects(enter('nobody@example.com'), refused);
  await assert.rejects(enter(email, `${PASSWORD}!`), refused);
  await change(id, { disabled: true });
  await assert.rejects(enter(email), refused);
  await change(id, { disabled: false });
  await enter(email);
});

test('an unknown address takes as long as a wrong password', async () => {
  const { email } = await here.user();
  const timed = async (address: string): Promise<number> => {
    const start = process.cpuUsage();
    await assert.rejects(enter(address, 'wrong password'), refused);
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  await timed(email);
  // The least of some: a collection of garbage is in one of them now and then.
  const least = async (address: string): Promise<number> =>
    Math.min(await timed(address), await timed(address), await timed(address));
  const [unknown, known] = [await least('nobody@example.com'), await least(email)];
  assert.ok(unknown > known / 3, `${unknown} µs of CPU against ${known} µs`);
});

test('a session ends with sign-out, on every node, and by itself', async () => {
  const { email } = await here.user();
  const [first, second] = [await enter(email), await enter(email)];
  const leaving = await caller(first.accessToken);
  await here.trx((trx) => signOut(trx, leaving, here.env));
  for (const each of [node, other]) {
    assert.equal(await each.authenticate(first.accessToken), null);
    assert.ok(await each.authenticate(second.accessToken));
  }
  here.advance(WEEK * 1000 - 1);
  assert.ok(await node.authenticate(second.accessToken));
  here.advance(1);
  assert.equal(await node.authenticate(second.accessToken), null);
});

test('disabling, roles, membership and password act on the very next call, on every node', async () => {
  const { id, email } = await here.user({ blogRole: 'EDITOR' });
  const { accessToken } = await enter(email);
  const seen = async () => {
    const [a, b] = [await node.authenticate(accessToken), await other.authenticate(accessToken)];
    assert.deepEqual(a, b);
    return a as SessionCaller | null;
  };
  assert.equal((await seen())?.blogRole, 'EDITOR');
  await change(id, { blogRole: 'AUTHOR', operator: true, name: 'New name' });
  assert.deepEqual(
    { ...(await seen()), sessionId: '' },
    {
      kind: 'session',
      sessionId: '',
      userId: id,
      name: 'New name',
      email,
      blogRole: 'AUTHOR',
      operator: true,
      accountIds: [],
    },
  );
  await here.user({ operator: true });
  await change(id, { blogRole: null, operator: false });
  assert.deepEqual([(await seen())?.blogRole, (await seen())?.operator], [null, false]);

  const account = await here.trx((trx) => createAccount(trx, { name: 'Shop', type: 'MERCHANT' }, here.env));
  const member = { id: account.id, userId: id };
  await here.trx((trx) => addMember(trx, member, here.env));
  await here.trx((trx) => addMember(trx, member, here.env));
  assert.deepEqual((await seen())?.accountIds, [account.id]);
  assert.deepEqual(await getMe(here.platform.db, await caller(accessToken)), {
    user: { id, name: 'New name', email, blogRole: null, operator: false },
    accounts: [account],
  });
  await here.trx((trx) => removeMember(trx, member, here.env));
  assert.deepEqual((await seen())?.accountIds, []);

  await change(id, { disabled: true });
  assert.equal(await seen(), null);
  await change(id, { disabled: false });
  assert.equal(await seen(), null, 'the session was ended, not suspended');
  const next = await enter(email);
  await change(id, { passwordHash: await here.passwords.hash('set by an operator') });
  assert.equal(await other.authenticate(next.accessToken), null);
  await assert.rejects(enter(email), refused);
  await enter(email, 'set by an operator');
});

test('a user changes the password and keeps this session only', async () => {
  const { email } = await here.user();
  const [mine, stolen] = [await enter(email), await enter(email)];
  const { db } = here.platform;
  const me = await caller(mine.accessToken);
  const wrong = preparePassword(
    db,
    me,
    { currentPassword: 'wrong password', newPassword: 'another password' },
    here.passwords,
  );
  await assert.rejects(wrong, { code: 'VALIDATION_ERROR', message: /^body\.currentPassword/ });

  const prepared = await preparePassword(
    db,
    me,
    { currentPassword: PASSWORD, newPassword: 'another password' },
    here.passwords,
  );
  await here.trx((trx) => changePassword(trx, me, prepared, here.env));
  assert.ok(await other.authenticate(mine.accessToken));
  assert.equal(await other.authenticate(stolen.accessToken), null);
  await assert.rejects(enter(email), refused);
  await enter(email, 'another password');
  const stale = here.trx((trx) => changePassword(trx, me, prepared, here.env));
  await assert.rejects(stale, { code: 'VALIDATION_ERROR' });
});

test('a sign-in that overlaps a change of the password opens no session', async () => {
  const { id, email } = await here.user();
  const verified = await verifySignIn(here.platform.db, { email, password: PASSWORD }, here.passwords);
  await change(id, { passwordHash: await here.passwords.hash('changed meanwhile') });
  await assert.rejects(
    here.trx((trx) => signIn(trx, verified, here.env, WEEK)),
    refused,
  );
});

test('a disabled user is refused even where a session was left open', async () => {
  const { id, email } = await here.user();
  const { accessToken } = await enter(email);
  await here.trx((trx) => updateUserRow(trx, id, { disabled_at: here.env.now }));
  assert.equal(await node.authenticate(accessToken), null);
});

test('expired sessions are removed, revoked ones kept until they expire', async () => {
  const { email } = await here.user();
  const session = await enter(email);
  const me = await caller(session.accessToken);
  await here.trx((trx) => signOut(trx, me, here.env));
  const loop = purgeSessions(here.platform);
  const left = async () =>
    (
      await here.platform.db.withTables<{ sessions: { id: string } }>().selectFrom('sessions').select('id').execute()
    ).map((r) => r.id);
  assert.equal(await loop.step(true), false);
  assert.ok((await left()).includes(me.sessionId));
  // For a while longer: a token of the identity provider that was signed out of would be let in again.
  here.advance(WEEK * 1000 + 80_000_000);
  await loop.step(true);
  assert.ok((await left()).includes(me.sessionId));
  here.advance(10_000_000);
  await loop.step(true);
  assert.deepEqual(await left(), []);
});

test('a node whose clock is ahead forgets no session that was signed out of', async () => {
  const { email } = await here.user();
  const { accessToken } = await enter(email);
  const me = await caller(accessToken);
  const { db } = here.platform;
  await db
    .withTables<{ sessions: { id: string; expires_at: Date } }>()
    .updateTable('sessions')
    .set({ expires_at: new Date(systemClock.now() + WEEK * 1000) })
    .where('id', '=', me.sessionId)
    .execute();
  const ahead = { now: () => systemClock.now() + 2 * WEEK * 1000 };
  await purgeSessions({ db, leastTime: () => leastTime(db, ahead) }).step(true);
  const kept = await db
    .withTables<{ sessions: { id: string } }>()
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', me.sessionId)
    .execute();
  assert.equal(kept.length, 1);
});
