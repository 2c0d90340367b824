/** Paths of lists and searches, as many different ones as there are. */
import { AUTHORS, type BlogPlan, CATEGORIES } from './plan.ts';

const COUNTER_SORTS = ['most_viewed', 'most_liked', 'most_commented', 'most_shared', 'trending'];
const PAGE = 20;
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
  'search: a word that is nowhere': () =>
    `zq${Math.random()
      .toString(36)
      .replaceAll(/[^a-z]/g, '')}`,
};

const lists = (plan: BlogPlan): Readonly<Record<string, () => string>> => {
  const pages = Math.max(1, Math.min(PAGES_MAX, Math.floor((plan.sizes.posts * 0.95) / PAGE)));
  const tag = () => list({ tag: anyOf(plan.material.tags) });
  return {
    'list, any of the first 500 pages': () => list({ page: 1 + any(Math.min(500, pages)) }),
    'list, any page': () => list({ page: 1 + any(pages) }),
    'list by a counter': () => list({ sort: anyOf(COUNTER_SORTS), page: 1 + any(Math.min(50, pages)) }),
    'list of a category, an author or featured': () =>
      both(
        anyOf([list({ category: anyOf(CATEGORIES) }), list({ author: anyOf(AUTHORS) }), list({ featured: 'true' })]),
        list({ page: 1 + any(3) }),
      ),
    'list of a tag': () => both(tag(), list({ page: 1 + any(3) })),
    'list of a category and a tag, or of two tags': () =>
      both(tag(), anyOf([list({ category: anyOf(CATEGORIES) }), tag()])),
    'list of a tag by a counter': () => both(tag(), list({ sort: anyOf(COUNTER_SORTS) })),
  };
};

/** Up to `count` different paths of each kind, by its name. */
export function queriesOf(plan: BlogPlan, count: number): [name: string, paths: string[]][] {
  const searches = Object.entries(SEARCHES).map(([name, q]) => [name, () => list({ q: q(plan) })] as const);
  return [...Object.entries(lists(plan)), ...searches].map(([name, next]) => {
    const paths = new Set<string>();
    for (let i = 0; i < 10 * count && paths.size < count; i++) paths.add(next());
    return [name, [...paths]];
  });
}
