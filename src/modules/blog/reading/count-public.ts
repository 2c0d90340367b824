import type { Db } from '../../../platform/db/index.ts';
import { type CountKind, readCount } from '../counts/store.ts';
import { countMatching, type PublicFilter } from './store.ts';

/** The kept count that answers a filter, or null where several conditions meet and the rows must be counted. */
function keptCount(filter: PublicFilter): { kind: CountKind; keys: readonly string[] } | null {
  const [tag] = filter.tagKeys;
  const { categoryKey, featured, authorIds } = filter;
  const conditions = [categoryKey, featured, authorIds, ...filter.tagKeys].filter((c) => c !== undefined).length;
  if (conditions === 0) return { kind: 'all', keys: [''] };
  if (conditions > 1 || featured === false) return null;
  if (categoryKey !== undefined) return { kind: 'category', keys: [categoryKey] };
  if (authorIds !== undefined) return { kind: 'author', keys: authorIds };
  return tag === undefined ? { kind: 'featured', keys: [''] } : { kind: 'tag', keys: [tag] };
}

/** How many public posts a filter has: for one condition by a look-up, less the few that are scheduled for later. */
export async function countPublic(db: Db, filter: PublicFilter, now: Date): Promise<number> {
  const kept = keptCount(filter);
  if (kept === null) return countMatching(db, filter, 'public', now);
  const all = await readCount(db, kept.kind, kept.keys);
  return all === 0 ? 0 : all - (await countMatching(db, filter, 'scheduled', now));
}
