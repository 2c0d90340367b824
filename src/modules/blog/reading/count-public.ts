import type { Db } from '../../../platform/db/index.ts';
import { type CountKind, readCount } from '../counts/store.ts';
import { countMatching, type PublicFilter } from './store.ts';

interface KeptCount {
  kind: CountKind;
  keys: readonly string[];
  /** Subtract the featured ones. */
  lessFeatured?: true;
}

/** The kept count that answers a filter, or null where several conditions meet and the rows must be counted. */
function keptCount(filter: PublicFilter): KeptCount | null {
  const { categoryKey, featured, authorIds, tagKeys } = filter;
  const conditions = [categoryKey, featured, authorIds, ...tagKeys].filter((c) => c !== undefined).length;
  if (conditions === 0) return { kind: 'all', keys: [''] };
  if (conditions > 1) return null;
  if (categoryKey !== undefined) return { kind: 'category', keys: [categoryKey] };
  if (authorIds !== undefined) return { kind: 'author', keys: authorIds };
  if (featured === undefined) return { kind: 'tag', keys: tagKeys };
  return featured ? { kind: 'featured', keys: [''] } : { kind: 'all', keys: [''], lessFeatured: true };
}

/** How many public posts a filter has: for one condition by a look-up, less the few that are scheduled for later. */
export async function countPublic(db: Db, filter: PublicFilter, now: Date): Promise<number> {
  const kept = keptCount(filter);
  if (kept === null) return countMatching(db, filter, 'public', now);
  const all = await readCount(db, kept.kind, kept.keys);
  if (all === 0) return 0;
  const featured = kept.lessFeatured ? await readCount(db, 'featured', ['']) : 0;
  return all - featured - (await countMatching(db, filter, 'scheduled', now));
}
