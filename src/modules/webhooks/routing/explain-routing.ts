import type { Caller } from '../../../contracts/caller.ts';
import { invalid } from '../../../contracts/errors.ts';
import { isInternalEvent, type WebhookName, webhooksFor } from '../../../contracts/events/index.ts';
import { isUuid } from '../../../lib/ids.ts';
import type { Db } from '../../../platform/db/index.ts';
import { getEvent, type LoggedEvent, readerPosition } from '../../events/index.ts';
import { deliveryView } from '../deliveries/schemas.ts';
import { selectDeliveriesOfEvent } from '../deliveries/store.ts';
import { READER } from '../engine/holdings.ts';
import type { RoutedEndpoint, RoutingReply, Verdict } from './schemas.ts';
import { accountsPastRetention } from '../retention/store.ts';
import { type AudienceEndpoint, NIL, type Place, selectAudience } from './store.ts';
import { type Finding, findingOf, findingWithout, type RoutedEvent, takesNow } from './verdict.ts';

export interface RoutingDeps {
  visibleAccounts(caller: Caller): 'all' | readonly string[];
  /** How long deliveries are kept where an account has nothing of its own; 0: for ever. Days. */
  retentionDays: number;
}

export interface RoutingQuery {
  id: string;
  caller: Caller;
  cursor?: string;
  limit: number;
}

/** Deliveries that are shown of one webhook to one endpoint. */
const MOST_SHOWN = 10;

type Deliveries = Awaited<ReturnType<typeof selectDeliveriesOfEvent>>;

/** Cursors are opaque: account and endpoint that the page before ended with. */
const encode = ({ accountId, wasGone, endpointId }: Place): string =>
  Buffer.from(`${accountId} ${wasGone ? 'gone' : 'there'} ${endpointId}`).toString('base64url');

function decode(cursor: string): Place {
  const [accountId = '', how = '', endpointId = '', more] = Buffer.from(cursor, 'base64url').toString().split(' ');
  if (more !== undefined || !['gone', 'there'].includes(how) || !isUuid(accountId) || !isUuid(endpointId)) {
    throw invalid({ path: 'query.cursor', message: 'is not a cursor of this list' });
  }
  return { accountId, wasGone: how === 'gone', endpointId };
}

const plain = (finding: Finding): Verdict => ({
  webhook: null,
  ...finding,
  subscribedNow: null,
  deliveryCount: 0,
  deliveries: [],
});

/** What is true of an event whatever its endpoints; null: it depends on them. */
function ofNobody({ event }: LoggedEvent, webhooks: readonly WebhookName[]): Verdict | null {
  if (!isInternalEvent(event)) {
    return plain({ code: 'UNKNOWN_EVENT', message: 'This version does not know the event; a newer one fans it out.' });
  }
  return webhooks.length > 0 ? null : plain({ code: 'NO_WEBHOOK', message: 'The event causes no webhook.' });
}

function verdictOf(
  endpoint: AudienceEndpoint,
  webhook: WebhookName,
  event: RoutedEvent,
  deliveries: Deliveries,
): Verdict {
  const own = deliveries.filter((d) => d.endpoint_id === endpoint.id && d.webhook === webhook);
  const [newest] = own;
  return {
    webhook,
    ...(newest ? findingOf(own, newest.arrived) : findingWithout(endpoint, webhook, event)),
    subscribedNow: takesNow(endpoint, webhook),
    deliveryCount: newest?.of_all ?? 0,
    deliveries: own.map(deliveryView),
  };
}

const NO_ENDPOINT = { endpointId: null, endpointUrl: null, endpointIsDeleted: false, kind: null } as const;

/** The trail is kept for ever, and addresses may hold secrets: that of a deleted endpoint is told as long as deliveries to it are. */
function addressOf(
  { url, deleted_at }: AudienceEndpoint,
  verdicts: readonly Verdict[],
): Pick<RoutedEndpoint, 'endpointUrl' | 'endpointIsDeleted'> {
  const isDeleted = deleted_at !== null;
  const isTold = !isDeleted || verdicts.some(({ deliveryCount }) => deliveryCount > 0);
  return { endpointUrl: isTold ? url : null, endpointIsDeleted: isDeleted };
}

interface Page {
  data: RoutedEndpoint[];
  nextCursor: string | null;
}

interface Audience {
  accountIds: readonly string[];
  retentionDays: number;
  webhooks: readonly WebhookName[];
  fannedOut: boolean;
}

/** A page of the endpoints of these accounts, each with its verdicts. */
async function pageOfEndpoints(
  db: Db,
  event: LoggedEvent,
  { accountIds, retentionDays, webhooks, fannedOut }: Audience,
  { after, limit }: { after: Place | null; limit: number },
): Promise<Page> {
  const rows = await selectAudience(db, accountIds, { at: event.recordedAt, after, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const ids = shown.flatMap(({ endpoint }) => (endpoint ? [endpoint.id] : []));
  const deliveries = await selectDeliveriesOfEvent(db, event, ids, { most: MOST_SHOWN, retentionDays });
  const past = await accountsPastRetention(db, accountIds, event.recordedAt, retentionDays);
  const nobody = ofNobody(event, webhooks);
  const data = shown.map(({ accountId, endpoint }): RoutedEndpoint => {
    if (!endpoint) {
      const none = plain({ code: 'NO_ENDPOINT', message: 'The account has no endpoint.' });
      return { accountId, ...NO_ENDPOINT, verdicts: [nobody ?? none] };
    }
    const { position, recordedAt } = event;
    const routed = { position, recordedAt, fannedOut, isPastRetention: past.has(accountId) };
    const verdicts = nobody ? [nobody] : webhooks.map((name) => verdictOf(endpoint, name, routed, deliveries));
    return { accountId, endpointId: endpoint.id, ...addressOf(endpoint, verdicts), kind: endpoint.kind, verdicts };
  });
  const last = shown.at(-1);
  const nextCursor = last && rows.length > limit ? encode({ ...last, endpointId: last.endpoint?.id ?? NIL }) : null;
  return { data, nextCursor };
}

const NOBODY: Page = {
  data: [
    {
      accountId: null,
      ...NO_ENDPOINT,
      verdicts: [plain({ code: 'NO_AUDIENCE', message: 'The event names no account, so nobody is told of it.' })],
    },
  ],
  nextCursor: null,
};

/**
 * Which endpoints of an event's audience got its webhooks, or why they did not; of the accounts that the caller may see.
 * What was sent is told by its deliveries. Why something was not sent is told by the fan-out's own rule on the endpoint
 * as it is now, since what it was like then is not kept. Throws NOT_FOUND, VALIDATION_ERROR for a cursor.
 */
export async function explainRouting(
  deps: RoutingDeps,
  db: Db,
  { id, caller, cursor, limit }: RoutingQuery,
): Promise<RoutingReply> {
  const page = { after: cursor === undefined ? null : decode(cursor), limit };
  const accounts = deps.visibleAccounts(caller);
  const event = await getEvent(db, id, accounts);
  // Before the deliveries: what the fan-out has passed by now has all its rows when they are read.
  const fannedOut = (await readerPosition(db, READER)) >= event.position;
  const webhooks = isInternalEvent(event.event) ? webhooksFor(event.event, event.data) : [];
  const accountIds = accounts === 'all' ? event.accountIds : event.accountIds.filter((a) => accounts.includes(a));
  return {
    eventId: event.id,
    event: event.event,
    recordedAt: event.recordedAt.toISOString(),
    webhooks: [...webhooks],
    fannedOut,
    ...(accountIds.length === 0
      ? NOBODY
      : await pageOfEndpoints(db, event, { accountIds, retentionDays: deps.retentionDays, webhooks, fannedOut }, page)),
  };
}
