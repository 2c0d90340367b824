import { type Db, inTransaction, isRetryable, type Trx } from '../../../platform/db/index.ts';
import { claimReplies, type IdempotencyClaim, type Reply } from '../../../platform/http/index.ts';
import {
  addShares,
  addViews,
  deleteLikes,
  findLikes,
  findTrends,
  insertLikes,
  lockCounters,
  publicAmong,
  updateCounters,
  waitForLocks,
} from './store.ts';
import { type Action, type Changes, type Counted, type CountedPost, type Outcome, Tally } from './tally.ts';
import { mostTrend, NO_TREND, WEIGHTS } from './trend.ts';

/** One request, with its Idempotency-Key where it has one. */
export interface Request {
  action: Action;
  claim?: IdempotencyClaim | undefined;
}

export const replyOf = (counted: Counted): Reply => ({ status: 200, body: counted });

/** A deadlock's loser is run again at most this often. */
const RETRIES = 3;

/** Rolls the batch back: these requests are to be left out of it. */
class KeysTaken extends Error {
  readonly requests: readonly Request[];

  constructor(requests: readonly Request[]) {
    super('Idempotency-Keys of the batch were taken by another node');
    this.requests = requests;
  }
}

export interface LockOptions {
  /** How long to wait for a lock; after that, the batch fails with `isLockTimeout`. Milliseconds. */
  waitMs: number;
  /** Leave out posts whose counters others hold: `locked`. */
  skipLocked: boolean;
}

interface Times {
  /** By the node: what is public. */
  now: Date;
  /** When what is counted happened: not later than by the database, whose clock a node may be ahead of. */
  at: Date;
}

/** The addresses of public posts that could not be locked. */
async function lockedAmong(trx: Trx, slugs: readonly string[], posts: ReadonlyMap<string, unknown>, now: Date) {
  const left = slugs.filter((slug) => !posts.has(slug));
  return left.length === 0 ? new Set<string>() : publicAmong(trx, left, now);
}

async function countAll(
  trx: Trx,
  requests: readonly Request[],
  { now, at, skipLocked }: Times & LockOptions,
): Promise<[Attempt[], Changes]> {
  const slugs = [...new Set(requests.map((r) => r.action.slug))];
  const posts = await lockCounters(trx, slugs, { now, skipLocked });
  const locked = skipLocked ? await lockedAmong(trx, slugs, posts, now) : new Set<string>();
  const pairs = requests.flatMap(({ action }) => {
    const post = 'userId' in action ? posts.get(action.slug) : undefined;
    return post && 'userId' in action ? [{ postId: post.postId, userId: action.userId }] : [];
  });
  const tally = new Tally(posts, pairs.length === 0 ? [] : await findLikes(trx, pairs), at);
  const outcomes = requests.map(
    ({ action }): Attempt => (locked.has(action.slug) ? { is: 'locked' } : tally.count(action)),
  );
  return [outcomes, tally.changes()];
}

async function writeAll(trx: Trx, changes: Changes, at: Date): Promise<void> {
  await deleteLikes(trx, changes.removed);
  await insertLikes(trx, changes.added, at);
  await addViews(trx, changes.views, at);
  await addShares(trx, changes.shares, at);
  await updateCounters(trx, await withTrends(trx, changes.counters, at));
}

/**
 * Whether what is stored of a post tells its trend better than the number: where only what is long past is left of it, else a like that is
 * taken back would end it; and where it is higher than all that ever happened could make it by now. A clock that was ahead has made it so, and
 * would keep the post above all others until then.
 */
function isLost({ trend, likes, views, shares }: CountedPost, at: Date): boolean {
  const weight = WEIGHTS.like * likes + WEIGHTS.view * views + WEIGHTS.share * shares;
  return weight > 0 && (trend === NO_TREND || trend > mostTrend(weight, at.getTime()));
}

async function withTrends(trx: Trx, counters: Changes['counters'], at: Date): Promise<Changes['counters']> {
  const lost = counters.filter((c) => isLost(c, at));
  if (lost.length === 0) return counters;
  const trends = await findTrends(trx, lost, at);
  return counters.map((c) => ({ ...c, trend: trends.get(c.postId) ?? c.trend }));
}

/** Stores the replies of requests with a key. Throws KeysTaken when another node has stored some of them meanwhile. */
async function storeReplies(
  trx: Trx,
  requests: readonly Request[],
  outcomes: readonly Attempt[],
  now: Date,
): Promise<void> {
  const keyed = requests.flatMap((request, i) => {
    const outcome = outcomes[i] as Attempt;
    if (!request.claim || outcome.is !== 'counted') return [];
    return [{ request, claim: request.claim, reply: replyOf(outcome.counted) }];
  });
  if (keyed.length === 0) return;
  const stored = await claimReplies(trx, keyed, now);
  const taken = keyed.filter((k) => !stored.has(k.claim)).map((k) => k.request);
  if (taken.length > 0) throw new KeysTaken(taken);
}

/** `locked`: somebody else holds the post's counters; nothing of the request was kept, and it can be done again. */
export type Attempt = Outcome | { is: 'locked' };

/** What a batch came to. */
export interface Committed {
  /** In the order of the requests. */
  outcomes: Attempt[];
  /** Posts whose counters changed. */
  changed: string[];
}

async function commitOnce(db: Db, requests: readonly Request[], now: Date, lock: LockOptions): Promise<Committed> {
  return inTransaction(db, async (trx) => {
    const present = await waitForLocks(trx, lock.waitMs);
    const at = present < now ? present : now;
    const [outcomes, changes] = await countAll(trx, requests, { now, at, ...lock });
    await writeAll(trx, changes, at);
    await storeReplies(trx, requests, outcomes, now);
    return { outcomes, changed: changes.counters.map((c) => c.postId) };
  });
}

/**
 * Commits what the requests do in one transaction, in their order, together with their Idempotency-Keys, and gives the
 * outcome of each. Locks are taken in one order everywhere: counters by id, then keys.
 *
 * A key that another node has taken since the request came is rare (its own node has looked just before), so it is
 * found out at the end: then the batch is rolled back and done again without that request.
 */
export async function commitBatch(
  db: Db,
  requests: readonly Request[],
  now: Date,
  lock: LockOptions,
): Promise<Committed> {
  const duplicates = new Set<Request>();
  for (let retries = 0; ; ) {
    const rest = requests.filter((r) => !duplicates.has(r));
    try {
      const { outcomes, changed } =
        rest.length === 0 ? { outcomes: [], changed: [] } : await commitOnce(db, rest, now, lock);
      const of = new Map(rest.map((r, i) => [r, outcomes[i] as Attempt]));
      return { outcomes: requests.map((r) => of.get(r) ?? { is: 'duplicate' }), changed };
    } catch (error) {
      if (error instanceof KeysTaken) for (const request of error.requests) duplicates.add(request);
      else if (!isRetryable(error) || ++retries > RETRIES) throw error;
    }
  }
}
