import type { ManagedPost, WritablePost } from '@posthorn/client';

/** What a writer writes, as the form holds it: what is not there is an empty text. */
export interface Fields {
  title: string;
  slug: string;
  excerpt: string;
  body: string;
  coverImageUrl: string;
  coverImageAlt: string;
  category: string;
  tags: string[];
  seoTitle: string;
  seoDescription: string;
  featured: boolean;
}

/** In the order of the form, as a person calls them. */
export const FIELD_NAMES: Readonly<Record<keyof Fields, string>> = {
  title: 'Title',
  body: 'Text',
  slug: 'Slug',
  excerpt: 'Excerpt',
  category: 'Category',
  tags: 'Tags',
  coverImageUrl: 'Cover image',
  coverImageAlt: 'Cover description',
  seoTitle: 'Search title',
  seoDescription: 'Search description',
  featured: 'Featured',
};

export const FIELDS = Object.keys(FIELD_NAMES) as (keyof Fields)[];

export const fieldsOf = (post: ManagedPost): Fields => ({
  title: post.title ?? '',
  slug: post.slug ?? '',
  excerpt: post.excerpt,
  body: post.body,
  coverImageUrl: post.coverImageUrl ?? '',
  coverImageAlt: post.coverImageAlt ?? '',
  category: post.category ?? '',
  tags: post.tags,
  seoTitle: post.seoTitle ?? '',
  seoDescription: post.seoDescription ?? '',
  featured: post.featured,
});

/** Nothing was written, in no field. */
export const isEmpty = (post: ManagedPost): boolean =>
  Object.values(fieldsOf(post)).every(
    (value) => value === '' || value === false || (Array.isArray(value) && value.length === 0),
  );

export const isSame = (a: Fields[keyof Fields], b: Fields[keyof Fields]): boolean =>
  Array.isArray(a) && Array.isArray(b) ? a.length === b.length && a.every((tag, i) => tag === b[i]) : a === b;

/** Names of the fields in which two differ. */
export const differing = (a: Fields, b: Fields): (keyof Fields)[] => FIELDS.filter((name) => !isSame(a[name], b[name]));

/** Once set, these cannot be emptied again: the API takes no null for them, nor an empty text. */
const NEVER_EMPTY: readonly (keyof Fields)[] = ['title', 'slug', 'category'];
/** Absent is null. */
const NULLABLE: readonly (keyof Fields)[] = ['coverImageUrl', 'coverImageAlt', 'seoTitle', 'seoDescription'];

const isBlank = (value: Fields[keyof Fields]): boolean => typeof value === 'string' && value.trim() === '';

export const isSlug = (text: string): boolean => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text);
export const isPictureAddress = (url: string): boolean => /^https?:\/\/[^/]/.test(url) && URL.canParse(url);

/** Why a field cannot be sent as it stands: it may be half written. Null: it can. */
function faultOf(name: keyof Fields, { [name]: value }: Fields): string | null {
  if (isBlank(value)) return NEVER_EMPTY.includes(name) ? `${FIELD_NAMES[name]} cannot be empty again` : null;
  if (name === 'slug' && !isSlug(String(value))) return 'Slug: small letters, digits and single dashes only';
  if (name === 'coverImageUrl' && !isPictureAddress(String(value))) return 'Cover image: no address of a picture';
  return null;
}

/** The first reason why not everything that differs can be sent. */
export const firstFault = (base: Fields, now: Fields): string | null =>
  differing(base, now)
    .map((name) => faultOf(name, now))
    .find((fault) => fault !== null) ?? null;

/** What has to be sent so that a post with the fields `base` gets the fields `now`; without what cannot be sent. */
export function changesOf(base: Fields, now: Fields): WritablePost {
  const changes: Record<string, unknown> = {};
  for (const name of differing(base, now)) {
    if (faultOf(name, now) !== null) continue;
    changes[name] = isBlank(now[name]) && NULLABLE.includes(name) ? null : now[name];
  }
  return changes;
}

/** What differs from `base` in `mine`, on top of `other`. */
export function changedOnTop(base: Fields, mine: Fields, other: Fields): Fields {
  const changed = Object.fromEntries(differing(base, mine).map((name) => [name, mine[name]]));
  return { ...other, ...changed };
}

/**
 * What the form holds after a save: what was changed since stays, the rest is as the service has it now (a slug made of the
 * title). `sent` is what the form held when it was saved: a text that the service trimmed is not changed under the cursor.
 */
export function afterSave(saved: Fields, sent: Fields, base: Fields, now: Fields): Fields {
  const touched = new Set([...differing(base, sent), ...differing(sent, now)]);
  return Object.fromEntries(
    FIELDS.map((name) => [name, touched.has(name) ? now[name] : saved[name]]),
  ) as unknown as Fields;
}
