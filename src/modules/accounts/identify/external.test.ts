import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { exportJWK, generateKeyPair, type JSONWebKeySet, type JWTPayload, SignJWT } from 'jose';
import { withDatabase } from '../../../../test/helpers/database.ts';
import type { SessionCaller } from '../../../contracts/caller.ts';
import { createLog } from '../../../platform/log/log.ts';
import { Installation } from '../fixtures.ts';
import type { Accounts } from '../index.ts';
import { signOut } from '../sessions/sign-out.ts';
import { marketplaceIds } from '../users/store.ts';
import { updateUser } from '../users/update-user.ts';

const ISSUER = 'https://id.example.com';
const AUDIENCE = 'posthorn';
const here = new Installation(await withDatabase(), {
  POSTHORN_OIDC_ISSUER: ISSUER,
  POSTHORN_OIDC_JWKS_URL: `${ISSUER}/jwks`,
  POSTHORN_OIDC_AUDIENCE: AUDIENCE,
});
const now = (): number => Math.floor(here.clock.now() / 1000);

async function signer(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: 'ES256' };
  const sign = (sub: string, claims: JWTPayload = {}): Promise<string> =>
    new SignJWT({ iss: ISSUER, aud: AUDIENCE, exp: now() + 600, name: 'Ann', ...claims, sub })
      .setProtectedHeader({ alg: 'ES256', kid })
      .sign(privateKey);
  return { jwk, sign };
}

/** The provider's key set, and how often it was asked for. */
const provider = { keys: [] as JSONWebKeySet['keys'], fetches: 0, away: false };
const fetchJwks = async (): Promise<JSONWebKeySet> => {
  provider.fetches++;
  if (provider.away) throw new Error('away');
  return { keys: provider.keys };
};
const key = await signer('k1');
provider.keys = [key.jwk];
const node = here.node({ fetchJwks });
const other = here.node({ fetchJwks });

const enter = async (token: string, accounts: Accounts = node): Promise<SessionCaller> => {
  const caller = await accounts.authenticate(token);
  assert.ok(caller?.kind === 'session', 'the token is accepted');
  return caller;
};

test('a good token is a session of a user who is created once', async () => {
  const token = await key.sign('ann', { email: 'Ann@Example.com', email_verified: true });
  const [first, second] = await Promise.all([enter(token), enter(token, other)]);
  assert.deepEqual(first, second);
  assert.deepEqual(
    { ...first, sessionId: '', userId: '' },
    {
      kind: 'session',
      sessionId: '',
      userId: '',
      name: 'Ann',
      email: 'ann@example.com',
      blogRole: null,
      operator: false,
      accountIds: [],
    },
  );
  const renewed = await enter(await key.sign('ann', { name: 'Other name', jti: '2' }));
  assert.deepEqual([renewed.userId, renewed.name], [first.userId, 'Ann']);
  assert.notEqual(renewed.sessionId, first.sessionId);
  assert.equal(provider.fetches, 2, 'once per node');
});

test('an e-mail address is taken over only when it is verified and free', async () => {
  const user = await here.user();
  const email = async (sub: string, claims: JWTPayload) => (await enter(await key.sign(sub, claims))).email;
  assert.equal(await email('unverified', { email: 'u@example.com' }), null);
  assert.equal(await email('text', { email: 'u@example.com', email_verified: 'true' }), null);
  assert.equal(await email('taken', { email: user.email.toUpperCase(), email_verified: true }), null);
  assert.equal(await email('free', { email: 'u@example.com', email_verified: true }), 'u@example.com');
});

test('an e-mail address that the provider has changed is taken over, unless another user has it', async () => {
  const of = async (email: string, verified: boolean) =>
    (await enter(await key.sign('moved', { email, email_verified: verified, jti: email }))).email;
  assert.equal(await of('before@example.com', true), 'before@example.com');
  assert.equal(await of('unproven@example.com', false), 'before@example.com');
  assert.equal(await of('After@Example.com', true), 'after@example.com');
  const { email: ours } = await here.user();
  assert.equal(await of(ours, true), 'after@example.com');
  const { userId: id } = await enter(await key.sign('moved'));
  const [before, after] = [{ email: 'before@example.com' }, { email: 'after@example.com' }];
  assert.deepEqual(await here.recordedOf(id), [['user.updated', 'SERVICE', before, after]]);
  const change = here.trx((trx) => updateUser(trx, { id, email: 'ours@example.com' }, here.env));
  await assert.rejects(change, { code: 'INVALID_STATE' });
});

test('an e-mail address that the provider has given to somebody else goes with it, and no mail for the one to the other', async () => {
  const of = async (sub: string, email: string, jti = '') =>
    (await enter(await key.sign(sub, { email, email_verified: true, jti }))).email;
  const sure = (id: string) => node.mailRecipient(here.platform.db, id).then((to) => to?.email ?? null);
  assert.equal(await of('left', 'desk@example.com'), 'desk@example.com');
  assert.equal(await of('new', 'desk@example.com'), 'desk@example.com');
  assert.deepEqual([await sure('left'), await sure('new')], [null, 'desk@example.com']);
  // Known before, it may get another's too, and gives its own back.
  assert.equal(await of('left', 'left@example.com', '2'), 'left@example.com');
  assert.equal(await of('left', 'desk@example.com', '3'), 'desk@example.com');
  assert.deepEqual([await sure('left'), await sure('new')], ['desk@example.com', null]);
});

test('a user is shown by a name and never by an address, which everybody would see', async () => {
  const of = async (sub: string, claims: JWTPayload) => (await enter(await key.sign(sub, claims))).name;
  const email = { email: 'alice@example.com', email_verified: true };
  assert.equal(await of('a1', { ...email, name: undefined }), 'Reader');
  assert.equal(await of('a2', { name: 'alice@example.com' }), 'Reader');
  assert.equal(await of('a3', { name: undefined, preferred_username: 'alice@example.com' }), 'Reader');
  assert.equal(await of('a4', { name: undefined, preferred_username: 'alice' }), 'alice');
  assert.equal(await of('a5', { name: 'Ann @ Shop' }), 'Ann @ Shop');
  const { userId: id } = await enter(await key.sign('a5', { jti: '2' }));
  await here.trx((trx) => updateUser(trx, { id, name: 'alice@example.com' }, here.env));
  await enter(await key.sign('a5', { jti: '3' }));
  assert.equal(await of('a5', { jti: '4' }), 'Ann', 'who was called so before');
});

test('whom the marketplace names by a UUID in capitals is found by the subject in small letters', async () => {
  const subject = '0195f2a4-7b1c-7d3e-9f00-0a1b2c3d4e5f';
  const email = 'caps@example.com';
  const { userId } = await enter(await key.sign(subject, { email, email_verified: true }));
  const { db } = here.platform;
  for (const id of [subject, subject.toUpperCase()])
    assert.deepEqual(await node.mailRecipient(db, id), { userId, name: 'Ann', email });
  assert.ok((await marketplaceIds(db, userId)).includes(subject.toUpperCase()));
});

test('tokens of others, for others, of another time or without a signature are refused', async () => {
  const stranger = await signer('k1');
  const good = await key.sign('bad');
  const [header, payload = '', signature] = good.split('.');
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const hmacInput = `${encode({ alg: 'HS256', kid: 'k1' })}.${payload}`;
  const publicKeyText = JSON.stringify(key.jwk);
  const cases: Record<string, string> = {
    'another audience': await key.sign('bad', { aud: 'another' }),
    'no audience': await key.sign('bad', { aud: [] }),
    'another issuer': await key.sign('bad', { iss: 'https://evil.example.com' }),
    expired: await key.sign('bad', { exp: now() - 6 }),
    'without end': await key.sign('bad', { exp: undefined as unknown as number }),
    'an end after the year 9999': await key.sign('bad', { exp: 1e15 }),
    'not valid yet': await key.sign('bad', { nbf: now() + 60 }),
    'another key': await stranger.sign('bad'),
    'alg none': `${encode({ alg: 'none' })}.${payload}.`,
    'alg none with text': `${encode({ alg: 'none' })}.${payload}.${signature}`,
    'changed claims': `${header}.${encode({ sub: 'boss' })}.${signature}`,
    'a shared secret': `${hmacInput}.${createHmac('sha256', publicKeyText).update(hmacInput).digest('base64url')}`,
    'no JSON': 'a.b.c',
    'empty subject': await key.sign(''),
    'a subject that is no text': await key.sign(7 as unknown as string),
  };
  for (const [name, token] of Object.entries(cases)) assert.equal(await node.authenticate(token), null, name);
  await enter(good);
  const moved = here.node({ fetchJwks }, { POSTHORN_OIDC_ISSUER: 'https://new.example.com' });
  assert.equal(await moved.authenticate(good), null, 'the installation has another provider now');
});

test('a token that the time of the service refuses is judged by the clock of the machine', async () => {
  const { ownClock } = here.platform;
  const early = await key.sign('early', { nbf: now() + 30 });
  assert.equal(await node.authenticate(early), null);
  Object.assign(here.platform, { ownClock: { now: () => here.clock.now() + 30_000 } });
  await enter(early, here.node({ fetchJwks }));
  const late = await key.sign('late', { nbf: now() + 90 });
  assert.equal(await here.node({ fetchJwks }).authenticate(late), null);
  Object.assign(here.platform, { ownClock });
});

test('a refused token tells in the log what does not fit, once a minute, and neither nonsense nor an end does', async () => {
  const told: { level: string; msg: string; reason: string; found?: string; untold?: number }[] = [];
  const log = createLog('info', { write: (line: string) => told.push(JSON.parse(line)) });
  const quiet = here.platform.log;
  Object.assign(here.platform, { log });
  const fresh = here.node({ fetchJwks });
  Object.assign(here.platform, { log: quiet });
  const refused = async (claims: JWTPayload): Promise<unknown> => fresh.authenticate(await key.sign('bad', claims));
  for (const aud of ['account', 'another', ['one', 'two']]) assert.equal(await refused({ aud }), null);
  assert.equal(await refused({ iss: `${ISSUER}/` }), null);
  assert.equal(await refused({ nbf: now() + 60 }), null);
  assert.equal(await refused({ exp: now() - 6 }), null);
  assert.equal(await fresh.authenticate(await key.sign(7 as unknown as string)), null);
  const header = Buffer.from(JSON.stringify({ alg: 'RS256', crit: ['made up'], 'made up': 1 })).toString('base64url');
  for (const nonsense of ['a.b.c', `e30.${'x'.repeat(20)}.e30`, `${header}.e30.e30`])
    assert.equal(await fresh.authenticate(nonsense), null);
  here.advance(60_000);
  await refused({ aud: 'later' });
  assert.deepEqual(
    told.map(({ reason, found, untold }) => [reason, found, untold]),
    [
      ['unexpected "aud" claim value', '"account"', undefined],
      ['unexpected "iss" claim value', `"${ISSUER}/"`, undefined],
      ['"nbf" claim timestamp check failed', String(now()), undefined],
      ['"sub" is no text', '7', undefined],
      ['unexpected "aud" claim value', '"later"', 2],
    ],
  );
  for (const { level, msg } of told)
    assert.match(`${level} ${msg}`, /^warn a token was refused that is not as POSTHORN_OIDC_ISSUER/);
});

test('a token ends when it says so, and with sign-out, a disabled user and a withdrawn key before', async () => {
  const token = await key.sign('leaver', { exp: now() + 60 });
  const caller = await enter(token);
  await here.trx((trx) => signOut(trx, caller, here.env));
  for (const each of [node, other]) assert.equal(await each.authenticate(token), null);
  // The last of the 86 characters of a signature of 64 bytes has four bits that say nothing.
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const respelt = token.slice(0, -1) + digits[digits.indexOf(token.at(-1) ?? '') ^ 1];
  assert.equal(await node.authenticate(respelt), null, 'another spelling of the signature');

  const second = await key.sign('leaver', { exp: now() + 60, jti: '2' });
  await enter(second);
  await here.trx((trx) => updateUser(trx, { id: caller.userId, disabled: true }, here.env));
  assert.equal(await other.authenticate(second), null);
  assert.equal(await node.authenticate(await key.sign('leaver', { jti: '3' })), null);
  await here.trx((trx) => updateUser(trx, { id: caller.userId, disabled: false }, here.env));
  assert.equal(await other.authenticate(second), null, 'ended, not suspended');

  const third = await key.sign('leaver', { exp: now() + 60, jti: '4' });
  await enter(third);
  here.advance(60_000);
  assert.equal(await node.authenticate(third), null);
});

test('a new key is found by one more fetch, at most every 30 s', async () => {
  const next = await signer('k2');
  here.advance(31_000);
  const before = provider.fetches;
  for (let i = 0; i < 5; i++) assert.equal(await node.authenticate(await next.sign('kay', { jti: `${i}` })), null);
  assert.equal(provider.fetches, before + 1);
  provider.keys = [key.jwk, next.jwk];
  here.advance(29_999);
  assert.equal(await node.authenticate(await next.sign('kay')), null);
  assert.equal(provider.fetches, before + 1);
  here.advance(1);
  assert.equal((await enter(await next.sign('kay'))).name, 'Ann');
  assert.equal(provider.fetches, before + 2);
});

test('with the provider away the old keys stay in use; without any the answer is UNAVAILABLE', async () => {
  provider.away = true;
  here.advance(3_600_000);
  await enter(await key.sign('ann', { jti: 'away' }));
  const fresh = here.node({ fetchJwks });
  const token = await key.sign('ann', { jti: 'fresh' });
  await assert.rejects(fresh.authenticate(token), { code: 'UNAVAILABLE' });
  provider.away = false;
  await assert.rejects(fresh.authenticate(token), { code: 'UNAVAILABLE' });
  here.advance(30_000);
  await enter(token, fresh);
});

test('with a provider that hangs only the first who finds the keys old waits for it', async () => {
  let hangs = false;
  let endsWait = (): void => undefined;
  const slow = here.node({
    fetchJwks: async () => {
      if (!hangs) return fetchJwks();
      await new Promise<void>((done) => (endsWait = done));
      throw new Error('no answer');
    },
  });
  const token = await key.sign('ann', { exp: now() + 7200, jti: 'slow' });
  await enter(token, slow);
  hangs = true;
  here.advance(600_001);
  const first = enter(token, slow);
  await turn();
  endsWait();
  await first;
  here.advance(30_000);
  await enter(token, slow);
  endsWait();
  await turn();
  hangs = false;
  here.advance(30_000);
  await enter(token, slow);
});

test('a withdrawn key takes its tokens with it within 10 min', async () => {
  here.advance(600_001);
  const token = await key.sign('ann', { exp: now() + 7200, jti: 'withdrawn' });
  await enter(token);
  provider.keys = [];
  here.advance(600_001);
  assert.equal(await node.authenticate(token), null);
});

test('without an issuer no token is looked at; without an audience the service does not start', async () => {
  const off = new Installation(await withDatabase());
  assert.equal(await off.node({ fetchJwks }).authenticate(await key.sign('ann')), null);
  assert.throws(() => off.node({}, { POSTHORN_OIDC_ISSUER: ISSUER }), /POSTHORN_OIDC_AUDIENCE/);
});
