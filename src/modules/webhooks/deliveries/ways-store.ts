import { type RawBuilder, sql } from 'kysely';
import { businessWebhooks, merchantWebhooks } from '../../../contracts/events/index.ts';
import type { DeliveryStatus } from '../engine/rules.ts';

/** Which deliveries are looked for. Each narrows it further. */
export interface Search {
  accounts: 'all' | readonly string[];
  status?: DeliveryStatus;
  event?: string;
  endpointId?: string;
  errorClass?: string;
  /** Ids above this one. */
  after: string;
  /** Ids below this one. */
  before: string;
}

/** One walk along an index: what the entries of its part have in common. The next column of the index is the id. */
export interface Lane {
  /** The first column of the index, and what the entries have there; none: the id itself. */
  first?: readonly [column: RawBuilder<unknown>, value: RawBuilder<unknown>];
  where?: RawBuilder<unknown>;
  /** Where it is one walk for each row of another query: that query, whose rows `first` and `where` know as `o`. */
  over?: RawBuilder<unknown>;
}

/** A way through the deliveries: which parts of an index are walked, and what of their entries is left to be asked. */
export interface Way {
  lanes: readonly Lane[];
  /** Besides the id, what is asked. */
  columns: RawBuilder<unknown>;
  rest: readonly RawBuilder<unknown>[];
  /** Entries of each lane that one look goes over. */
  most: number;
}

/**
 * What one look goes through at most, so that no filter takes longer than some tens of milliseconds, however rare is what
 * it is for: entries of an index alone, or rows of the table.
 */
const MOST_ENTRIES = 100_000;
const MOST_ROWS = 20_000;
/** Of each account, where all are looked through. */
const MOST_OF_EACH = 20_000;

/** Those that the index of what is unusual has in any case. */
const UNUSUAL: readonly DeliveryStatus[] = ['PENDING', 'HELD', 'DEAD', 'DISCARDED'];

const ALL_ACCOUNTS = sql`select distinct account_id from webhook_endpoints`;

const names = ({ event, endpointId }: Search): RawBuilder<unknown>[] => [
  ...(event === undefined ? [] : [sql`w.webhook = ${event}`]),
  ...(endpointId === undefined ? [] : [sql`w.endpoint_id = ${endpointId}::uuid`]),
];
const byCause = ({ errorClass }: Search): RawBuilder<unknown>[] =>
  errorClass === undefined ? [] : [sql`w.error_class = ${errorClass}`];

/**
 * A lane for each account that is named. Each by itself, and not as a join with a list: so the planner knows how many
 * deliveries the account has.
 */
const ofAccounts = ({ accounts }: Search): Lane[] =>
  accounts === 'all'
    ? [{ first: [sql`d.account_id`, sql`o.account_id`], over: ALL_ACCOUNTS }]
    : accounts.map((id) => ({ first: [sql`d.account_id`, sql`${id}::uuid`] }));

/** What did not arrive by its first attempt: an index has it by account and status, with all that can be asked. */
const unusualWay = (search: Search, statuses: readonly DeliveryStatus[]): Way => ({
  lanes: ofAccounts(search).flatMap((lane) =>
    statuses.map((status) => ({ ...lane, where: sql`d.status = ${sql.lit(status)}` })),
  ),
  columns: sql`d.endpoint_id, d.webhook, d.error_class`,
  rest: [...names(search), ...byCause(search)],
  most: Math.ceil((search.accounts === 'all' ? MOST_OF_EACH : MOST_ENTRIES) / statuses.length),
});

/** All dead or held ones of one endpoint, which have an index each. That it is of the account was asked before. */
const endpointWay = (status: DeliveryStatus, endpointId: string): Way => ({
  lanes: [{ first: [sql`d.endpoint_id`, sql`${endpointId}::uuid`], where: sql`d.status = ${sql.lit(status)}` }],
  columns: sql`d.endpoint_id`,
  rest: [],
  most: MOST_ROWS,
});

/** The cause of a dead letter `d`, as the index of them has it. Every one has a class (`judge`, engine/rules.ts): 'UNKNOWN' is of none. */
export const causeOfDead = sql`coalesce(d.error_class, 'UNKNOWN')`;

/** Dead ones of one endpoint and cause, by webhook: each is in its own part of an index. */
const causeWay = (endpointId: string, errorClass: string, event: string | undefined): Way => {
  const webhooks = event === undefined ? [...merchantWebhooks, ...businessWebhooks] : [event];
  const where = sql`${causeOfDead} = ${errorClass} and d.webhook = o.webhook and d.status = 'DEAD'`;
  const over = sql`select webhook from unnest(${webhooks}::text[]) as n (webhook)`;
  return {
    lanes: [{ first: [sql`d.endpoint_id`, sql`${endpointId}::uuid`], where, over }],
    columns: sql`d.endpoint_id`,
    rest: [],
    most: MOST_ROWS,
  };
};

/** All, by account; for operators of all accounts, by the primary key. A status is in no index of those that arrived. */
function wholeWay(search: Search): Way {
  const isNamed = search.accounts !== 'all';
  const isDelivered = search.status !== undefined;
  return {
    lanes: isNamed ? ofAccounts(search) : [{}],
    columns: isDelivered ? sql`d.endpoint_id, d.webhook, d.status, d.error_class` : sql`d.endpoint_id, d.webhook`,
    rest: [...(isDelivered ? [sql`w.status = ${search.status}`, ...byCause(search)] : []), ...names(search)],
    most: isNamed && !isDelivered ? MOST_ENTRIES : MOST_ROWS,
  };
}

/** The way that fits best. */
export function wayOf(search: Search): Way {
  const { status, endpointId, errorClass, event } = search;
  if ((status === 'DEAD' || status === 'HELD') && endpointId !== undefined) {
    if (errorClass === undefined && event === undefined) return endpointWay(status, endpointId);
    if (status === 'DEAD' && errorClass !== undefined) return causeWay(endpointId, errorClass, event);
  }
  if (status !== undefined && status !== 'DELIVERED') return unusualWay(search, [status]);
  return status === undefined && errorClass !== undefined ? unusualWay(search, UNUSUAL) : wholeWay(search);
}
