import MiniSearch, { type SearchResult } from 'minisearch';
import { type Piece, snippetOf } from './snippet.ts';
import type { Passage } from './passages.ts';
import { formsOf, queryOf, rootOf, wordsOf } from './words.ts';

export interface Hit {
  address: string;
  page: string;
  heading: string;
  snippet: Piece[];
}

export interface Hits {
  hits: Hit[];
  /** There are more. */
  isCut: boolean;
  /** No passage has all of the words: these have some of them. */
  isPart: boolean;
}

export interface Search {
  /** The passages that fit best, best first, of each address one. Any text may be searched for; without a word nothing is found. */
  find(text: string): Hits;
}

const HITS = 20;
/** So many passages are put into the index between two turns of the event loop: some milliseconds. */
const AT_ONCE = 10;
/** A passage in which the words stand as they were typed, as names do, counts for so many. */
const AS_TYPED = 2;
/** Beside what tells how to use the service, how it is built and how it came to be count less. */
const LESS: readonly (readonly [start: string, weight: number])[] = [
  ['/docs#', 0.5],
  ['/docs/adr', 0.4],
  ['/docs/-/CHANGELOG', 0.2],
  ['/docs/-/ARCHITECTURE', 0.4],
  ['/docs/-/CONTRIBUTING', 0.4],
  ['/docs/-/bench', 0.3],
  ['/docs/comparison', 0.6],
];
const weightOf = (address: string): number => LESS.find(([start]) => address.startsWith(start))?.[1] ?? 1;

/** Makes the index, in a fraction of a second; requests are answered meanwhile. */
export async function createSearch(passages: readonly Passage[]): Promise<Search> {
  /** What the words of all passages are found by: each is asked for many times. */
  const known = new Map<string, string[]>();
  const knownForms = (word: string): string[] => {
    const forms = known.get(word) ?? formsOf(word);
    known.set(word, forms);
    return forms;
  };
  const index = new MiniSearch<Passage & { id: number }>({
    fields: ['page', 'heading', 'text'],
    tokenize: wordsOf,
    processTerm: knownForms,
    searchOptions: {
      tokenize: queryOf,
      processTerm: rootOf,
      boost: { page: 2, heading: 4 },
      boostDocument: (id: number) => weightOf((passages[id] as Passage).address),
      prefix: (_, i, all) => i === all.length - 1,
      fuzzy: (word) => (word.length > 4 ? 0.2 : false),
    },
  });
  await index.addAllAsync(
    passages.map((passage, id) => ({ ...passage, id })),
    { chunkSize: AT_ONCE },
  );
  const hitsOf = (results: readonly SearchResult[]): Pick<Hits, 'hits' | 'isCut'> => {
    const best = new Map<string, SearchResult>();
    for (const one of results) {
      const { address } = passages[one.id] as Passage;
      if (!best.has(address)) best.set(address, one);
      if (best.size > HITS) break;
    }
    const hits = [...best.values()].slice(0, HITS).map(({ id, terms }) => {
      const { address, page, heading, text } = passages[id] as Passage;
      return { address, page, heading, snippet: snippetOf(text, terms, knownForms) };
    });
    return { hits, isCut: best.size > HITS };
  };
  const search = (text: string, combineWith: 'AND' | 'OR'): SearchResult[] => {
    const typed = text.toLowerCase();
    const scoreOf = ({ id, score }: SearchResult): number => {
      const { heading, text: said } = passages[id] as Passage;
      return `${heading} ${said}`.toLowerCase().includes(typed) ? score * AS_TYPED : score;
    };
    return index
      .search(text, { combineWith })
      .map((one) => ({ ...one, score: scoreOf(one) }))
      .toSorted((a, b) => b.score - a.score);
  };
  return {
    find(text) {
      const all = search(text, 'AND');
      const some = all.length > 0 ? [] : search(text, 'OR');
      return { ...hitsOf([...all, ...some]), isPart: some.length > 0 };
    },
  };
}
