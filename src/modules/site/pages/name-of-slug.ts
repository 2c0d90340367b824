import { BoundedMap } from '../../../lib/bounded-map.ts';
import { foldCase } from '../../../lib/fold-case.ts';
import { isSlug, slugifyAny } from '../../../lib/slug.ts';
import type { PostSummary, Taxonomy } from '../../blog/index.ts';

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

/** The posts of a category or of a tag. */
export interface NamedList {
  list: 'category' | 'tag';
  name: string;
}

const facetsOf = ({ list }: NamedList, { categories, tags }: Taxonomy) => (list === 'category' ? categories : tags);

const named = (of: NamedList, taxonomy: Taxonomy): string[] =>
  facetsOf(of, taxonomy)
    .slice(0, NAMES)
    .map(({ name }) => name);

/** The same name, in whatever case. */
const isOf = (name: string, names: readonly string[]): string | undefined =>
  names.find((one) => foldCase(one) === foldCase(name));

/**
 * The name of a list as most of its posts spell it, which chips and the sitemap link: an address may have another case. By the spelling of the latest post
 * the address of the page would be another with each post that spells it in its own way. `post`: one of the list, for one that the taxonomy does not know yet.
 */
export function spellingOf(of: NamedList, taxonomy: Taxonomy, { tags, category }: PostSummary): string {
  const facets = facetsOf(of, taxonomy);
  if (facets.some(({ name }) => name === of.name)) return of.name;
  const known = facets.find(({ name }) => foldCase(name) === foldCase(of.name));
  return known?.name ?? (of.list === 'category' ? category : (isOf(of.name, tags) ?? of.name));
}

/**
 * The list that is meant by an address at which there is none: the category or tag of this slug, by which other systems have it in
 * their addresses (`/tag/getting-started/`), or the tag of a category's address and the other way round, since an import makes one of
 * Ghost's tags the category, and further categories of WordPress tags.
 */
export function listMeant(asked: NamedList, taxonomy: Taxonomy): NamedList | undefined {
  const [own, slug] = [named(asked, taxonomy), asked.name.toLowerCase()];
  // It has posts that the list does not know yet, or no more.
  if (isOf(asked.name, own) !== undefined) return undefined;
  const find = (names: readonly string[]): string | undefined =>
    isSlug(slug) ? names.find((name) => slugOf(name) === slug) : undefined;
  const ofOwn = find(own);
  if (ofOwn !== undefined) return { list: asked.list, name: ofOwn };
  const other: NamedList = { list: asked.list === 'tag' ? 'category' : 'tag', name: asked.name };
  const others = named(other, taxonomy);
  const name = isOf(asked.name, others) ?? find(others);
  return name === undefined ? undefined : { list: other.list, name };
}
