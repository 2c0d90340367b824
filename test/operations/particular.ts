import { sql } from 'kysely';
import { EVENTS } from '../../src/contracts/events/index.ts';
import { uuidv7 } from '../../src/lib/ids.ts';
import { PASSWORD } from '../helpers/service.ts';
import type { SendOptions } from './declared.ts';
import type { Given } from './given.ts';
import type { RoleRequest } from './operations.ts';

/** `full`: the service that takes neither endpoints nor readers any more. */
export type ParticularRequest = RoleRequest & { options?: SendOptions; at?: 'full' };
/** operationId, outcome, and what brings it about. */
export type Particular = readonly [
  operationId: string,
  outcome: string,
  make: (given: Given) => Promise<ParticularRequest>,
];

const byAuthor = ({ cast }: Given): SendOptions => ({ token: cast.author.token });
const byOperator = async ({ cast }: Given): Promise<SendOptions> => ({ token: await cast.service.operator() });
const execute = ({ cast }: Given, statement: ReturnType<typeof sql>): Promise<unknown> =>
  statement.execute(cast.service.service.opened.platform.db);

/** An account of the type without a key, hence without a secret to sign with. */
async function keyless(g: Given, type: 'MERCHANT' | 'BUSINESS'): Promise<ParticularRequest> {
  const query = `accountId=${await g.cast.service.account(type)}`;
  return { query, body: { url: 'http://127.0.0.1:9/' }, options: await byOperator(g) };
}

/** An account that has an endpoint already. */
async function oneMore(g: Given, kind: 'endpoints' | 'business-subscriptions'): Promise<ParticularRequest> {
  await g.endpoint(kind);
  const query = `accountId=${kind === 'endpoints' ? g.cast.merchant : g.cast.business}`;
  return { at: 'full', query, body: { url: 'http://127.0.0.1:9/' }, options: await byOperator(g) };
}

async function disabled(g: Given, kind: 'endpoints' | 'business-subscriptions'): Promise<ParticularRequest> {
  const id = await g.endpoint(kind);
  await execute(g, sql`update webhook_endpoints set status = 'DISABLED' where id = ${id}`);
  return { params: { id }, options: await byOperator(g) };
}

/** The merchant has as many jobs as it may have. */
async function oneJobMore(g: Given, body: object): Promise<ParticularRequest> {
  const query = `accountId=${await g.idle()}`;
  const options = await byOperator(g);
  const token = options.token as string;
  for (let i = 0; i < 5; i++)
    await g.cast.service.ok(202, 'POST', `/v1/webhooks/deliveries/replay?${query}`, {
      token,
      body: { filter: { status: 'DEAD' } },
    });
  return { query, body, options };
}

/** A member asks for an account that is not his. */
async function ofNoAccount(g: Given, body: object): Promise<ParticularRequest> {
  const { token } = g.cast.callers['member of another account'] ?? {};
  return { query: `accountId=${g.cast.merchant}`, body, options: { token } };
}

/** The fan-out is not that far. */
async function tooEarly(g: Given, kind: 'endpoints' | 'business-subscriptions'): Promise<ParticularRequest> {
  const request = await g.sending(kind);
  await execute(g, sql`update event_readers set position = 0 where name = 'webhook-fan-out'`);
  return { ...request, options: await byOperator(g) };
}

/** The feed of an account that has lost its keys. */
async function unsigned(g: Given, kind: 'endpoints' | 'business-subscriptions'): Promise<ParticularRequest> {
  const { service } = g.cast;
  const [token, accountId] = [
    await service.operator(),
    await service.account(kind === 'endpoints' ? 'MERCHANT' : 'BUSINESS'),
  ];
  const key = await service.key(['webhooks:manage'], accountId);
  const { id } = await service.ok<{ id: string }>(201, 'POST', `/v1/webhooks/${kind}`, {
    token: key.key,
    body: { url: 'http://127.0.0.1:9/' },
  });
  const name = kind === 'endpoints' ? 'checkout.started' : 'space_booking.created';
  const event = { event: name, data: EVENTS[name].example, accountIds: [accountId] };
  await service.ok(202, 'POST', '/v1/events', { token: g.cast.publisherKey, body: event });
  await service.ok(204, 'DELETE', `/v1/admin/api-keys/${key.id}`, { token });
  return { params: { id }, options: { token } };
}

/** Outcomes whose causes are in the operation itself (contract sections 1 to 5). */
export const PARTICULAR: readonly Particular[] = [
  [
    'receiveReport',
    '404 NOT_FOUND',
    async (g) => ({ ...(await g.report('cancelled', 'ts_none')), options: await byOperator(g) }),
  ],
  [
    'receiveReport',
    '409 INVALID_STATE',
    async (g) => ({ ...(await g.report('payment.completed')), options: await byOperator(g) }),
  ],
  [
    'cancelTrade',
    '409 INVALID_STATE',
    async (g) => {
      const tradeSessionId = await g.trade();
      await execute(
        g,
        sql`update trade_sessions set status = 'CANCELLED', reason = 'DECLINED' where id = ${tradeSessionId}`,
      );
      return { params: { tradeSessionId }, options: await byOperator(g) };
    },
  ],
  ['signIn', '401 UNAUTHENTICATED', async ({ cast }) => ({ body: { email: cast.author.email, password: 'wrong' } })],
  [
    'openBrowserSession',
    '401 UNAUTHENTICATED',
    async ({ cast }) => ({ body: { email: cast.author.email, password: 'wrong' } }),
  ],
  ['exportEvents', '404 NOT_FOUND', async (g) => ({ query: `after=${uuidv7(0)}`, options: await byOperator(g) })],
  ['signUp', '403 FORBIDDEN', async (g) => ({ at: 'full', body: g.newcomer() })],
  [
    'changePassword',
    '409 INVALID_STATE',
    async (g) => {
      const { id, token } = await g.cast.service.user();
      await execute(g, sql`update users set password_hash = null where id = ${id}`);
      return { body: { currentPassword: PASSWORD, newPassword: `${PASSWORD} 2` }, options: { token } };
    },
  ],
  [
    'updateUser',
    '409 INVALID_STATE',
    async (g) => {
      const { id } = await g.cast.service.user();
      await execute(g, sql`update users set password_hash = null where id = ${id}`);
      return { params: { id }, body: { operator: true }, options: await byOperator(g) };
    },
  ],
  [
    'createApiKey',
    '409 INVALID_STATE',
    async (g) => {
      const accountId = await g.cast.service.account();
      for (let i = 0; i < 20; i++) await g.cast.service.key(['blog:read'], accountId);
      return { body: { accountId, name: 'One more', scopes: ['blog:read'] }, options: await byOperator(g) };
    },
  ],
  [
    'rotateApiKey',
    '409 INVALID_STATE',
    async (g) => {
      const id = await g.key();
      const options = await byOperator(g);
      await g.cast.service.ok(204, 'DELETE', `/v1/admin/api-keys/${id}`, options as { token: string });
      return { params: { id }, body: {}, options };
    },
  ],
  [
    'createAccountApiKey',
    '409 INVALID_STATE',
    async (g) => {
      const id = await g.cast.service.account();
      for (let i = 0; i < 20; i++) await g.cast.service.key(['blog:read'], id);
      return { params: { id }, body: { name: 'One more', scopes: ['blog:read'] }, options: await byOperator(g) };
    },
  ],
  [
    'rotateAccountApiKey',
    '409 INVALID_STATE',
    async (g) => {
      const { params } = await g.keyOfMerchant();
      const options = await byOperator(g);
      await g.cast.service.ok(204, 'DELETE', `/v1/admin/api-keys/${params?.['keyId']}`, options as { token: string });
      return { params: params ?? {}, body: {}, options };
    },
  ],
  [
    'rotateAccountApiKey',
    '403 FORBIDDEN',
    async (g) => ({ ...(await g.keyOfMerchant('events:publish')), body: {}, options: await byOperator(g) }),
  ],
  ['createPost', '409 SLUG_TAKEN', async (g) => ({ body: { slug: (await g.post()).slug }, options: byAuthor(g) })],
  [
    'updatePost',
    '409 SLUG_TAKEN',
    async (g) => ({ params: { id: await g.draft() }, body: { slug: (await g.post()).slug }, options: byAuthor(g) }),
  ],
  [
    'publishPost',
    '409 INVALID_STATE',
    async (g) => ({
      params: { id: (await g.post()).id },
      body: { at: '2099-01-01T00:00:00Z' },
      options: byAuthor(g),
    }),
  ],
  [
    'rebuildReader',
    '409 INVALID_STATE',
    async (g) => ({ params: { name: await g.reaction('webhook-fan-out') }, options: await byOperator(g) }),
  ],
  ['createEndpoint', '409 INVALID_STATE', (g) => keyless(g, 'MERCHANT')],
  ['createBusinessSubscription', '409 INVALID_STATE', (g) => keyless(g, 'BUSINESS')],
  ['createEndpoint', '409 ENDPOINT_LIMIT_REACHED', (g) => oneMore(g, 'endpoints')],
  ['createBusinessSubscription', '409 ENDPOINT_LIMIT_REACHED', (g) => oneMore(g, 'business-subscriptions')],
  ['pauseEndpoint', '409 INVALID_STATE', (g) => disabled(g, 'endpoints')],
  ['pauseBusinessSubscription', '409 INVALID_STATE', (g) => disabled(g, 'business-subscriptions')],
  [
    'replayDelivery',
    '409 INVALID_STATE',
    async (g) => {
      const id = await g.delivery();
      await execute(
        g,
        sql`update webhook_deliveries set status = 'PENDING', lease_owner = 'another', lease_until = now() + interval '1 hour' where id = ${id}`,
      );
      return { params: { id }, options: await byOperator(g) };
    },
  ],
  [
    'discardDelivery',
    '409 INVALID_STATE',
    async (g) => ({ params: { id: await g.delivery() }, body: { reason: 'Late.' }, options: await byOperator(g) }),
  ],
  ['replayDeliveries', '409 INVALID_STATE', (g) => oneJobMore(g, { filter: { status: 'DEAD' } })],
  ['discardDeliveries', '409 INVALID_STATE', (g) => oneJobMore(g, { filter: { status: 'DEAD' }, reason: 'Late.' })],
  [
    'cancelReplay',
    '409 INVALID_STATE',
    async (g) => ({ params: { id: await g.job('COMPLETED') }, options: await byOperator(g) }),
  ],
  ['replayDeliveries', '404 NOT_FOUND', (g) => ofNoAccount(g, { filter: { status: 'DEAD' } })],
  ['discardDeliveries', '404 NOT_FOUND', (g) => ofNoAccount(g, { filter: { status: 'DEAD' }, reason: 'Late.' })],
  ['sendEventToEndpoint', '409 INVALID_STATE', (g) => tooEarly(g, 'endpoints')],
  ['sendEventToBusinessSubscription', '409 INVALID_STATE', (g) => tooEarly(g, 'business-subscriptions')],
  ['getEndpointFeed', '409 INVALID_STATE', (g) => unsigned(g, 'endpoints')],
  ['getBusinessSubscriptionFeed', '409 INVALID_STATE', (g) => unsigned(g, 'business-subscriptions')],
];
