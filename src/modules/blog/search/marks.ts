import { MARK } from './document.ts';
import { anyOf } from './query.ts';

/** Filters of the public list as parts of a query. */
export function publicMarks(filter: {
  categoryKey: string | undefined;
  tagKeys: readonly string[];
  featured: boolean | undefined;
  authorIds: readonly string[] | undefined;
}): string[] {
  const { categoryKey, tagKeys, featured, authorIds } = filter;
  return [
    ...(categoryKey === undefined ? [] : [anyOf([MARK.category(categoryKey)])]),
    ...tagKeys.map((key) => anyOf([MARK.tag(key)])),
    ...(featured === undefined ? [] : [anyOf([featured ? MARK.featured : MARK.plain])]),
    ...(authorIds === undefined ? [] : [anyOf(authorIds.map(MARK.author))]),
  ];
}
