import { Type } from 'typebox';
import type { Caller } from '../../../contracts/caller.ts';
import { BUCKETS } from '../../../lib/time-buckets.ts';
import { readMuch, type Reads } from '../../../platform/db/index.ts';
import { type AnyRoute, read, Uuid, windowOf, windowQuery } from '../../../platform/http/index.ts';
import { leastUuidv7 } from '../../../lib/ids.ts';
import { checkFilter } from '../deliveries/list-deliveries.ts';
import { shownFrom } from '../retention/store.ts';
import { type SeenDeps, seenAccounts } from '../seen-accounts.ts';
import { getDeliveryInsights } from './get-delivery-insights.ts';
import { DeliveryInsightsSchema } from './schemas.ts';
import type { Counted } from './store.ts';

interface Query {
  accountId?: string;
  endpointId?: string;
  event?: string;
}

function countedBy(deps: SeenDeps, caller: Caller, { accountId, endpointId, event }: Query): Counted {
  const accounts = seenAccounts(deps, caller, accountId);
  return {
    accounts,
    ...(endpointId === undefined ? {} : { endpointId }),
    ...(event === undefined ? {} : { event }),
  };
}

export interface InsightDeps extends SeenDeps {
  reads: Reads;
  /** How long deliveries are kept where an account has nothing of its own; 0: for ever. Days. */
  retentionDays: number;
}

export const insightRoutes = (deps: InsightDeps): AnyRoute[] => [
  read({
    method: 'GET',
    path: '/v1/insights/deliveries',
    access: { account: 'webhooks:manage' },
    operationId: 'getDeliveryInsights',
    tag: 'Insights',
    summary: 'What became of deliveries, by the time they were made',
    description:
      'Counted from the deliveries when it is asked for, replays and test events included. Accounts see their own, operators and keys with scope `admin` all.',
    schemas: {
      query: Type.Object({
        ...windowQuery(),
        accountId: Type.Optional(Uuid),
        endpointId: Type.Optional(Uuid),
        event: Type.Optional(Type.String({ maxLength: 100, description: 'Name of the webhook.' })),
        groupBy: Type.Optional(Type.Enum(['endpoint', 'event'], { description: 'Fills `groups`.' })),
      }),
      replies: { 200: DeliveryInsightsSchema },
    },
    errors: ['NOT_FOUND'],
    async handle(_db, { query, caller, env }) {
      const window = windowOf(query, { now: env.now, buckets: BUCKETS, usual: 'hour' });
      if (query.event !== undefined) checkFilter({ event: query.event }, 'query');
      const counted = countedBy(deps, caller, query);
      const body = await readMuch(deps.reads, async (trx) => {
        const shown = await shownFrom(trx, leastUuidv7(window.since.getTime()), deps.retentionDays);
        const within = shown ? { ...counted, shownFrom: shown } : counted;
        return getDeliveryInsights(trx, within, window, query.groupBy);
      });
      return { status: 200, body };
    },
  }),
];
