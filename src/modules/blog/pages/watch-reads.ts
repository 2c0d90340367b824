import type { Mark, ReadCache } from '../reading/cache/read-cache.ts';
import type { PageReads } from './reads.ts';

/** What page reads need of the cache. */
export type PageCache = Pick<ReadCache, 'get'>;

/** Comments are looked up without the cache, and only their writers have to see a change at once (docs/adr/0016). Milliseconds. */
const COMMENTS_FOR_MS = 900;

/**
 * Whether everything that was read is the same still, as who reads it now would find it, but for how often posts were viewed and shared. Asks only for
 * what has to be confirmed.
 */
export type Still = () => Promise<boolean>;

/** Reads that are watched, for what is made of them and is for everybody. */
export interface WatchedReads {
  reads: PageReads;
  /** null: something was read of which that cannot be told, so what was made of it cannot be kept. */
  still: () => Still | null;
}

interface Use {
  mark: Mark;
  /** The present mark, with whatever has to be asked for it. */
  ask: () => Promise<{ mark: Mark }>;
}

interface WatchOptions {
  cache: Pick<ReadCache, 'marked' | 'mark'>;
  createReads: (cache: PageCache) => PageReads;
  monotonic: () => number;
}

const isSame = async ({ mark, ask }: Use): Promise<boolean> => (await ask()).mark === mark;

/** Reads for nobody in particular that remember what they have read. */
export function watchReads({ cache, createReads, monotonic }: WatchOptions): WatchedReads {
  const uses = new Map<string, Use>();
  let until = Number.POSITIVE_INFINITY;
  let isKnown = true;
  const reads = createReads({
    async get(key, build, reader) {
      if (reader !== undefined) throw new Error('watched reads are for nobody in particular');
      const ask = () => cache.marked(key, build);
      const { ready, mark } = await ask();
      // Read twice, and changed in between: what was made of the first has to be made anew.
      if (!uses.has(key)) uses.set(key, { mark, ask });
      return ready;
    },
  });
  const unknown = (): PageReads => {
    isKnown = false;
    return reads;
  };
  const still: Still = async () => {
    if (monotonic() >= until) return false;
    const doubted: Use[] = [];
    for (const [key, use] of uses) {
      const present = cache.mark(key);
      if (present === null) doubted.push(use);
      else if (present !== use.mark) return false;
    }
    const [first, ...others] = doubted;
    if (first === undefined) return true;
    // The first one alone, since it tells whether everything was dropped; the others together, since they share what is asked for.
    if (!(await isSame(first))) return false;
    return (await Promise.all(others.map(isSame))).every(Boolean);
  };
  return {
    reads: {
      list: (query) => reads.list(query),
      taxonomy: () => reads.taxonomy(),
      post: (slug) => reads.post(slug, null),
      neighbours: (post) => reads.neighbours(post),
      months: () => reads.months(),
      comments(slug, page) {
        until = Math.min(until, monotonic() + COMMENTS_FOR_MS);
        return reads.comments(slug, page);
      },
      preview: (token) => unknown().preview(token),
      replies: (id, page) => unknown().replies(id, page),
      findings: (q, posts) => unknown().findings(q, posts),
      between: (time) => unknown().between(time),
      countPosts: () => unknown().countPosts(),
      addresses: (place, limit) => unknown().addresses(place, limit),
    },
    still: () => (isKnown ? still : null),
  };
}
