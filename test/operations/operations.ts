import { PASSWORD } from '../helpers/service.ts';
import type { RoleCaller } from './callers.ts';
import type { Given } from './given.ts';
import type { Kind } from './rights.ts';

/** What fills an operation's address, and its body. */
export interface RoleRequest {
  params?: Record<string, string>;
  query?: string;
  body?: object;
  /** Instead of the caller's own. */
  token?: string;
  /** A signing secret: the body is signed with it, whatever is sent in the end. */
  sign?: string;
}

type Make = (given: Given, caller: RoleCaller) => RoleRequest | Promise<RoleRequest>;
/** operationId, kind of right, status of success, request; and what is particular where an operation comes twice. */
export type RoleRow = readonly [operationId: string, kind: Kind, status: number, make: Make, particular?: string];

const nothing: Make = () => ({});
const draft: Make = async (g) => ({ params: { id: await g.draft() } });
const post: Make = async (g) => ({ params: { id: (await g.post()).id } });
const comment: Make = async (g) => ({ params: { id: await g.comment() } });
// For what leaves them as they are, or can be done to them by everybody.
const sameDraft: Make = async (g) => ({ params: { id: await g.once('draft', () => g.draft()) } });
const sameSlug: Make = async (g) => ({ params: { slug: (await g.once('post', () => g.post())).slug } });
const sameComment: Make = async (g) => ({ params: { id: await g.once('comment', () => g.comment()) } });
const delivery: Make = async (g) => ({ params: { id: await g.delivery() } });
const member: Make = async ({ cast }) => ({
  params: { id: cast.merchant, userId: cast.guest },
});
const adding =
  (make: Make, more: RoleRequest): Make =>
  async (g, c) => {
    const { params, ...rest } = await make(g, c);
    return { ...rest, ...more, params: { ...params, ...more.params } };
  };
const number = { params: { number: '1' } };

const AUTH: RoleRow[] = [
  ['signUp', 'open', 201, (g) => ({ body: g.newcomer() })],
  ['signIn', 'open', 200, ({ cast }) => ({ body: { email: cast.author.email, password: PASSWORD } })],
  ['openBrowserSession', 'open', 200, ({ cast }) => ({ body: { email: cast.author.email, password: PASSWORD } })],
  ['setUpOperator', 'setup', 201, (g) => ({ body: { ...g.newcomer(), token: 'x' } })],
  ['signOut', 'session', 204, (g, caller) => g.anotherSession(caller)],
  ['getMe', 'session', 200, nothing],
  // With the caller's own session, which is the one that stays.
  ['changePassword', 'session', 204, (g, caller) => g.anotherPassword(caller)],
];

const ADMIN: RoleRow[] = [
  ['listAccounts', 'admin', 200, nothing],
  ['getAccount', 'admin', 200, ({ cast }) => ({ params: { id: cast.merchant } })],
  ['createAccount', 'admin', 201, () => ({ body: { name: 'Shop', type: 'MERCHANT' } })],
  [
    'updateAccount',
    'admin',
    200,
    async (g) => ({ params: { id: await g.cast.service.account() }, body: { name: g.fresh('Name') } }),
  ],
  ['listMembers', 'admin', 200, ({ cast }) => ({ params: { id: cast.merchant } })],
  [
    'addMember',
    'admin',
    204,
    async ({ cast }) => ({ params: { id: await cast.service.account(), userId: cast.guest } }),
  ],
  ['removeMember', 'admin', 204, member],
  ['listUsers', 'admin', 200, nothing],
  ['getUser', 'admin', 200, ({ cast }) => ({ params: { id: cast.guest } })],
  ['createUser', 'admin', 201, (g) => ({ body: g.newcomer() })],
  ['updateUser', 'admin', 200, (g) => ({ params: { id: g.cast.guest }, body: { name: g.fresh('Name') } })],
  ['listApiKeys', 'admin', 200, nothing],
  [
    'createApiKey',
    'admin',
    201,
    async ({ cast }) => ({ body: { accountId: await cast.service.account(), name: 'K', scopes: ['admin'] } }),
  ],
  ['rotateApiKey', 'admin', 201, async (g) => ({ params: { id: await g.key() }, body: {} })],
  ['revokeApiKey', 'admin', 204, async (g) => ({ params: { id: await g.key() } })],
  ['getSystemHealth', 'admin', 200, nothing],
  ['listChanges', 'admin', 200, nothing],
];

/** What members do with the keys of their account, and read of who changed what of it. */
const ACCOUNT_KEYS: RoleRow[] = [
  ['listAccountApiKeys', 'staff', 200, ({ cast }) => ({ params: { id: cast.merchant } })],
  ['createAccountApiKey', 'staff', 201, (g) => g.keyToMake()],
  ['rotateAccountApiKey', 'staff', 201, async (g) => ({ ...(await g.keyOfMerchant()), body: { overlapSeconds: 0 } })],
  ['revokeAccountApiKey', 'staff', 204, (g) => g.keyOfMerchant()],
  ['listAccountChanges', 'staff', 200, ({ cast }) => ({ params: { id: cast.merchant } })],
];

const READING: RoleRow[] = [
  ['listPosts', 'read', 200, () => ({ query: 'q=text' })],
  ['getPost', 'read', 200, sameSlug],
  ['getIndex', 'read', 200, nothing],
  ['getTaxonomy', 'read', 200, nothing],
  ['listComments', 'read', 200, sameSlug],
  ['listReplies', 'read', 200, sameComment],
  ['viewPost', 'read', 200, sameSlug],
  ['sharePost', 'read', 200, adding(sameSlug, { body: { channel: 'email' } })],
  ['likePost', 'session', 200, sameSlug],
  ['unlikePost', 'session', 200, sameSlug],
  ['createComment', 'session', 201, adding(sameSlug, { body: { body: 'Well said.' } })],
  ['deleteComment', 'comment', 204, comment],
  ['reportComment', 'session', 202, adding(sameComment, { body: { reason: 'Rude.' } })],
  ['getPreview', 'open', 200, async (g) => ({ params: { token: await g.once('preview', () => g.previewToken()) } })],
];

const WRITING: RoleRow[] = [
  ['getBlogMe', 'writer', 200, nothing],
  ['listManagedPosts', 'writer', 200, nothing],
  ['createPost', 'writer', 201, () => ({ body: {} })],
  ['suggestSlug', 'writer', 200, () => ({ query: 'slug=free' })],
  [
    'suggestSlug',
    'post',
    200,
    async (g) => ({ query: `slug=free&postId=${await g.once('draft', () => g.draft())}` }),
    'for a post',
  ],
  ['renderPost', 'writer', 200, () => ({ body: { body: '# A' } })],
  ['getManagedPost', 'post', 200, sameDraft],
  ['updatePost', 'post', 200, adding(draft, { body: { title: 'Third' } })],
  ['deletePost', 'post', 204, draft, 'a draft'],
  ['deletePost', 'removal', 204, post, 'a published post'],
  ['publishPost', 'post', 200, draft],
  ['unpublishPost', 'post', 200, post],
  ['checkPost', 'post', 200, sameDraft],
  ['createPreviewLink', 'post', 201, sameDraft],
  ['endPreviewLinks', 'post', 204, sameDraft],
  ['listRevisions', 'post', 200, sameDraft],
  ['getRevision', 'post', 200, adding(sameDraft, number)],
  ['diffRevision', 'post', 200, adding(sameDraft, number)],
  ['restoreRevision', 'post', 200, adding(draft, number)],
  ['importPosts', 'editor', 200, (g) => ({ body: { posts: [{ source: g.fresh('source'), title: 'Imported' }] } })],
  ['exportPosts', 'editor', 200, nothing],
  ['listManagedComments', 'writer', 200, nothing],
  ['moderateComments', 'writer', 200, async (g) => ({ body: { ids: [await g.comment()], status: 'HIDDEN' } })],
  ['getManagedComment', 'post', 200, sameComment],
  ['moderateComment', 'post', 200, adding(comment, { body: { status: 'HIDDEN' } })],
  ['listModerationLog', 'editor', 200, nothing],
  ['getCommentSettings', 'editor', 200, nothing],
  ['updateCommentSettings', 'editor', 200, () => ({ body: { maxLinks: 7 } })],
];

/** The cursor of a feed of which nothing was read. */
const START = Buffer.from('start').toString('base64url');

/** Both kinds of endpoints are alike (interface.md 6.2). */
function endpointRows(noun: string, at: 'endpoints' | 'business-subscriptions', all: Kind, one: Kind): RoleRow[] {
  const account = ({ cast }: Given): string => `accountId=${at === 'endpoints' ? cast.merchant : cast.business}`;
  const endpoint: Make = async (g) => ({ params: { id: await g.endpoint(at) } });
  return [
    [`create${noun}`, all, 201, (g) => ({ query: account(g), body: { url: 'http://127.0.0.1:9/' } })],
    [`list${noun}s`, all, 200, (g) => ({ query: account(g) }), 'of one account'],
    [`list${noun}s`, 'visible', 200, nothing],
    [`get${noun}`, one, 200, endpoint],
    [`get${noun}Health`, one, 200, endpoint],
    [`update${noun}`, one, 200, adding(endpoint, { body: { description: 'Changed' } })],
    [`delete${noun}`, one, 204, endpoint],
    [`pause${noun}`, one, 200, endpoint],
    [`resume${noun}`, one, 200, async (g) => ({ params: { id: await g.paused(at) } })],
    [`test${noun}`, one, 202, adding(endpoint, { body: {} })],
    [`sendEventTo${noun}`, one, 202, async (g) => g.sending(at)],
    [`get${noun}Feed`, one, 200, async (g) => ({ params: { id: await g.once(`feed of ${at}`, () => g.fed(at)) } })],
    [`ack${noun}Feed`, one, 200, adding(endpoint, { body: { cursor: START } })],
  ];
}

const READERS_AND_NOTIFICATIONS: RoleRow[] = [
  ['listReaders', 'admin', 200, nothing],
  ['listReaderFailures', 'admin', 200, async (g) => ({ params: { name: await g.reaction() } })],
  ['retryReaderFailure', 'admin', 202, async (g) => ({ params: await g.failure() })],
  ['rebuildReader', 'admin', 202, async (g) => ({ params: { name: await g.reaction() } })],
  ['listNotifications', 'session', 200, nothing],
  ['readNotification', 'session', 204, async (g, caller) => ({ params: { id: await g.notification(caller) } })],
  ['readAllNotifications', 'session', 204, nothing],
  ['getNotificationSettings', 'session', 200, nothing],
  ['updateNotificationSettings', 'session', 200, () => ({ body: { email: true } })],
  ['getReputation', 'any', 200, () => ({ params: { id: 'usr_ines' } })],
];

const EVENTS_AND_WEBHOOKS: RoleRow[] = [
  ['publishEvents', 'publish', 202, (g) => ({ body: g.event() })],
  ['listEvents', 'visible', 200, nothing],
  ['listEvents', 'merch', 200, ({ cast }) => ({ query: `accountId=${cast.merchant}` }), 'of one account'],
  ['exportEvents', 'admin', 200, nothing],
  ['getEvent', 'merchId', 200, async (g) => ({ params: { id: await g.published() } })],
  ['explainRouting', 'merchId', 200, async (g) => ({ params: { id: await g.published() } })],
  ['listEventTypes', 'any', 200, nothing],
  ...endpointRows('Endpoint', 'endpoints', 'merch', 'merchId'),
  ...endpointRows('BusinessSubscription', 'business-subscriptions', 'busi', 'busiId'),
  ['listDeliveries', 'visible', 200, nothing],
  ['listDeliveries', 'merch', 200, ({ cast }) => ({ query: `accountId=${cast.merchant}` }), 'of one account'],
  ['getDelivery', 'merchId', 200, delivery],
  ['replayDelivery', 'merchId', 202, delivery],
  [
    'discardDelivery',
    'merchId',
    200,
    async (g) => ({ params: { id: await g.delivery('DEAD') }, body: { reason: 'Late.' } }),
  ],
  ['listDeadLetters', 'visible', 200, nothing],
  ['listDeadLetters', 'merch', 200, ({ cast }) => ({ query: `accountId=${cast.merchant}` }), 'of one account'],
  [
    'replayDeliveries',
    'merch',
    202,
    async (g) => ({ query: `accountId=${await g.idle()}`, body: { filter: { status: 'DEAD' } } }),
  ],
  [
    'replayDeliveries',
    'merch',
    200,
    ({ cast }) => ({ query: `accountId=${cast.merchant}`, body: { filter: { status: 'DEAD' }, dryRun: true } }),
    'counting',
  ],
  [
    'discardDeliveries',
    'merch',
    202,
    async (g) => ({ query: `accountId=${await g.idle()}`, body: { filter: { status: 'DEAD' }, reason: 'Late.' } }),
  ],
  [
    'discardDeliveries',
    'merch',
    200,
    ({ cast }) => ({
      query: `accountId=${cast.merchant}`,
      body: { filter: { status: 'HELD' }, reason: 'Late.', dryRun: true },
    }),
    'counting',
  ],
  ['listReplays', 'visible', 200, nothing],
  ['listReplays', 'merch', 200, ({ cast }) => ({ query: `accountId=${cast.merchant}` }), 'of one account'],
  ['getReplay', 'merchId', 200, async (g) => ({ params: { id: await g.job() } })],
  ['cancelReplay', 'merchId', 200, async (g) => ({ params: { id: await g.job() } })],
  ['getDeliveryRetention', 'admin', 200, ({ cast }) => ({ params: { id: cast.merchant } })],
  ['setDeliveryRetention', 'admin', 200, ({ cast }) => ({ params: { id: cast.merchant }, body: { days: null } })],
];

const TRADES: RoleRow[] = [
  ['listTrades', 'visible', 200, nothing],
  ['listTrades', 'merch', 200, ({ cast }) => ({ query: `accountId=${cast.merchant}` }), 'of one account'],
  ['getTrade', 'merchId', 200, async (g) => ({ params: { tradeSessionId: await g.trade() } })],
  ['cancelTrade', 'admin', 200, async (g) => ({ params: { tradeSessionId: await g.trade() } })],
  ['receiveReport', 'report', 200, (g) => g.report()],
  ['listReports', 'report', 200, ({ cast }) => ({ query: `accountId=${cast.merchant}` })],
  ['getReport', 'report', 200, async (g) => ({ params: { id: await g.received() } })],
];

const INSIGHTS: RoleRow[] = [
  ['getEventInsights', 'visible', 200, nothing],
  ['getEventInsights', 'merch', 200, ({ cast }) => ({ query: `accountId=${cast.merchant}` }), 'of one account'],
  ['getDeliveryInsights', 'visible', 200, nothing],
  ['getDeliveryInsights', 'merch', 200, ({ cast }) => ({ query: `accountId=${cast.merchant}` }), 'of one account'],
  ['getBlogInsights', 'insight', 200, nothing],
  [
    'getBlogInsights',
    'ownInsight',
    200,
    async (g) => ({ query: `postId=${await g.once('draft', () => g.draft())}` }),
    'of one post',
  ],
];

/** Every operation, with a request that would succeed if the caller had the right. */
export const OPERATIONS: readonly RoleRow[] = [
  ...AUTH,
  ...ADMIN,
  ...ACCOUNT_KEYS,
  ...READING,
  ...WRITING,
  ...READERS_AND_NOTIFICATIONS,
  ...EVENTS_AND_WEBHOOKS,
  ...TRADES,
  ...INSIGHTS,
];
