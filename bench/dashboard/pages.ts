import type { BenchService } from '../lib/processes.ts';
import type { Filled } from './data.ts';

/** What a page asks for before its first view stands. */
export interface BenchPage {
  name: string;
  /** Its first call is that of a list, which is to be there within 300 ms. */
  isList: boolean;
  token: string;
  paths: readonly string[];
}

interface Ids {
  delivery: string;
  event: string;
}

async function idsOf(s: BenchService, account: string): Promise<Ids> {
  const first = async (path: string): Promise<string> =>
    (await s.call<{ data: { id: string }[] }>('GET', path, undefined, s.operator)).data[0]?.id ?? '';
  return {
    delivery: await first(`/v1/webhooks/deliveries?accountId=${account}&limit=1`),
    event: await first(`/v1/events?accountId=${account}&limit=1`),
  };
}

const day = (): string => new Date(Date.now() - 86_400_000).toISOString();

/** Pages of a member of the big merchant. */
function memberPages({ accountId, endpointIds }: Filled, ids: Ids, token: string): BenchPage[] {
  const of = `accountId=${accountId}`;
  const names = [`/v1/webhooks/endpoints?${of}&limit=100`, `/v1/webhooks/business-subscriptions?${of}&limit=100`];
  const [endpoint = ''] = endpointIds;
  const list = (name: string, ...paths: string[]): BenchPage => ({ name, isList: true, token, paths });
  const page = (name: string, ...paths: string[]): BenchPage => ({ name, isList: false, token, paths });
  const deliveries = (filter: string): string => `/v1/webhooks/deliveries?${of}&limit=50${filter}`;
  return [
    page('overview, 24 h', `/v1/insights/deliveries?${of}&since=${day()}&bucket=hour&groupBy=endpoint`, ...names),
    list(
      'endpoints with health',
      `/v1/webhooks/endpoints?${of}&page=1&limit=20`,
      ...endpointIds.map((id) => `/v1/webhooks/endpoints/${id}/health`),
    ),
    page(
      'endpoint',
      `/v1/webhooks/endpoints/${endpoint}`,
      `/v1/webhooks/endpoints/${endpoint}/health`,
      `/v1/webhooks/deliveries?endpointId=${endpoint}&limit=10`,
    ),
    list('deliveries', deliveries(''), '/v1/event-types', ...names),
    list('deliveries, dead', deliveries('&status=DEAD'), ...names),
    list('deliveries, one endpoint, delivered', deliveries(`&status=DELIVERED&endpointId=${endpoint}`), ...names),
    list('deliveries, one cause', deliveries('&errorClass=TIMEOUT'), ...names),
    list('deliveries, one trade', deliveries('&tradeSessionId=ts_10'), ...names),
    list('deliveries, an event that never was', deliveries('&event=seller.linked'), ...names),
    page('delivery', `/v1/webhooks/deliveries/${ids.delivery}`),
    list(
      'dead letters with jobs',
      `/v1/webhooks/dead-letters?${of}&limit=50`,
      `/v1/webhooks/replays?${of}&limit=10`,
      ...names,
    ),
    list('API keys', `/v1/accounts/${accountId}/api-keys`),
    list('trades', `/v1/trades?${of}&limit=50`),
    list('inbound log', `/v1/webhooks/inbound?${of}&limit=50`),
    list('audit trail of an account', `/v1/events?${of}&limit=50`, '/v1/event-types'),
    page(
      'event with causes and routing',
      `/v1/events/${ids.event}`,
      `/v1/events/${ids.event}/routing?limit=50`,
      `/v1/events?causedBy=${ids.event}&limit=50`,
    ),
  ];
}

/** Pages of an operator, and of an editor. */
function otherPages(operator: string, editor: string): BenchPage[] {
  const list = (name: string, token: string, ...paths: string[]): BenchPage => ({ name, isList: true, token, paths });
  const names = ['/v1/webhooks/endpoints?page=1&limit=100', '/v1/webhooks/business-subscriptions?page=1&limit=100'];
  return [
    {
      name: 'overview of all, 24 h',
      isList: false,
      token: operator,
      paths: [`/v1/insights/deliveries?since=${day()}&bucket=hour&groupBy=endpoint`],
    },
    list('deliveries of all', operator, '/v1/webhooks/deliveries?limit=50', '/v1/event-types', ...names),
    list(
      'dead letters of all',
      operator,
      '/v1/webhooks/dead-letters?limit=50',
      '/v1/webhooks/replays?limit=10',
      ...names,
    ),
    list('audit trail', operator, '/v1/events?limit=50', '/v1/event-types'),
    list('audit trail, one trade', operator, '/v1/events?tradeSessionId=ts_10&limit=50', '/v1/event-types'),
    list('accounts', operator, '/v1/admin/accounts?page=1'),
    list('users', operator, '/v1/admin/users?page=1'),
    list('all API keys', operator, '/v1/admin/api-keys', '/v1/admin/accounts?limit=20'),
    list('readers', operator, '/v1/admin/readers'),
    {
      name: 'system',
      isList: false,
      token: operator,
      paths: [
        '/v1/admin/system',
        '/v1/admin/readers',
        `/v1/insights/deliveries?since=${new Date(Date.now() - 3_600_000).toISOString()}&bucket=hour`,
      ],
    },
    list('posts', editor, '/v1/blog/manage/posts'),
    list('posts, published', editor, '/v1/blog/manage/posts?status=PUBLISHED'),
    list('posts by publication', editor, '/v1/blog/manage/posts?sort=published'),
    list('posts by views', editor, '/v1/blog/manage/posts?sort=most_viewed'),
    list('drafts by likes', editor, '/v1/blog/manage/posts?sort=most_liked&status=DRAFT'),
    list('archived posts by comments', editor, '/v1/blog/manage/posts?sort=most_commented&status=ARCHIVED'),
    list('posts, searched', editor, '/v1/blog/manage/posts?q=security'),
    list('comments', editor, '/v1/blog/manage/comments'),
    list('moderation log', editor, '/v1/blog/manage/moderation-log?limit=50'),
  ];
}

const PASSWORD = 'bench password';

/** Signs in a new user of these roles; a member of the account, where one is given. */
async function signedIn(s: BenchService, email: string, roles: object, accountId?: string): Promise<string> {
  const user = { email, name: email, password: PASSWORD, ...roles };
  const { id } = await s.call<{ id: string }>('POST', '/v1/admin/users', user, s.operator);
  if (accountId !== undefined)
    await s.call('PUT', `/v1/admin/accounts/${accountId}/members/${id}`, undefined, s.operator);
  const body = { email, password: PASSWORD };
  return (await s.call<{ accessToken: string }>('POST', '/v1/auth/sign-in', body)).accessToken;
}

/** Every page of the dashboard that reads more than one thing of the service. */
export async function benchPages(s: BenchService, filled: Filled): Promise<BenchPage[]> {
  const ids = await idsOf(s, filled.accountId);
  const member = await signedIn(s, 'member@bench.example', {}, filled.accountId);
  const editor = await signedIn(s, 'editor@bench.example', { blogRole: 'EDITOR' });
  return [...memberPages(filled, ids, member), ...otherPages(s.operator, editor)];
}
