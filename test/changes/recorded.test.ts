import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '../../client/src/index.ts';
import { PASSWORD } from '../helpers/service.ts';
import { Declared } from '../operations/declared.ts';
import { type Change, openShop, url } from './shop.ts';

const shop = await openShop();
const { service, operator, me, accountId, member: members, merchantKey } = shop;
const { all, changesOf, newUser, key, endpoint, subscription } = shop;
const editor = await service.user({ blogRole: 'EDITOR' });

interface Expected {
  action: Change['action'];
  by?: string | null;
  account?: string | null;
  thing: string;
  before?: object;
  after?: object;
}
const inShop = { account: 'Shop' } as const;
const asked = (expected: Expected) => ({ by: me.name, account: null, before: {}, after: {}, ...expected });
const expiry = (of: unknown): string => (of as { expiresAt: string }).expiresAt;

/** Each operation that changes configuration: what it leaves. */
const RECORDED: Readonly<Record<string, () => Promise<void>>> = {
  async createAccount() {
    const made = await changesOf(() => operator.createAccount({ body: { name: ' New ', type: 'SITE' } }));
    const after = { name: 'New', type: 'SITE' };
    assert.deepEqual(made, [asked({ action: 'account.created', account: 'New', thing: 'ACCOUNT New', after })]);
  },
  async updateAccount() {
    const { id } = await operator.createAccount({ body: { name: 'Before', type: 'SITE' } });
    const rename = (name: string) => changesOf(() => operator.updateAccount({ id, body: { name } }));
    const expected = { action: 'account.renamed', account: 'After', thing: 'ACCOUNT After' } as const;
    const values = { before: { name: 'Before' }, after: { name: 'After' } };
    assert.deepEqual(await rename(' After '), [asked({ ...expected, ...values })]);
    assert.equal((await operator.getAccount({ id })).name, 'After');
    assert.deepEqual(await rename('After'), [], 'as it was');
  },
  async addMember() {
    const { id: userId, name } = await newUser();
    const add = () => operator.addMember({ id: accountId, userId });
    assert.deepEqual(await changesOf(add), [asked({ ...inShop, action: 'member.added', thing: `USER ${name}` })]);
    assert.deepEqual(await changesOf(add), [], 'who is one already');
  },
  async removeMember() {
    const { id: userId, name } = await newUser();
    await operator.addMember({ id: accountId, userId });
    const remove = () => operator.removeMember({ id: accountId, userId });
    assert.deepEqual(await changesOf(remove), [asked({ ...inShop, action: 'member.removed', thing: `USER ${name}` })]);
    assert.deepEqual(await changesOf(remove), [], 'who is none any more');
  },
  async createUser() {
    const body = { email: 'Ada@example.com', name: 'Ada', password: PASSWORD, blogRole: 'AUTHOR' as const };
    const after = { name: 'Ada', email: 'ada@example.com', blogRole: 'AUTHOR', operator: false };
    const made = await changesOf(() => operator.createUser({ body }));
    assert.deepEqual(made, [asked({ action: 'user.created', thing: 'USER Ada', after })]);
  },
  async updateUser() {
    const { id, name } = await newUser();
    const change = (body: NonNullable<Parameters<Client['updateUser']>[0]['body']>) =>
      changesOf(() => operator.updateUser({ id, body }));
    assert.deepEqual(await change({ name: 'Bea', blogRole: null, operator: true, password: `${PASSWORD} 2` }), [
      asked({
        action: 'user.updated',
        thing: 'USER Bea',
        before: { name, operator: false },
        after: { name: 'Bea', operator: true },
      }),
      asked({ action: 'user.password_changed', thing: 'USER Bea' }),
    ]);
    assert.deepEqual(await change({ disabled: true }), [asked({ action: 'user.disabled', thing: 'USER Bea' })]);
    assert.deepEqual(await change({ disabled: true, name: 'Bea' }), [], 'as it was');
    assert.deepEqual(await change({ disabled: false }), [asked({ action: 'user.enabled', thing: 'USER Bea' })]);
  },
  async changePassword() {
    const { token, name } = await newUser();
    const body = { currentPassword: PASSWORD, newPassword: `${PASSWORD} 3` };
    assert.deepEqual(await changesOf(() => service.client(token).changePassword({ body })), [
      asked({ action: 'user.password_changed', by: name, thing: `USER ${name}` }),
    ]);
  },
  async createApiKey() {
    const after = { scopes: ['blog:read'] };
    const made = await changesOf(() => key());
    assert.deepEqual(made, [asked({ ...inShop, action: 'api_key.created', thing: 'API_KEY Reading', after })]);
  },
  async rotateApiKey() {
    const { id } = await key();
    let anew = '';
    const made = await changesOf(async () => (anew = (await operator.rotateApiKey({ id, body: {} })).id));
    const after = { replacedBy: anew, expiresAt: expiry(made[0]?.after) };
    assert.deepEqual(made, [asked({ ...inShop, action: 'api_key.rotated', thing: 'API_KEY Reading', after })]);
  },
  async revokeApiKey() {
    const { id } = await key();
    const revoke = () => operator.revokeApiKey({ id });
    const made = [asked({ ...inShop, action: 'api_key.revoked', thing: 'API_KEY Reading' })];
    assert.deepEqual(await changesOf(revoke), made);
    assert.deepEqual(await changesOf(revoke), [], 'which was revoked before');
  },
  async createAccountApiKey() {
    const body = { name: 'Ours', scopes: ['webhooks:manage' as const] };
    const made = await changesOf(() => members.createAccountApiKey({ id: accountId, body }));
    const { name: by } = (await members.getMe()).user;
    const after = { scopes: ['webhooks:manage'] };
    assert.deepEqual(made, [asked({ ...inShop, by, action: 'api_key.created', thing: 'API_KEY Ours', after })]);
  },
  async rotateAccountApiKey() {
    const { id: keyId } = await key();
    const body = { overlapSeconds: 0 };
    const [made] = await changesOf(() => members.rotateAccountApiKey({ id: accountId, keyId, body }));
    assert.deepEqual([made?.action, made?.by], ['api_key.rotated', (await members.getMe()).user.name]);
  },
  async revokeAccountApiKey() {
    const { id: keyId } = await key();
    const [made] = await changesOf(() => members.revokeAccountApiKey({ id: accountId, keyId }));
    assert.deepEqual([made?.action, made?.account], ['api_key.revoked', 'Shop']);
  },
  async createEndpoint() {
    const made = await changesOf(() => endpoint({ headers: { 'X-Token': 'hush' }, events: ['checkout.started'] }));
    const after = {
      url,
      events: ['checkout.started'],
      description: '',
      headerNames: ['X-Token'],
      maxInFlight: null,
      ratePerSecond: null,
    };
    const by = (await all())[0]?.actor;
    assert.deepEqual([by?.kind, by?.id], ['API_KEY', merchantKey.id]);
    assert.match(by?.hint ?? '', /^ph_/);
    const thing = `ENDPOINT ${url}`;
    assert.deepEqual(made, [asked({ ...inShop, by: by?.name ?? '', action: 'endpoint.created', thing, after })]);
  },
  async updateEndpoint() {
    const { id } = await endpoint({ headers: { 'X-Token': 'hush' } });
    const change = (body: object) => changesOf(() => operator.updateEndpoint({ id, body }));
    const moved = { url: 'https://new.example/hooks', ratePerSecond: 5 };
    const action = 'endpoint.updated';
    assert.deepEqual(await change({ ...moved, description: '' }), [
      asked({ ...inShop, action, thing: `ENDPOINT ${url}`, before: { url, ratePerSecond: null }, after: moved }),
    ]);
    const thing = `ENDPOINT ${moved.url}`;
    assert.deepEqual(await change({ headers: { 'X-Token': 'other' } }), [
      asked({ ...inShop, action, thing, after: { headers: 'changed' } }),
    ]);
    assert.deepEqual(await change({ headers: { 'X-Token': 'other' }, ...moved }), [], 'as it was');
  },
  async pauseEndpoint() {
    const { id } = await endpoint();
    const made = [asked({ ...inShop, action: 'endpoint.paused', thing: `ENDPOINT ${url}` })];
    assert.deepEqual(await changesOf(() => operator.pauseEndpoint({ id })), made);
    assert.deepEqual(await changesOf(() => operator.pauseEndpoint({ id })), [], 'which is paused already');
  },
  async resumeEndpoint() {
    const { id } = await endpoint();
    await operator.pauseEndpoint({ id });
    const before = { status: 'PAUSED' };
    const made = [asked({ ...inShop, action: 'endpoint.resumed', thing: `ENDPOINT ${url}`, before })];
    assert.deepEqual(await changesOf(() => operator.resumeEndpoint({ id })), made);
    assert.deepEqual(await changesOf(() => operator.resumeEndpoint({ id })), [], 'which is open');
  },
  async deleteEndpoint() {
    const { id } = await endpoint();
    const made = [asked({ ...inShop, action: 'endpoint.deleted', thing: `ENDPOINT ${url}` })];
    assert.deepEqual(await changesOf(() => operator.deleteEndpoint({ id })), made);
  },
  async createBusinessSubscription() {
    const [made] = await changesOf(subscription);
    const what = [made?.action, made?.account, made?.thing];
    assert.deepEqual(what, ['endpoint.created', 'Rooms', `BUSINESS_SUBSCRIPTION ${url}`]);
  },
  async updateBusinessSubscription() {
    const { id } = await subscription();
    const change = { id, body: { description: 'Ours' } };
    const [made] = await changesOf(() => operator.updateBusinessSubscription(change));
    assert.deepEqual([made?.action, made?.before, made?.after], ['endpoint.updated', { description: '' }, change.body]);
  },
  async pauseBusinessSubscription() {
    const { id } = await subscription();
    const [made] = await changesOf(() => operator.pauseBusinessSubscription({ id }));
    assert.equal(made?.action, 'endpoint.paused');
  },
  async resumeBusinessSubscription() {
    const { id } = await subscription();
    await operator.pauseBusinessSubscription({ id });
    const [made] = await changesOf(() => operator.resumeBusinessSubscription({ id }));
    assert.equal(made?.action, 'endpoint.resumed');
  },
  async deleteBusinessSubscription() {
    const { id } = await subscription();
    const [made] = await changesOf(() => operator.deleteBusinessSubscription({ id }));
    assert.equal(made?.action, 'endpoint.deleted');
  },
  async setDeliveryRetention() {
    const set = (days: number | null) =>
      changesOf(() => operator.setDeliveryRetention({ id: accountId, body: { days } }));
    const change = { ...inShop, action: 'delivery_retention.changed', thing: 'ACCOUNT Shop' } as const;
    assert.deepEqual(await set(30), [asked({ ...change, before: { days: null }, after: { days: 30 } })]);
    assert.deepEqual(await set(30), [], 'as it was');
    assert.deepEqual(await set(null), [asked({ ...change, before: { days: 30 }, after: { days: null } })]);
  },
  async updateCommentSettings() {
    const client = service.client(editor.token);
    await client.updateCommentSettings({ body: { blockedWords: ['one', 'two'] } });
    const body = { maxLinks: 9, preModeration: false, blockedWords: ['two', 'three'] };
    const made = await changesOf(() => client.updateCommentSettings({ body }));
    const by = (await client.getMe()).user.name;
    const [before] = made.map((each) => each.before);
    assert.deepEqual(made, [
      asked({
        by,
        action: 'comment_settings.changed',
        thing: 'COMMENT_SETTINGS Comments of the blog',
        before: { maxLinks: before?.['maxLinks'], blockedWords: ['one'] } as object,
        after: { maxLinks: 9, blockedWords: ['three'] },
      }),
    ]);
    assert.deepEqual(await changesOf(() => client.updateCommentSettings({ body })), [], 'as it was');
  },
};

/** Tried where there is no operator yet: src/modules/accounts/setup. */
const ELSEWHERE = ['setUpOperator'];

/** Sessions and one's own preferences; content, which has its own logs; deliveries, jobs and trades, which tell of themselves. */
const NO_CONFIGURATION = new Set(
  `signUp signIn openBrowserSession signOut updateNotificationSettings readNotification readAllNotifications
  publishEvents retryReaderFailure rebuildReader receiveReport cancelTrade
  likePost unlikePost viewPost sharePost createComment deleteComment reportComment
  createPost updatePost deletePost publishPost unpublishPost renderPost createPreviewLink endPreviewLinks restoreRevision importPosts
  moderateComment moderateComments
  testEndpoint testBusinessSubscription sendEventToEndpoint sendEventToBusinessSubscription ackEndpointFeed ackBusinessSubscriptionFeed
  replayDelivery discardDelivery replayDeliveries discardDeliveries cancelReplay`.split(/\s+/),
);

test('of every operation that changes something it is decided whether that is configuration', () => {
  const writing = [...new Declared(service).operations].flatMap(([id, { method }]) => (method === 'GET' ? [] : [id]));
  assert.ok(writing.length > 60);
  const decided = [...Object.keys(RECORDED), ...ELSEWHERE, ...NO_CONFIGURATION];
  assert.deepEqual(decided.toSorted(), writing.toSorted());
});

for (const [operationId, check] of Object.entries(RECORDED)) test(`${operationId} is recorded`, check);
