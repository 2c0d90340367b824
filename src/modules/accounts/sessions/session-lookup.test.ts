import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { credentialHash } from '../../../lib/credentials.ts';
import { Installation } from '../fixtures.ts';
import { findUser } from '../users/store.ts';
import { openSession } from './open-session.ts';
import { sessionLookup } from './session-lookup.ts';

const here = new Installation(await withDatabase());
const node = here.node();

/** A user with a session. */
async function signedIn(): Promise<{ userId: string; token: string }> {
  const { id } = await here.user();
  const { accessToken } = await here.trx(async (trx) => {
    const user = await findUser(trx, id);
    return openSession(trx, user as NonNullable<typeof user>, here.env, 3600);
  });
  return { userId: id, token: accessToken };
}

/** A lookup that counts its queries, each of which may be made to fail. */
function counting() {
  const state = { queries: 0, fails: false };
  const db = here.platform.db.withPlugin({
    transformQuery({ node: query }) {
      state.queries++;
      if (state.fails) throw new Error('the database is away');
      return query;
    },
    transformResult: async ({ result }) => result,
  });
  return { state, find: sessionLookup(db, here.clock) };
}

test('requests of one moment share one query, and each gets its own answer', async () => {
  const [ann, bob] = [await signedIn(), await signedIn()];
  const { state, find } = counting();
  const hashes = [ann, bob, ann].map(({ token }) => credentialHash(token));
  const found = await Promise.all([...hashes, credentialHash('phs_nobody')].map((hash) => find(hash, null)));
  assert.deepEqual(
    found.map((owner) => owner?.userId ?? null),
    [ann.userId, bob.userId, ann.userId, null],
  );
  assert.equal(state.queries, 1);
  assert.deepEqual(Object.keys(found[0] ?? {}).toSorted(), [
    'accountIds',
    'blogRole',
    'email',
    'name',
    'operator',
    'sessionId',
    'userId',
  ]);
  await find(hashes[0] as string, null);
  assert.equal(state.queries, 2, 'nothing is remembered');
  assert.equal(await find(hashes[0] as string, 'https://issuer.example'), null);
});

test('all are told of a database that is away, and the next ones ask again', async () => {
  const ann = await signedIn();
  const { state, find: findBy } = counting();
  const find = () => findBy(credentialHash(ann.token), null);
  state.fails = true;
  const told = await Promise.allSettled([find(), find()]);
  assert.deepEqual(
    told.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  state.fails = false;
  assert.equal((await find())?.userId, ann.userId);
  assert.ok(await node.authenticate(ann.token));
});
