import { invalid } from '../../contracts/errors.ts';
import { foldCase } from '../../lib/fold-case.ts';
import type { PostContent } from './post.ts';
import type { WritablePost } from './schemas.ts';

/** Trimmed, without repeats that differ in case only; the first spelling stays. */
function cleanTags(tags: readonly string[]): string[] {
  const seen = new Map<string, string>();
  for (const tag of tags.map((t) => t.trim())) if (!seen.has(foldCase(tag))) seen.set(foldCase(tag), tag);
  return [...seen.values()];
}

function checkUrl(url: string, path: string): void {
  if (!URL.canParse(url)) throw invalid({ path, message: 'must be an address of http or https' });
}

/**
 * The fields of a request that fits the schema, in the form in which they are stored. Throws VALIDATION_ERROR for what
 * a schema cannot say; `prefix` is put before the names of fields there.
 */
export function cleanContent(fields: WritablePost, prefix: string): Partial<PostContent> {
  if (typeof fields.coverImageUrl === 'string') checkUrl(fields.coverImageUrl, `${prefix}coverImageUrl`);
  return {
    ...fields,
    ...(fields.title === undefined ? {} : { title: fields.title.trim() }),
    ...(fields.category === undefined ? {} : { category: fields.category.trim() }),
    ...(fields.excerpt === undefined ? {} : { excerpt: fields.excerpt.trim() }),
    ...(fields.tags === undefined ? {} : { tags: cleanTags(fields.tags) }),
  };
}
