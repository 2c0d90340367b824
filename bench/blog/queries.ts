/** Paths of lists and searches whose page is full, as many different ones as there are. */
import { listPosts } from '../../src/modules/blog/reading/list-posts.ts';
import { openPostgres } from '../../src/platform/db/index.ts';
import type { BlogDatabase } from './database.ts';
import { type Filling, fillingOf, PAGE } from './filling.ts';
import { AUTHORS, type BlogPlan, CATEGORIES } from './plan.ts';

const COUNTER_SORTS = ['most_viewed', 'most_liked', 'most_commented', 'most_shared', 'trending'];
/** A list goes no further (src/platform/http/paging.ts). */
const PAGES_MAX = 10_000;

/** The address of a list. */
export const list = (query: Record<string, string | number>): string =>
  `/v1/blog/posts?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString()}`;
const both = (first: string, second: string): string => `${first}&${second.slice(second.indexOf('?') + 1)}`;

const any = (most: number): number => Math.floor(Math.random() * most);
const anyOf = <T>(of: readonly T[]): T => of[any(of.length)] as T;

/** Words of the title of any post, four letters or longer. */
function titleWords(plan: BlogPlan): string[] {
  for (;;) {
    const words = plan.post(any(plan.sizes.posts)).title.split(' ');
    const long = words.filter((word) => /^[A-Za-z]{4,}$/.test(word));
    if (long.length >= 2) return long;
  }
}

/** The word with two neighbouring letters swapped. */
function misspelt(word: string): string {
  const at = 1 + any(word.length - 2);
  return word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2);
}

/** The only kind that finds nothing. */
const NOWHERE = 'search: a word that is nowhere';
const SEARCHES: Readonly<Record<string, (plan: BlogPlan) => string>> = {
  'search: a word of a title': (plan) => anyOf(titleWords(plan)),
  'search: two words of a title': (plan) => titleWords(plan).slice(0, 2).join(' '),
  'search: a phrase of a title': (plan) =>
    `"${plan.post(any(plan.sizes.posts)).title.split(' ').slice(0, 3).join(' ')}"`,
  'search: an unfinished word after another': (plan) => {
    const [first = '', second = ''] = titleWords(plan);
    return `${first} ${second.slice(0, 3)}`;
  },
  'search: a misspelt word': (plan) => misspelt(titleWords(plan).toSorted((a, b) => b.length - a.length)[0] as string),
  [NOWHERE]: () =>
    `zq${Math.random()
      .toString(36)
      .replaceAll(/[^a-z]/g, '')}`,
};

/** The kind that needs pairs of conditions which have a page of posts between them. */
const OF_PAIRS = 'list of a category and a tag, or of two tags';

/** The path of what `Filling` names. */
const ofPair = (pair: readonly string[]): string =>
  pair.map((one) => list({ [one.startsWith('c') ? 'category' : 'tag']: one.slice(1) })).reduce(both);

const lists = (plan: BlogPlan, { tags, pairs }: Filling): Readonly<Record<string, () => string>> => {
  const pages = Math.max(1, Math.min(PAGES_MAX, Math.floor((plan.sizes.posts * 0.95) / PAGE)));
  const tag = () => list({ tag: anyOf(tags) });
  const firstPages = () => list({ page: 1 + any(3) });
  return {
    'list, any of the first 500 pages': () => list({ page: 1 + any(Math.min(500, pages)) }),
    'list, any page': () => list({ page: 1 + any(pages) }),
    'list by a counter': () => list({ sort: anyOf(COUNTER_SORTS), page: 1 + any(Math.min(50, pages)) }),
    'list of a category, an author or featured': () =>
      both(
        anyOf([list({ category: anyOf(CATEGORIES) }), list({ author: anyOf(AUTHORS) }), list({ featured: 'true' })]),
        firstPages(),
      ),
    'list of a tag': () => both(tag(), firstPages()),
    [OF_PAIRS]: () => ofPair(anyOf(anyOf([pairs.c, pairs.t]))),
    'list of a tag by a counter': () => both(tag(), list({ sort: anyOf(COUNTER_SORTS) })),
  };
};

/** The query of a path, as the service's own schema makes it. */
export function queryOf(path: string): Parameters<typeof listPosts>[1] {
  const params = new URL(path, 'http://localhost').searchParams;
  const texts = Object.fromEntries(params) as Partial<Record<'q' | 'category' | 'author' | 'sort', string>>;
  return {
    ...texts,
    page: Number(params.get('page') ?? 1),
    limit: PAGE,
    ...(params.has('tag') ? { tag: params.getAll('tag') } : {}),
    ...(params.has('featured') ? { featured: true } : {}),
  } as Parameters<typeof listPosts>[1];
}

/** So many are tried for each that is wanted: of the phrases of a small blog one in twenty fills a page. */
const TRIES = 10;

/**
 * Up to `count` different paths of each kind, by its name. Every one has a page of posts, but for those of what is nowhere: a blog
 * is not compared with a smaller one by pages that have less on them. Each was asked for once. `part`: only the kinds whose name has this in it.
 * Throws where there is none of a kind.
 */
export async function queriesOf(
  { plan, url }: Pick<BlogDatabase, 'plan' | 'url'>,
  count: number,
  part = '',
): Promise<[name: string, paths: string[]][]> {
  const filling = await fillingOf(url);
  if (OF_PAIRS.includes(part) && Object.values(filling.pairs).some((pairs) => pairs.length === 0))
    throw new Error(`${plan.sizes.posts} posts are too few: no two tags, or no category and tag, have a page of them`);
  const searches = Object.entries(SEARCHES).map(([name, q]) => [name, () => list({ q: q(plan) })] as const);
  const database = await openPostgres(url, 1);
  const isFull = async (path: string): Promise<boolean> =>
    (await listPosts(database.db, queryOf(path), { now: new Date() })).data.length === PAGE;
  try {
    const kinds: [name: string, paths: string[]][] = [];
    for (const [name, next] of [...Object.entries(lists(plan, filling)), ...searches]) {
      if (!name.includes(part)) continue;
      const tried = new Set<string>();
      const paths: string[] = [];
      for (let i = 0; i < TRIES * count && paths.length < count; i++) {
        const path = next();
        if (tried.has(path)) continue;
        tried.add(path);
        // Each is asked for, whatever is expected of it: what is measured is warm.
        const fills = await isFull(path);
        if (fills || name === NOWHERE) paths.push(path);
      }
      if (paths.length === 0)
        throw new Error(`${plan.sizes.posts} posts are too few: ${name}: none has a page of them`);
      kinds.push([name, paths]);
    }
    return kinds;
  } finally {
    await database.close();
  }
}
