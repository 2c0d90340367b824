import { type Static, Type } from 'typebox';
import { DateTime, Nullable, PageQuery, Uuid } from '../../platform/http/index.ts';
import { SLUG_MAX, SLUG_PATTERN } from '../../lib/slug.ts';
import { STATES } from './rules.ts';

/** No NUL (PostgreSQL cannot store it) and no half of a surrogate pair (UTF-8 cannot hold it). */
export const STORABLE = '^[^\\u0000\\ud800-\\udfff]*$';
/** The same, and something other than white space. */
export const NOT_BLANK = '^(?!\\s*$)[^\\u0000\\ud800-\\udfff]*$';

/** Lengths count Unicode characters (contract: "Blog", limits). */
const text = (maxLength: number, description: string) => Type.String({ maxLength, pattern: STORABLE, description });
const name = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, pattern: NOT_BLANK, ...(description ? { description } : {}) });

/** A filter of a list. */
export const FilterText = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: STORABLE, description });

const writable = {
  title: name(200, 'Kept without white space around it.'),
  slug: Type.String({
    minLength: 1,
    maxLength: SLUG_MAX,
    pattern: SLUG_PATTERN,
    description: 'Derived from the title when absent. Once set it stays until it is changed.',
  }),
  excerpt: text(500, 'Where empty, readers see the beginning of the body.'),
  body: text(1_000_000, 'Markdown.'),
  coverImageUrl: Nullable(
    Type.String({
      format: 'uri',
      pattern: '^[Hh][Tt][Tt][Pp][Ss]?://',
      maxLength: 2000,
      description: 'http or https.',
    }),
  ),
  coverImageAlt: Nullable(text(300, 'What the image shows.')),
  category: name(60),
  tags: Type.Array(name(40), { maxItems: 10, description: 'Tags that differ in case only are one: the first counts.' }),
  seoTitle: Nullable(text(200, 'For search engines; the title when null.')),
  seoDescription: Nullable(text(500, 'For search engines; the excerpt when null.')),
  featured: Type.Boolean(),
};

/** The Markdown of a post. */
export const BodyText = writable.body;

/** Body of create and edit (interface.md §2.6): every field may be absent, no other is taken. */
export const WritablePost = Type.Partial(Type.Object(writable), {
  title: 'WritablePost',
  additionalProperties: false,
});
export type WritablePost = Static<typeof WritablePost>;

export const UpdatePostQuery = Type.Object({
  autosave: Type.Optional(
    Type.Boolean({
      description: 'Saved by an editor on its own: of autosaves in a row, one revision in five minutes is kept.',
    }),
  ),
});

export const PublishBody = Type.Object(
  { at: Type.Optional(Type.String({ format: 'date-time', description: 'In the past: publishes with that date.' })) },
  { additionalProperties: false },
);

const counters = {
  readingMinutes: Type.Integer(),
  likeCount: Type.Integer(),
  commentCount: Type.Integer(),
  viewCount: Type.Integer(),
  shareCount: Type.Integer(),
};

const summary = {
  id: Uuid,
  slug: Type.String(),
  title: Type.String(),
  excerpt: Type.String(),
  coverImageUrl: Nullable(Type.String()),
  coverImageAlt: Nullable(Type.String()),
  category: Type.String(),
  tags: Type.Array(Type.String()),
  publishedAt: DateTime,
  featured: Type.Boolean(),
  ...counters,
  author: Type.Object({ name: Type.String() }),
};

/** interface.md §2.1. */
export const PostSummary = Type.Object(summary, { title: 'PostSummary' });
export type PostSummary = Static<typeof PostSummary>;

/** Ready to be put into the head of the post's page (contract: "Blog"). */
export const Seo = Type.Object({
  title: Type.String(),
  description: Type.String(),
  canonical: Nullable(
    Type.String({ description: 'Below `POSTHORN_PUBLIC_URL`: `/blog/{slug}`. Null where that is not set.' }),
  ),
  openGraph: Type.Object(
    {
      'og:type': Type.Literal('article'),
      'og:title': Type.String(),
      'og:description': Type.String(),
      'og:url': Type.Optional(Type.String()),
      'og:image': Type.Optional(Type.String()),
      'og:image:alt': Type.Optional(Type.String()),
      'article:published_time': DateTime,
      'article:modified_time': DateTime,
      'article:author': Type.String(),
      'article:section': Type.String(),
      'article:tag': Type.Array(Type.String()),
    },
    { description: 'Names and contents of `<meta property>`.' },
  ),
  jsonLd: Type.Object(
    {
      '@context': Type.Literal('https://schema.org'),
      '@type': Type.Literal('BlogPosting'),
      headline: Type.String(),
      description: Type.String(),
      datePublished: DateTime,
      dateModified: DateTime,
      author: Type.Object({ '@type': Type.Literal('Person'), name: Type.String() }),
      articleSection: Type.String(),
      keywords: Type.Array(Type.String()),
      image: Type.Optional(Type.String()),
      url: Type.Optional(Type.String()),
      mainEntityOfPage: Type.Optional(Type.String()),
    },
    { description: 'For a `script` element of type `application/ld+json`; escape `<` when writing it there.' },
  ),
});
export type Seo = Static<typeof Seo>;

/** interface.md §2.2. */
export const PostDetail = Type.Object(
  {
    ...summary,
    body: Type.String({ description: 'Markdown, as written.' }),
    bodyHtml: Type.String({ description: 'The body as HTML that is safe to put into any page.' }),
    seo: Seo,
    seoTitle: Nullable(Type.String()),
    seoDescription: Nullable(Type.String()),
    updatedAt: DateTime,
    likedByMe: Type.Boolean(),
    related: Type.Array(PostSummary),
  },
  { title: 'PostDetail' },
);
export type PostDetail = Static<typeof PostDetail>;

/** What a writer wrote, but for the body. */
export const managedContent = {
  title: Nullable(Type.String()),
  slug: Nullable(Type.String()),
  excerpt: Type.String({ description: 'As written; may be empty.' }),
  coverImageUrl: Nullable(Type.String()),
  coverImageAlt: Nullable(Type.String()),
  category: Nullable(Type.String()),
  tags: Type.Array(Type.String()),
  seoTitle: Nullable(Type.String()),
  seoDescription: Nullable(Type.String()),
  featured: Type.Boolean(),
};

const managed = {
  id: Uuid,
  status: Type.Enum([...STATES]),
  version: Type.Integer({ description: 'Also the ETag; send it as If-Match.' }),
  ...managedContent,
  createdAt: DateTime,
  updatedAt: Type.String({ format: 'date-time', description: 'Last change of content.' }),
  changedAt: Type.String({
    format: 'date-time',
    description: 'Last change of content or state, or import; the managed list is sorted by it.',
  }),
  publishedAt: Nullable(DateTime),
  ...counters,
  author: Type.Object({ id: Uuid, name: Type.String() }),
};

/** An item of the managed list: everything but the body. */
export const ManagedSummary = Type.Object(managed, { title: 'ManagedPostSummary' });
export type ManagedSummary = Static<typeof ManagedSummary>;

/** How many posts are in each state. */
export const StateCounts = Type.Object(
  { DRAFT: Type.Integer(), SCHEDULED: Type.Integer(), PUBLISHED: Type.Integer(), ARCHIVED: Type.Integer() },
  { title: 'PostStateCounts' },
);

export const ManagedPost = Type.Object({ ...managed, body: Type.String() }, { title: 'ManagedPost' });
export type ManagedPost = Static<typeof ManagedPost>;

export const Sort = Type.Enum([
  'newest',
  'oldest',
  'most_viewed',
  'most_liked',
  'most_commented',
  'most_shared',
  'trending',
  'relevance',
]);
export type Sort = Static<typeof Sort>;

/** A search: any text is one. What cannot be stored is in no post, so it is no reason to refuse. */
const SearchText = (description: string) => Type.String({ minLength: 1, maxLength: 200, description });

export const ListPostsQuery = Type.Object({
  sort: Type.Optional(Type.Enum(Sort.enum, { description: 'Default: `relevance` with `q`, else `newest`.' })),
  q: Type.Optional(
    SearchText(
      'Words in title, tags, excerpt or body, without regard to case and accents; all must be there. `"a phrase"`, `-without`; the last word may be unfinished. At most 200 matches are counted and sorted: of more, the newest, with `oldest` the oldest, by `relevance` also those with all words in the title.',
    ),
  ),
  category: Type.Optional(FilterText(60, 'Upper and lower case are the same.')),
  tag: Type.Optional(
    Type.Array(FilterText(40, 'Upper and lower case are the same.'), {
      maxItems: 10,
      description: 'May repeat: a post must have all.',
    }),
  ),
  featured: Type.Optional(Type.Boolean()),
  author: Type.Optional(FilterText(200, 'Name of the author; upper and lower case are the same.')),
  ...PageQuery,
});
export type ListPostsQuery = Static<typeof ListPostsQuery>;

export const MANAGED_SORTS = ['changed', 'published', 'most_viewed', 'most_liked', 'most_commented'] as const;
export type ManagedSort = (typeof MANAGED_SORTS)[number];

export const ListManagedQuery = Type.Object({
  status: Type.Optional(Type.Enum([...STATES])),
  q: Type.Optional(SearchText('Words as in the public list, or the beginning of a slug.')),
  sort: Type.Optional(
    Type.Enum([...MANAGED_SORTS], {
      // No `default` of the schema: who asks for no order is given the post of a slug first, and is to be told apart.
      description:
        'Latest first by change or by publication (drafts last), or highest first by a counter. Ties go by id. Default: `changed`, behind the post whose slug is `q`.',
    }),
  ),
  ...PageQuery,
});
export type ListManagedQuery = Static<typeof ListManagedQuery>;

export const SlugParams = Type.Object({ slug: Type.String({ minLength: 1, maxLength: 500 }) });

const Facet = Type.Object({ name: Type.String(), count: Type.Integer() });
export const Taxonomy = Type.Object({ categories: Type.Array(Facet), tags: Type.Array(Facet) });
export type Taxonomy = Static<typeof Taxonomy>;

export const IndexQuery = Type.Object({
  since: Type.Optional(
    Type.Unsafe<string>({
      ...DateTime,
      description: 'Only what changed since then: `asOf` of the reply before. Times of your own can miss a change.',
    }),
  ),
});

const IndexEntry = Type.Object({ slug: Type.String(), publishedAt: DateTime, updatedAt: DateTime });
export type IndexEntry = Static<typeof IndexEntry>;

export const PostIndex = Type.Object({
  total: Type.Integer({ description: 'Length of `data`.' }),
  data: Type.Array(IndexEntry),
  asOf: Type.Unsafe<string>({ ...DateTime, description: 'Send this as `since` the next time.' }),
  full: Type.Optional(
    Type.Boolean({
      description: 'With `since`. True: `data` is the whole index, and what is not in it is public no more.',
    }),
  ),
  removed: Type.Optional(
    Type.Array(Type.Object({ slug: Type.String(), removedAt: DateTime }), {
      description: 'With `since`: addresses that were public and are not, or that only redirect, the last to go first.',
    }),
  ),
});
export type PostIndex = Static<typeof PostIndex>;
