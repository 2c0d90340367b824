import type { RawBuilder } from 'kysely';
import type { Db } from '../../../platform/db/index.ts';
import { authorId, categoryId, FEATURED_ID, pairOf, tagId } from '../counts/pairs.ts';
import { type CountKind, countOf, countOfPairs, countUsedPairs, less, readNumbers } from '../counts/store.ts';
import { countMatching, type PublicFilter, rarestFirst } from './store.ts';

/** One condition of a filter, featured aside: the kept counts that have it, and how pairs name it. */
interface Condition {
  kind: CountKind;
  keys: readonly string[];
  ids: readonly string[];
}

const ALL = countOf('all', ['']);

function conditionsOf({ categoryKey, authorIds, tagKeys }: PublicFilter): Condition[] {
  const category =
    categoryKey === undefined ? [] : [{ kind: 'category', keys: [categoryKey], ids: [categoryId(categoryKey)] }];
  const authors = authorIds === undefined ? [] : [{ kind: 'author', keys: authorIds, ids: authorIds.map(authorId) }];
  const tags = tagKeys.map((key) => ({ kind: 'tag', keys: [key], ids: [tagId(key)] }));
  return [...category, ...authors, ...tags] as Condition[];
}

/** Posts that have both; a post has one author, so those of several are added up. */
const both = (one: readonly string[], other: readonly string[]): RawBuilder<number> =>
  countOfPairs(one.flatMap((a) => other.map((b) => pairOf(a, b))));

/** Posts of a filter that are published or scheduled, as far as counts of one and of two conditions say; else null. */
function keptCount(filter: PublicFilter): RawBuilder<number> | null {
  const [one, other, ...more] = conditionsOf(filter);
  const { featured } = filter;
  if (more.length > 0 || (other && featured !== undefined)) return null;
  if (one && other) return both(one.ids, other.ids);
  if (one && featured === true) return both(one.ids, [FEATURED_ID]);
  const all = one ? countOf(one.kind, one.keys) : ALL;
  if (featured === undefined) return all;
  const ofThem = one ? both(one.ids, [FEATURED_ID]) : countOf('featured', ['']);
  return featured ? ofThem : less(all, ofThem);
}

const tagCounts = ({ tagKeys }: PublicFilter): RawBuilder<number>[] => tagKeys.map((key) => countOf('tag', [key]));

/** Of a filter that the kept counts do not answer: whether two of its conditions already leave nothing, and its tags' counts. */
async function roughly(db: Db, filter: PublicFilter): Promise<{ isEmpty: boolean; ofTags: number[] }> {
  const ids = [
    ...conditionsOf(filter).flatMap((one) => (one.ids.length === 1 ? one.ids : [])),
    ...(filter.featured === true ? [FEATURED_ID] : []),
  ];
  const pairs = ids.flatMap((one, i) => ids.slice(i + 1).map((other) => pairOf(one, other)));
  const [used = 0, ...ofTags] = await readNumbers(db, [countUsedPairs(pairs), ...tagCounts(filter)]);
  return { isEmpty: used < pairs.length, ofTags };
}

export interface PublicCounts {
  /** Public posts that the filter lets through. */
  matching: number;
  /** Posts that are public or scheduled, whatever the filter. */
  all: number;
  /** Posts that are public or scheduled under each of the filter's tags; may be empty where it has one tag at most. */
  ofTags: readonly number[];
}

/** Counts what `countPublic` says is `matching`, of a filter for which the kept counts say it; else null. */
export function keptMatching(filter: PublicFilter, now: Date): RawBuilder<number> | null {
  const kept = keptCount(filter);
  return kept && less(kept, countMatching(filter, 'scheduled', now));
}

/**
 * How many public posts a filter has: for one or two conditions by a look-up, less the few that are scheduled for later.
 * Three and more are counted in the rows, unless two of them already leave nothing. One statement, but for those.
 */
export async function countPublic(db: Db, filter: PublicFilter, now: Date): Promise<PublicCounts> {
  const kept = keptMatching(filter, now);
  if (kept !== null) {
    const ofTags = filter.tagKeys.length > 1 ? tagCounts(filter) : [];
    const [all = 0, matching = 0, ...counted] = await readNumbers(db, [ALL, kept, ...ofTags]);
    return { matching, all, ofTags: counted };
  }
  const { isEmpty, ofTags } = await roughly(db, filter);
  const counting = countMatching(rarestFirst(filter, ofTags), 'public', now);
  const [all = 0, matching = 0] = await readNumbers(db, [ALL, ...(isEmpty ? [] : [counting])]);
  return { matching, all, ofTags };
}
