import type { AccountType, Caller } from '../../../contracts/caller.ts';
import { AppError, invalid } from '../../../contracts/errors.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { MOST_REFS_OF_TRADE } from '../../events/index.ts';
import { eventsAsked } from '../deliveries/events-asked.ts';
import { searchOf } from '../deliveries/list-deliveries.ts';
import { countByEndpoint, type Found, type Search, searchDeliveries } from '../deliveries/search-store.ts';
import { selectOfEvents } from '../deliveries/store.ts';
import type { EventRef } from '../engine/delivery-store.ts';
import { shownFrom } from '../retention/store.ts';
import { areSomeHidden } from '../storage/taking-off-store.ts';
import { DEFAULT_RATE, type Preview } from './schemas.ts';
import { skipping } from './skipping.ts';
import { countRunning, deletedAmong, insertJob, type Item, type JobFilter, type JobRow, selectItems } from './store.ts';

/** Jobs of an account at once, about: two that are made in the same moment are not counted by each other. */
const MOST_RUNNING = 5;
const MOST_ENDPOINTS = 100;
/** A trade has tens of deliveries. */
const MOST_OF_TRADE = 10_000;
/** Deliveries of which is asked at once whether they were replayed, and how often that is done for a preview. */
const LOOK = 1000;
const MOST_LOOKS = 10;

export interface JobDeps {
  visibleAccounts(caller: Caller): 'all' | readonly string[];
  /** The account that a caller acts for; throws when it may not. */
  actingAccount(caller: Caller, requested?: string): string;
  accountType(trx: Trx, accountId: string): Promise<AccountType | null>;
  retentionDays: number;
}

export interface JobInput {
  kind: JobRow['kind'];
  filter: JobFilter;
  reason?: string;
  ratePerSecond?: number;
  skipReplayed?: boolean;
}

/** What a job is told to do, as far as it says how much that is. */
export interface Asked extends Pick<JobInput, 'kind' | 'filter' | 'skipReplayed'> {
  /** How long deliveries are kept where an account has nothing of its own; 0: for ever. Days. */
  retentionDays: number;
}

/** Whose deliveries: of the account that was asked for, of the caller's only one, or for operators of all (null). */
export const accountOf = (deps: JobDeps, caller: Caller, requested: string | undefined): string | null =>
  requested === undefined && deps.visibleAccounts(caller) === 'all' ? null : deps.actingAccount(caller, requested);

export const accountsOf = (accountId: string | null): 'all' | readonly string[] =>
  accountId === null ? 'all' : [accountId];

/** How many deliveries the job would do now. Not exact while some are out of sight (docs/adr/0024). */
export async function previewJob(trx: Trx, asked: Asked, accountId: string | null): Promise<Preview> {
  const { eventId, tradeSessionId, ...rest } = asked.filter;
  const accounts = accountsOf(accountId);
  const search = searchOf(rest, accounts);
  const areHidden = await areSomeHidden(trx);
  const events = await eventsAsked(trx, { eventId, tradeSessionId, accounts }, 'first');
  checkAll(events);
  const counted = await (asked.skipReplayed
    ? countToReplay(trx, search, events, asked)
    : countAll(trx, search, events, { ...asked, accountId }));
  const groups = asked.kind === 'REPLAY' ? await withoutDeleted(trx, counted.groups) : counted.groups;
  return {
    count: groups.reduce((sum, { count }) => sum + count, 0),
    countIsExact: counted.isExact && !areHidden,
    endpoints: groups.slice(0, MOST_ENDPOINTS),
  };
}

type Events = readonly EventRef[] | null;
type Counted = Awaited<ReturnType<typeof countByEndpoint>>;

/** Nothing can be sent to an endpoint that is deleted. */
async function withoutDeleted(trx: Trx, groups: Counted['groups']): Promise<Counted['groups']> {
  const ids = groups.map(({ endpointId }) => endpointId);
  const deleted = ids.length === 0 ? new Set() : await deletedAmong(trx, ids);
  return groups.filter(({ endpointId }) => !deleted.has(endpointId));
}

const together = (a: Counted, b: Counted): Counted => {
  const counts = new Map(a.groups.map(({ endpointId, count }) => [endpointId, count]));
  for (const { endpointId, count } of b.groups) counts.set(endpointId, (counts.get(endpointId) ?? 0) + count);
  const groups = [...counts].map(([endpointId, count]) => ({ endpointId, count }));
  return { groups: groups.toSorted((x, y) => y.count - x.count), isExact: a.isExact && b.isExact };
};

const byEndpoint = (of: readonly { endpoint_id: string }[]): Counted['groups'] =>
  [...Map.groupBy(of, (row) => row.endpoint_id)]
    .map(([endpointId, rows]) => ({ endpointId, count: rows.length }))
    .toSorted((a, b) => b.count - a.count);

/** What has ended so is not seen for ever. */
const FORGOTTEN: readonly string[] = ['DELIVERED', 'DISCARDED'];

/**
 * All that fit and are within their retention; counted up to 100,000 entries of an index. That goes by ids, so those before are looked at one by one: what
 * waited past its retention is still seen.
 */
async function countAll(
  trx: Trx,
  search: Search,
  events: Events,
  { filter, retentionDays, accountId }: Asked & { accountId: string | null },
): Promise<Counted> {
  if (events !== null) {
    const rows = await selectOfEvents(
      trx,
      { ...search, events, retentionDays },
      { order: 'asc', limit: MOST_OF_TRADE },
    );
    return { groups: byEndpoint(rows), isExact: rows.length < MOST_OF_TRADE };
  }
  const shown = FORGOTTEN.includes(filter.status) ? await shownFrom(trx, search.after, retentionDays) : null;
  if (shown === null) return countByEndpoint(trx, search);
  const { usual, own } = shown;
  const from =
    accountId === null
      ? // From then on all of every account are seen; before, those of some.
        own.reduce((latest, one) => (one.from > latest ? one.from : latest), usual)
      : (own.find((one) => one.accountId === accountId)?.from ?? usual);
  if (from <= search.after) return countByEndpoint(trx, search);
  const seen = await countByEndpoint(trx, { ...search, after: from });
  const before = from < search.before ? from : search.before;
  const isSeen = (item: Item): boolean => item.status === filter.status && !item.isHidden;
  return together(seen, await countLooking(trx, { ...search, before }, null, { retentionDays, fits: isSeen }));
}

/** Those that were not replayed before, of the first 10,000: what the job will ask of each is asked here. */
function countToReplay(trx: Trx, search: Search, events: Events, { filter, retentionDays }: Asked): Promise<Counted> {
  const reasonFor = skipping({ filter, skip_replayed: true });
  return countLooking(trx, search, events, { retentionDays, fits: (item) => reasonFor(item) === null });
}

/** Of the first 10,000 those that fit, each looked at. */
async function countLooking(
  trx: Trx,
  search: Search,
  events: Events,
  { retentionDays, fits }: { retentionDays: number; fits: (item: Item) => boolean },
): Promise<Counted> {
  const fitting: Item[] = [];
  let from: string | null = search.after;
  for (let looks = 0; from !== null && looks < MOST_LOOKS; looks++) {
    const found: Found = await nextOf(trx, { ...search, after: from }, events, LOOK);
    const items = await selectItems(trx, found.ids, retentionDays);
    fitting.push(...items.filter(fits));
    from = found.next;
    // Few among many others: the next looks would be as long, and find as little.
    if (found.ids.length < LOOK / 10) break;
  }
  return { groups: byEndpoint(fitting), isExact: from === null };
}

/** The next deliveries that fit, of a trade those of its events. */
export async function nextOf(trx: Trx, search: Search, events: Events, limit: number): Promise<Found> {
  if (events === null) return searchDeliveries(trx, search, { order: 'asc', limit });
  const rows = await selectOfEvents(trx, { ...search, events }, { order: 'asc', limit });
  const ids = rows.map((row) => row.id);
  return { ids, next: ids.length === limit ? (ids.at(-1) as string) : null };
}

/** Throws VALIDATION_ERROR where these are not all events of the trade: of what a publisher calls one to which it gives all that it sends. */
function checkAll(events: Events): void {
  if (events === null || events.length < MOST_REFS_OF_TRADE) return;
  throw invalid({
    path: 'body.filter.tradeSessionId',
    message: `has ${MOST_REFS_OF_TRADE} events or more: choose by since and until instead`,
  });
}

/**
 * Stores a job; a worker does it in portions (run-jobs.ts). What it goes over is fixed here: deliveries that were made before
 * it, so none that it makes itself. Throws INVALID_STATE when the account has five under way.
 */
export async function createJob(
  trx: Trx,
  { retentionDays, ...input }: JobInput & Asked,
  accountId: string | null,
  env: Env,
): Promise<JobRow> {
  if ((await countRunning(trx, accountId)) >= MOST_RUNNING) {
    throw new AppError('INVALID_STATE', { message: `${MOST_RUNNING} such jobs are under way already.` });
  }
  const { count, countIsExact } = await previewJob(trx, { ...input, retentionDays }, accountId);
  const job: JobRow = {
    id: env.newId(),
    kind: input.kind,
    state: 'RUNNING',
    account_id: accountId,
    filter: input.filter,
    reason: input.reason ?? null,
    rate_per_second: input.kind === 'REPLAY' ? (input.ratePerSecond ?? DEFAULT_RATE) : null,
    skip_replayed: input.skipReplayed ?? false,
    total: count,
    total_is_exact: countIsExact,
    cursor: null,
    done: 0,
    skipped: {},
    next_at: env.now,
    failures: 0,
    error: null,
    request_id: env.requestId,
    created_at: env.now,
    started_at: null,
    ended_at: null,
  };
  await insertJob(trx, job);
  return job;
}
