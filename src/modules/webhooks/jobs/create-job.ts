import type { AccountType, Caller } from '../../../contracts/caller.ts';
import { AppError, invalid } from '../../../contracts/errors.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { MOST_REFS_OF_TRADE, refsOfTrade } from '../../events/index.ts';
import { searchOf } from '../deliveries/list-deliveries.ts';
import { countByEndpoint } from '../deliveries/search-store.ts';
import { selectOfEvents } from '../deliveries/store.ts';
import type { EventRef } from '../engine/delivery-store.ts';
import { areSomeHidden } from '../storage/taking-off-store.ts';
import { DEFAULT_RATE, type Preview } from './schemas.ts';
import { countRunning, insertJob, type JobFilter, type JobRow } from './store.ts';

/** Jobs of an account at once, about: two that are made in the same moment are not counted by each other. */
const MOST_RUNNING = 5;
const MOST_ENDPOINTS = 100;
/** A trade has tens of deliveries. */
const MOST_OF_TRADE = 10_000;

export interface JobDeps {
  visibleAccounts(caller: Caller): 'all' | readonly string[];
  /** The account that a caller acts for; throws when it may not. */
  actingAccount(caller: Caller, requested?: string): string;
  accountType(trx: Trx, accountId: string): Promise<AccountType | null>;
}

export interface JobInput {
  kind: JobRow['kind'];
  filter: JobFilter;
  reason?: string;
  ratePerSecond?: number;
  skipReplayed?: boolean;
}

/** Whose deliveries: of the account that was asked for, of the caller's only one, or for operators of all (null). */
export const accountOf = (deps: JobDeps, caller: Caller, requested: string | undefined): string | null =>
  requested === undefined && deps.visibleAccounts(caller) === 'all' ? null : deps.actingAccount(caller, requested);

export const accountsOf = (accountId: string | null): 'all' | readonly string[] =>
  accountId === null ? 'all' : [accountId];

/** How many deliveries fit now; counted up to 100,000 entries of an index. Not exact while some are out of sight (docs/adr/0024). */
export async function previewJob(trx: Trx, filter: JobFilter, accountId: string | null): Promise<Preview> {
  const { tradeSessionId, ...rest } = filter;
  const search = searchOf(rest, accountsOf(accountId));
  const areHidden = await areSomeHidden(trx);
  const counted =
    tradeSessionId === undefined
      ? await countByEndpoint(trx, search)
      : await countOfTrade(trx, search, await eventsOfTrade(trx, tradeSessionId));
  return {
    count: counted.groups.reduce((sum, { count }) => sum + count, 0),
    countIsExact: counted.isExact && !areHidden,
    endpoints: counted.groups.slice(0, MOST_ENDPOINTS),
  };
}

/** All events of the trade, as those of every trade are; not of what a publisher calls one to which it gives all that it sends. */
async function eventsOfTrade(trx: Trx, tradeSessionId: string): Promise<readonly EventRef[]> {
  const events = await refsOfTrade(trx, tradeSessionId, 'first');
  if (events.length < MOST_REFS_OF_TRADE) return events;
  throw invalid({
    path: 'body.filter.tradeSessionId',
    message: `has ${MOST_REFS_OF_TRADE} events or more: choose by since and until instead`,
  });
}

async function countOfTrade(
  trx: Trx,
  search: ReturnType<typeof searchOf>,
  events: readonly EventRef[],
): ReturnType<typeof countByEndpoint> {
  const rows = await selectOfEvents(trx, { ...search, events }, { order: 'asc', limit: MOST_OF_TRADE });
  const groups = [...Map.groupBy(rows, (row) => row.endpoint_id)]
    .map(([endpointId, of]) => ({ endpointId, count: of.length }))
    .toSorted((a, b) => b.count - a.count);
  return { groups, isExact: rows.length < MOST_OF_TRADE };
}

/**
 * Stores a job; a worker does it in portions (run-jobs.ts). What it goes over is fixed here: deliveries that were made before
 * it, so none that it makes itself. Throws INVALID_STATE when the account has five under way.
 */
export async function createJob(trx: Trx, input: JobInput, accountId: string | null, env: Env): Promise<JobRow> {
  if ((await countRunning(trx, accountId)) >= MOST_RUNNING) {
    throw new AppError('INVALID_STATE', { message: `${MOST_RUNNING} such jobs are under way already.` });
  }
  const { count, countIsExact } = await previewJob(trx, input.filter, accountId);
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
