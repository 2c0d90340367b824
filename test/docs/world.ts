import { MASTER_KEY, OPERATOR, PASSWORD, type TestService, testService } from '../helpers/service.ts';
import { EVENTS } from '../../src/contracts/events/index.ts';
import { openPostgres } from '../../src/platform/db/index.ts';
import { cleanup } from '../helpers/cleanup.ts';
import { emptyPostgres, migratedPostgres, testDb } from '../helpers/database.ts';
import { until } from '../helpers/engine.ts';

/** A running service, and what a reader of the pages would have of it: a value for each variable that they name. */
export interface World {
  service: TestService;
  values: Readonly<Record<string, string>>;
}

const POST = {
  title: 'Hello',
  body: '# Hi\n\nThe first post.',
  category: 'News',
  tags: ['release'],
  excerpt: 'What it is about.',
};

/** A trade between two merchants whose checkouts are open; the first merchant serves the initiator. */
async function openTrade(service: TestService, publishKey: string, merchants: readonly string[]): Promise<string> {
  const { initiator, counterparty, currency } = EVENTS['offer.accepted'].example;
  const side = (of: typeof initiator, userId: string, account = ''): object => ({
    ...of,
    userId,
    merchantAccountId: account,
    items: of.items.map((item) => ({ ...item, merchantAccountId: account })),
  });
  const offer = {
    offerId: 'off_docs',
    initiator: side(initiator, 'usr_ines', merchants[0]),
    counterparty: side(counterparty, 'usr_tomas', merchants[1]),
    currency,
  };
  const publish = (event: string, data: object): Promise<unknown> =>
    service.ok(202, 'POST', '/v1/events', { token: publishKey, body: { event, data, accountIds: merchants } });
  await publish('offer.created', offer);
  await publish('offer.accepted', offer);
  const token = await service.operator();
  const find = async (): Promise<{ tradeSessionId: string; status: string } | undefined> => {
    type List = { data: { tradeSessionId: string; status: string }[] };
    return (await service.ok<List>(200, 'GET', '/v1/trades?offerId=off_docs', { token })).data[0];
  };
  let id = '';
  await until('the trade is there', async () => (id = (await find())?.tradeSessionId ?? '') !== '');
  await publish('trade.accepted', { tradeSessionId: id, ...offer });
  await until('its checkouts are open', async () => (await find())?.status === 'CHECKOUT');
  return id;
}

/** On the database of the run. With PostgreSQL the pages may speak to it as well (`DATABASE_URL`). */
async function startService(): Promise<{ service: TestService; databaseUrl?: string }> {
  if (testDb === 'pglite') return { service: await testService() };
  const databaseUrl = await migratedPostgres();
  const database = await openPostgres(databaseUrl, 8);
  cleanup(() => database.close());
  return { service: await testService({ database }), databaseUrl };
}

export async function openWorld(): Promise<World> {
  const { service, databaseUrl } = await startService();
  const merchant = await service.key(['webhooks:manage', 'inbound:write']);
  const other = await service.key(['webhooks:manage', 'inbound:write']);
  const publish = await service.key(['events:publish'], await service.account('PLATFORM'));
  const site = await service.key(['blog:read'], await service.account('SITE'));
  const [editor, reader] = [await service.user({ blogRole: 'EDITOR' }), await service.user()];
  const { id } = await service.ok<{ id: string }>(201, 'POST', '/v1/blog/manage/posts', {
    token: editor.token,
    body: POST,
  });
  await service.ok(200, 'POST', `/v1/blog/manage/posts/${id}/publish`, { token: editor.token });
  return {
    service,
    values: {
      BLOG_KEY: site.key,
      MERCHANT_KEY: merchant.key,
      MERCHANT: merchant.accountId,
      SIGNING_SECRET: merchant.signingSecret,
      PUBLISH_KEY: publish.key,
      OPERATOR_TOKEN: await service.operator(),
      EDITOR_EMAIL: editor.email,
      EDITOR_PASSWORD: PASSWORD,
      EDITOR_TOKEN: editor.token,
      READER_TOKEN: reader.token,
      TRADE: await openTrade(service, publish.key, [merchant.accountId, other.accountId]),
      POSTHORN_MASTER_KEY: MASTER_KEY,
      POSTHORN_OPERATOR_EMAIL: OPERATOR,
      POSTHORN_OPERATOR_PASSWORD: PASSWORD,
      REPOSITORY: 'posthorn.git',
      KEY_ID: other.id,
      USER_ID: (await service.user()).id,
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl, RESTORED_URL: await emptyPostgres() }),
    },
  };
}
