import { BoundedMap } from '../../../lib/bounded-map.ts';
import { foldCase } from '../../../lib/fold-case.ts';
import { isSlug, slugifyAny } from '../../../lib/slug.ts';
import type { Taxonomy } from '../../blog/index.ts';

/** Names that are looked through for a slug, the most used ones. */
const NAMES = 1000;

/** Kept, since whoever asks for a thousand names that there are not should not have each of these made anew. */
const slugs = new BoundedMap<string, string>(4 * NAMES);

function slugOf(name: string): string {
  const kept = slugs.get(name);
  if (kept !== undefined) return kept;
  const slug = slugifyAny(name);
  slugs.set(name, slug);
  return slug;
}

/** The category or tag of which this is the slug, by which other systems have it in their addresses (`/tag/getting-started/`). */
export function nameOfSlug(
  kind: 'category' | 'tag',
  asked: string,
  { categories, tags }: Taxonomy,
): string | undefined {
  const slug = asked.toLowerCase();
  if (!isSlug(slug)) return undefined;
  const names = (kind === 'category' ? categories : tags).slice(0, NAMES).map(({ name }) => name);
  return names.some((name) => foldCase(name) === foldCase(asked))
    ? undefined
    : names.find((name) => slugOf(name) === slug);
}
