import { foldCase } from '../../../lib/fold-case.ts';

/** What lists filter by, as post_pair_counts names it. */
export const FEATURED_ID = 'f';
export const authorId = (id: string): string => `a${id}`;
export const categoryId = (key: string): string => `c${key}`;
export const tagId = (key: string): string => `t${key}`;

export interface Pair {
  first: string;
  second: string;
}

/** In the order of the table: by bytes, as the collation "C" does. */
export const pairOf = (one: string, other: string): Pair =>
  Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0
    ? { first: one, second: other }
    : { first: other, second: one };

/** Every two of what a post that readers see, or will, is filtered by. */
export function pairsOf(post: {
  authorId: string;
  category: string | null;
  featured: boolean;
  tags: readonly string[];
}): Pair[] {
  const ids = [
    authorId(post.authorId),
    ...(post.category === null ? [] : [categoryId(foldCase(post.category))]),
    ...(post.featured ? [FEATURED_ID] : []),
    ...post.tags.map((tag) => tagId(foldCase(tag))),
  ];
  return ids.flatMap((one, i) => ids.slice(i + 1).map((other) => pairOf(one, other)));
}
