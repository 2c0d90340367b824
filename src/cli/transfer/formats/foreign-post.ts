import { readLooseDate } from '../../../lib/loose-date.ts';
import { cutText, firstHeading } from '../../../lib/markdown-text.ts';
import { isSlug, slugifyAny } from '../../../lib/slug.ts';
import type { ImportItem } from '../../../modules/blog/index.ts';
import { type Fit, MAX, oneLine, owned } from './fit.ts';

/** A post that cannot be held, with the reason. */
export class PostError extends Error {
  override readonly name = 'PostError';
}

/** What the user says about a whole export. */
export interface ForeignOptions {
  /** Before every source: two blogs with the same numbers are told apart by it. */
  name: string;
  /** Category of posts that have none. */
  category: string;
  /** Address of the old site, for addresses that are written without it. */
  site?: string | undefined;
}

/** Opens the file from its beginning; called once for each time that it is read. */
export type OpenFile = () => AsyncIterable<Uint8Array>;

/** Slugs that posts of this file have taken so far. */
export type SeenSlugs = Set<string>;

/** A date of an export in RFC 3339, or undefined where there is none. Throws PostError for what is no date. */
export function dateOf(value: unknown, what: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'number') {
    const at = new Date(value);
    if (!Number.isNaN(at.getTime())) return at.toISOString();
  }
  const date = typeof value === 'string' ? readLooseDate(value) : undefined;
  if (date === undefined) throw new PostError(`${what} is not a date: ${cutText(JSON.stringify(value), 60)}`);
  return date;
}

/** The slug as written; the second post of a file with the same one begins with it and gets another. */
export function slugOf(fit: Fit, value: unknown, seen: SeenSlugs): Pick<ImportItem, 'slug' | 'slugHint'> {
  const given = oneLine(value);
  if (given === undefined) return {};
  const slug = isSlug(given) ? given : slugifyAny(given);
  if (slug !== given) fit.note(slug === '' ? `slug ${given} cannot be one` : `slug ${given} made ${slug}`);
  if (slug === '') return {};
  if (seen.has(slug)) {
    fit.note(`another post of the file has the slug ${slug} too`);
    return { slugHint: slug };
  }
  seen.add(owned(slug));
  return { slug };
}

/** A title where the source has none: a public post needs one. */
export function titleOf(fit: Fit, value: unknown, body: string): string {
  const title = oneLine(value) ?? firstHeading(body);
  if (title === undefined) fit.note('no title');
  return fit.cut(title ?? 'Untitled', MAX.title, 'title');
}

/** The body, unless it is too long; long titles can be cut, a text cannot. Throws PostError. */
export function bodyOf(markdown: string): string {
  if (markdown.length > MAX.body) throw new PostError(`the text has more than ${MAX.body} characters`);
  return markdown;
}

/** A public post needs a text and a date; without one of them it is imported as a draft. */
export function publicDate(fit: Fit, date: string | undefined, body: string): Pick<ImportItem, 'publishedAt'> {
  if (date === undefined) fit.note('no date: imported as a draft');
  else if (body.trim() === '') fit.note('no text: imported as a draft');
  else return { publishedAt: date };
  return {};
}
