import type { Db, Env } from '../../../platform/db/index.ts';
import { type Address, changesSince, readClock } from '../addresses/store.ts';
import type { IndexEntry, PostIndex } from '../schemas.ts';
import { addressesOfPublic } from './store.ts';

/** With more changes than this the whole index is given instead: it is told by a single statement. */
const CHANGES_MAX = 10_000;

const entryOf = ({ slug, publishedAt, updatedAt }: Address): IndexEntry => ({
  slug,
  publishedAt: publishedAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

/**
 * What to send as `since` the next time. Not later than the last change that is to be seen: one that has not committed
 * yet will be later. Not later than this node's time: what becomes public by its date after that will be later, too.
 */
const asOf = (changedAt: Date, now: Date): string => (changedAt < now ? changedAt : now).toISOString();

/** Address and dates of every public post, newest first, for sitemaps and feeds. */
export async function getIndex(db: Db, { now }: Pick<Env, 'now'>): Promise<PostIndex> {
  // The clock first: what changes while the posts are being read is told again the next time.
  const { changedAt } = await readClock(db);
  const rows = await addressesOfPublic(db, now);
  return { total: rows.length, data: rows.map(entryOf), asOf: asOf(changedAt, now) };
}

/**
 * The posts whose entry changed after `since` or which became public since then, and the addresses that are public no more
 * (docs/adr/0017-index-changes.md). Where that is not known any more, or is very much, `full` is true and everything is given.
 */
export async function getIndexSince(db: Db, since: Date, { now }: Pick<Env, 'now'>): Promise<PostIndex> {
  const changes = await changesSince(db, { since, now, most: CHANGES_MAX });
  if (changes === null || since < changes.keptSince) {
    return { ...(await getIndex(db, { now })), full: true, removed: [] };
  }
  const { shown, removed, changedAt } = changes;
  return {
    total: shown.length,
    data: shown.map(entryOf),
    asOf: asOf(changedAt, now),
    full: false,
    removed: removed.map(({ slug, removedAt }) => ({ slug, removedAt: removedAt.toISOString() })),
  };
}
