import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { before, test } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { EVENTS } from '../src/contracts/events/index.ts';
import { cleanup } from './helpers/cleanup.ts';
import { until } from './helpers/engine.ts';
import { type SignedIn, testService } from './helpers/service.ts';

// One person, whom the marketplace and its identity provider know by one id, and this service by another.

const [issuer, audience, kid] = ['https://id.example.com', 'posthorn', 'k1'];
const { privateKey, publicKey } = await generateKeyPair('ES256');
const keySet = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid, alg: 'ES256' }] });
const provider = createServer((_request, response) => response.end(keySet));
await new Promise<void>((done) => provider.listen(0, '127.0.0.1', done));
cleanup(() => provider.close());

const service = await testService({
  env: {
    // The provider is here, and without TLS.
    POSTHORN_ENV: 'development',
    POSTHORN_ALLOWED_TARGETS: '127.0.0.1/32',
    POSTHORN_OIDC_ISSUER: issuer,
    POSTHORN_OIDC_AUDIENCE: audience,
    POSTHORN_OIDC_JWKS_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
    FRAUD_FLAG_MIN: '3',
  },
});
const operator = await service.operatorClient();
const tokenOf = (subject: string): Promise<string> =>
  new SignJWT({ name: 'Ines', iss: issuer, aud: audience, sub: subject })
    .setProtectedHeader({ alg: 'ES256', kid })
    .setExpirationTime('10m')
    .sign(privateKey);
const flags = async () => (await operator.listEvents({ event: 'moderation.flagged' })).data.map(({ data }) => data);

let reader: SignedIn;
before(async () => {
  const editor = service.client((await service.user({ blogRole: 'EDITOR' })).token);
  const { id } = await editor.createPost({
    body: { title: 'Harbour', slug: 'harbour', body: 'Text.', category: 'News' },
  });
  await editor.publishPost({ id, body: {} });
  reader = await service.user();
});
const held = 'http://a.b http://a.c http://a.d http://a.e';

test('flags of the blog, those of the marketplace and trades are about one user', async () => {
  const ines = service.client(await tokenOf('usr_ines'));
  await ines.createComment({ slug: 'harbour', body: { body: held } });
  const { id } = await ines.createComment({ slug: 'harbour', body: { body: 'Seen.' } });
  await service.client(reader.token).reportComment({ id, body: { reason: 'Rude.' } });
  assert.deepEqual(
    (await flags()).map(({ targetUserId, reporterUserId }) => [targetUserId, reporterUserId]),
    [
      ['usr_ines', reader.id],
      ['usr_ines', undefined],
    ],
  );
  const publish = (event: 'moderation.flagged' | 'trade.completed', more: object) =>
    operator.publishEvents({ body: { event, data: { ...EVENTS[event].example, ...more }, accountIds: [] } });
  await publish('trade.completed', {});
  await publish('moderation.flagged', { targetUserId: 'usr_ines' });
  const changes = async () => (await operator.getReputation({ id: 'usr_ines' })).changes ?? [];
  await until('both count', async () => (await changes()).length === 2);
  assert.deepEqual(
    (await changes()).map(({ event, delta }) => [event, delta]),
    [
      ['fraud_signal.detected', -60],
      ['trade.completed', 10],
    ],
  );
});

test('the user sees the changes of the own score by the id of the marketplace', async () => {
  const own = await service.client(await tokenOf('usr_ines')).getReputation({ id: 'usr_ines' });
  assert.deepEqual([own.score, own.changes?.map(({ event }) => event)], [510, ['trade.completed']]);
  const other = await service.client(await tokenOf('usr_tomas')).getReputation({ id: 'usr_ines' });
  assert.deepEqual([other.score, other.changes], [510, null]);
});

test('a reporter is named likewise, and who has a subject that no event can hold, by the id here', async () => {
  const odd = service.client(await tokenOf('inés with a blank'));
  const { id } = await odd.createComment({ slug: 'harbour', body: { body: 'Odd.' } });
  await service.client(await tokenOf('usr_tomas')).reportComment({ id, body: { reason: 'Odd.' } });
  const [last] = await flags();
  const { user } = await odd.getMe();
  assert.deepEqual([last?.['targetUserId'], last?.['reporterUserId']], [user.id, 'usr_tomas']);
});
