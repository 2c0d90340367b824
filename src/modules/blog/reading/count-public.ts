import type { RawBuilder } from 'kysely';
import type { Db } from '../../../platform/db/index.ts';
import { authorId, categoryId, FEATURED_ID, pairOf, tagId } from '../counts/pairs.ts';
import { type CountKind, countOf, countOfPairs, countUsedPairs, less, readNumbers } from '../counts/store.ts';
import { countMatching, type PublicFilter } from './store.ts';

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

/** Whether two of the conditions already leave nothing. */
async function isEmpty(db: Db, filter: PublicFilter): Promise<boolean> {
  const ids = [
    ...conditionsOf(filter).flatMap((one) => (one.ids.length === 1 ? one.ids : [])),
    ...(filter.featured === true ? [FEATURED_ID] : []),
  ];
  const pairs = ids.flatMap((one, i) => ids.slice(i + 1).map((other) => pairOf(one, other)));
  return (await countUsedPairs(db, pairs)) < pairs.length;
}

export interface PublicCounts {
  /** Public posts that the filter lets through. */
  matching: number;
  /** Posts that are public or scheduled, whatever the filter. */
  all: number;
}

/**
 * How many public posts a filter has: for one or two conditions by a look-up, less the few that are scheduled for later.
 * Three and more are counted in the rows, unless two of them already leave nothing. One statement, but for those.
 */
export async function countPublic(db: Db, filter: PublicFilter, now: Date): Promise<PublicCounts> {
  const kept = keptCount(filter);
  const isNone = kept === null && (await isEmpty(db, filter));
  const asked = isNone
    ? []
    : [kept === null ? countMatching(filter, 'public', now) : less(kept, countMatching(filter, 'scheduled', now))];
  const [all = 0, matching = 0] = await readNumbers(db, [ALL, ...asked]);
  return { matching, all };
}
