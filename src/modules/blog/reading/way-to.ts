import { LARGE } from '../search/vocabulary.ts';

/** Posts that are sorted for one page at most; where more match, the page is found by going along an index. */
const MOST_SORTED = 50_000;

export interface Sizes {
  /** Posts that match the filter. */
  matching: number;
  /** All that are published. */
  all: number;
  /** Position of the page's last post. */
  end: number;
}

/**
 * How a page of a filtered list is found in an order. No index serves every filter in every order, so
 * there are two ways, and the cheaper one is never dear:
 *
 * - `walk` along the order's index and leave out what does not match: about end · all / matching rows;
 * - `gather` what matches, by the filter's index, and sort it: matching rows.
 *
 * A row costs about the same either way (measured; but see `wayToTagged`), so they are even where matching² = end · all.
 * At a million posts, a first page of 20 reads at most 4 500 rows. The database's own planner does not know how many match several conditions; the list has counted
 * them anyway.
 */
export function wayTo({ matching, all, end }: Sizes): 'walk' | 'gather' {
  return matching <= MOST_SORTED && matching ** 2 <= end * all ? 'gather' : 'walk';
}

/** Posts of a tag that are held at once while an order is walked: a hash of more may not fit into `work_mem`. */
const MOST_HELD = 20_000;
/** What a row takes in each way, measured at a million posts. Microseconds. */
const COSTS = { gather: 6, hold: 0.3, passHeld: 0.25, pass: 1.1 };

/** The first of those that cost least. */
const cheapest = <Way>(costs: [Way, number][]): Way => costs.reduce((best, one) => (one[1] < best[1] ? one : best))[0];

export type WayOfTag = 'walk' | 'gather' | 'hold';

/**
 * How a page of the posts of a tag is found in the order of a counter. To `gather`, each one's counter is looked up; to
 * `walk`, each post along the order is looked up among those of the tag, in an index, in which they are side by side; to
 * `hold`, among those of the tag that were read before. So a first page of a tag takes 6 ms at most among a million posts.
 * With other conditions besides (`isAlone` false) nothing is held: all of the tag would be read to find the few that match.
 */
export function wayToTagged({ matching, all, end }: Sizes, isAlone: boolean): WayOfTag {
  const passed = (end * all) / Math.max(matching, 1);
  const costs: [WayOfTag, number][] = [
    ['walk', COSTS.pass * passed],
    ['gather', matching <= MOST_SORTED ? COSTS.gather * matching : Number.POSITIVE_INFINITY],
    [
      'hold',
      isAlone && matching <= MOST_HELD ? COSTS.hold * matching + COSTS.passHeld * passed : Number.POSITIVE_INFINITY,
    ],
  ];
  return cheapest(costs);
}

export type WayOfTags = 'walk' | 'hold' | 'join' | 'marks';

/** What each takes of a page of several tags, measured at a million posts, on a machine three times as quick as that of `COSTS`: only its own are compared. Microseconds. */
const COSTS_OF_TAGS = { lookUp: 0.85, hold: 0.12, passHeld: 0.07, join: 0.065, compare: 0.12, read: 1.2 };
/** By the index of search documents so many are read and sorted at most. */
const MOST_BY_MARKS = 500;

/**
 * How a page of the posts of several tags is found in the order of dates; `ofTags` are the posts of each of them. To `walk`,
 * each entry of the rarest is looked up under the others until the page is full; to `hold`, the rarest is read as a whole, and the
 * entries of the next one are looked up in that; to `join`, both are gone through side by side; by `marks`, the index of search
 * documents says which posts have all of them, and these are read and sorted. In a small blog the planner does not join them side by
 * side, and might rather read all documents. Of 90 pairs of tags at a million posts, the way that is chosen took 0.59 ms on average,
 * always the same one 1.76, 0.96, 0.73 and 0.66.
 */
export function wayToSeveral({ matching, all, end }: Sizes, ofTags: readonly number[]): WayOfTags {
  const [fewer, more] = ofTags.toSorted((a, b) => a - b);
  if (fewer === undefined || more === undefined) return 'walk';
  const share = Math.min(1, end / Math.max(matching, 1));
  const { lookUp, hold, passHeld, join, compare, read } = COSTS_OF_TAGS;
  const walked: [WayOfTags, number] = ['walk', lookUp * share * fewer];
  if (all < LARGE) return cheapest([walked, ['hold', hold * fewer + passHeld * share * more]]);
  const byMarks = matching <= MOST_BY_MARKS ? compare * fewer + read * matching : Number.POSITIVE_INFINITY;
  return cheapest([walked, ['join', join * share * (fewer + more)], ['marks', byMarks]]);
}

export interface PlaceOfPage {
  /** Go through the order from its end; the page is then the wrong way round. */
  fromEnd: boolean;
  offset: number;
  limit: number;
}

/** Where a page of `total` is, counted from the nearer end of the order: no page is further away than half of it. */
export function placeOf({ offset, limit, total }: { offset: number; limit: number; total: number }): PlaceOfPage {
  const size = Math.min(limit, total - offset);
  const behind = total - offset - size;
  return behind < offset ? { fromEnd: true, offset: behind, limit: size } : { fromEnd: false, offset, limit };
}
