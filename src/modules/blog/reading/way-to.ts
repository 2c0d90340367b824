/** Posts that are sorted for one page at most; where more match, the page is found by going along an index. */
const MOST_SORTED = 50_000;

export interface Sizes {
  /** Posts that match the filter. */
  matching: number;
  /** All that are published. */
  all: number;
  /** Position of the page's last post. */
  end: number;
  /** How many rows are passed along the order in the time in which one is gathered; 1, where it is not given. */
  gathering?: number;
}

/**
 * Along the order of a counter, whether a post has a tag is read off one index, in which those of a tag are side by side;
 * to gather them, each one's counter is looked up (measured at a million posts: 1.1 µs a row against 4 to 13).
 */
export const GATHERING_OF_A_TAG = 4;

/**
 * How a page of a filtered list is found in an order. No index serves every filter in every order, so
 * there are two ways, and the cheaper one is never dear:
 *
 * - `walk` along the order's index and leave out what does not match: about end · all / matching rows;
 * - `gather` what matches, by the filter's index, and sort it: matching rows.
 *
 * A row costs about the same either way (measured; but see GATHERING_OF_A_TAG), so they are even where matching² = end · all.
 * At a million posts, a first page of 20 reads at most 4 500 rows. The database's own planner does not know how many match several conditions; the list has counted
 * them anyway.
 */
export function wayTo({ matching, all, end, gathering = 1 }: Sizes): 'walk' | 'gather' {
  return matching <= MOST_SORTED && gathering * matching ** 2 <= end * all ? 'gather' : 'walk';
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
