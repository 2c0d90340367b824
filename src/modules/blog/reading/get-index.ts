import { type Db, type Env, type Reads, readsOf } from '../../../platform/db/index.ts';
import { type Address, changesSince, readClock } from '../addresses/store.ts';
import type { IndexEntry, PostIndex } from '../schemas.ts';
import { countPublic } from './count-public.ts';
import { addressesOfPublic } from './store.ts';

/** With more changes than this the whole index is given instead: it is told by a single statement. */
const CHANGES_MAX = 10_000;
/** Posts that are read, and written as JSON, at a time: some milliseconds during which nothing else runs. */
const PORTION = 1000;

const entryOf = ({ slug, publishedAt, updatedAt }: Address): IndexEntry => ({
  slug,
  publishedAt: publishedAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

/** What the index depends on, told without reading it: as long as this is the same, the index is. */
export interface IndexHead {
  /** How many posts are public; between two changes it says which, since they become so in the order of their dates. */
  total: number;
  changedAt: string;
  /** What to send as `since` the next time. */
  asOf: string;
}

/**
 * Not later than the last change that is to be seen: one that has not committed yet will be later. Not later than this
 * node's time: what becomes public by its date after that will be later, too.
 */
const asOf = (changedAt: Date, now: Date): string => (changedAt < now ? changedAt : now).toISOString();

export async function getIndexHead(db: Db, { now }: Pick<Env, 'now'>): Promise<IndexHead> {
  const { changedAt } = await readClock(db);
  const none = { categoryKey: undefined, tagKeys: [], featured: undefined, authorIds: undefined };
  const { matching: total } = await countPublic(db, none, now);
  return { total, changedAt: changedAt.toISOString(), asOf: asOf(changedAt, now) };
}

/** Every public post, newest first, in portions; no connection is held between two of them. */
async function* portions(reads: Reads, now: Date, size: number): AsyncGenerator<IndexEntry[]> {
  for (let last: Address | null = null; ; ) {
    const after = last;
    const rows: Address[] = await reads((db) => addressesOfPublic(db, now, { after, limit: size }));
    if (rows.length > 0) yield rows.map(entryOf);
    if (rows.length < size) return;
    last = rows.at(-1) ?? null;
  }
}

/** Address and dates of every public post, newest first, for sitemaps and feeds. */
export async function getIndex(db: Db, { now }: Pick<Env, 'now'>, portion = PORTION): Promise<PostIndex> {
  // The clock first: what changes while the posts are being read is told again the next time.
  const { changedAt } = await readClock(db);
  const data = (await Array.fromAsync(portions(readsOf(db), now, portion))).flat();
  return { total: data.length, data, asOf: asOf(changedAt, now) };
}

/** The same as JSON for an index of any size, as of a head that was read before: never more than a portion in memory. */
export async function* writeIndex(
  reads: Reads,
  head: Pick<IndexHead, 'asOf'>,
  rest: Pick<PostIndex, 'full' | 'removed'>,
  { now }: Pick<Env, 'now'>,
  portion = PORTION,
): AsyncGenerator<string> {
  let total = 0;
  yield '{"data":[';
  for await (const entries of portions(reads, now, portion)) {
    yield (total === 0 ? '' : ',') + entries.map((entry) => JSON.stringify(entry)).join();
    total += entries.length;
  }
  yield `],${JSON.stringify({ total, asOf: head.asOf, ...rest }).slice(1)}`;
}

/**
 * The posts whose entry changed after `since` or which became public since then, and the addresses that are public no more
 * (docs/adr/0017-index-changes.md). Null where that is not known any more, or is very much: give everything instead.
 */
export async function getIndexSince(db: Db, since: Date, { now }: Pick<Env, 'now'>): Promise<PostIndex | null> {
  const changes = await changesSince(db, { since, now, most: CHANGES_MAX });
  if (changes === null || since < changes.keptSince) return null;
  const { shown, removed, changedAt } = changes;
  // Given out by a clock that was ahead, and has been put back.
  if (since > changedAt && since > now) return null;
  return {
    total: shown.length,
    data: shown.map(entryOf),
    asOf: asOf(changedAt, now),
    full: false,
    removed: removed.map(({ slug, removedAt }) => ({ slug, removedAt: removedAt.toISOString() })),
  };
}
