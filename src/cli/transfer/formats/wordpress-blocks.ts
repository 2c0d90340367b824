import { type Fit, MAX, storable } from './fit.ts';
import { PostError } from './foreign-post.ts';
import { metaOf } from './wordpress-index.ts';
import type { XmlElement } from './xml-elements.ts';

/** A block that stands for the content of an item of its own. */
const PATTERN = /<!-- wp:block (\{[^<>]*\}) \/-->/g;

/** Of all patterns of a post: one may be named any number of times. Characters. */
const MAX_PATTERNS = MAX.body;

/**
 * The content with its synced patterns ("reusable blocks"), which the editor keeps in items of type `wp_block`. Those within
 * patterns are left out, so that none can hold itself, as are those that the file does not hold; with a note. Throws PostError.
 */
export function withPatterns(fit: Fit, content: string, patterns: ReadonlyMap<string, string>): string {
  let length = 0;
  return content.replaceAll(PATTERN, (_block, attributes: string) => {
    const pattern = patterns.get(/"ref":\s*(\d+)/.exec(attributes)?.[1] ?? '');
    if (pattern === undefined) fit.note('synced pattern left out: the file does not hold it');
    else if (pattern.includes('<!-- wp:block ')) fit.note('synced pattern within another left out');
    length += pattern?.length ?? 0;
    if (length > MAX_PATTERNS) throw new PostError(`its synced patterns have more than ${MAX_PATTERNS} characters`);
    return pattern ?? '';
  });
}

interface Footnote {
  id: string;
  content: string;
}

const isFootnote = (value: unknown): value is Footnote => {
  const { id, content } = (value ?? {}) as Partial<Footnote>;
  return typeof id === 'string' && typeof content === 'string';
};

/** The texts of footnotes by their ids, as HTML: the editor keeps them in a custom field, and in the text only their ids. */
export function footnotesOf(fit: Fit, item: XmlElement): ReadonlyMap<string, string> {
  const written = metaOf(item, 'footnotes')[0]?.trim() ?? '';
  if (written === '') return new Map();
  try {
    const read: unknown = JSON.parse(written);
    if (Array.isArray(read)) return new Map(read.filter(isFootnote).map(({ id, content }) => [id, storable(content)]));
  } catch {
    // Told below.
  }
  fit.note('footnotes left out: they cannot be read');
  return new Map();
}
