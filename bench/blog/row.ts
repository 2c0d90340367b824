import { foldCase } from '../../src/lib/fold-case.ts';
import { nextSave } from '../../src/modules/blog/revisions/rules.ts';
import { EMPTY_CONTENT, type NewPost } from '../../src/modules/blog/post.ts';
import { documentOf, orderedAt } from '../../src/modules/blog/search/document.ts';
import type { PlannedPost } from './plan.ts';

/** A draft without any content. */
export const NOTHING = {
  ...EMPTY_CONTENT,
  authorId: '',
  publishedAt: null,
  archivedAt: null,
  createdAt: new Date(0),
};

/** Who writes here, by number; the first one changes everything. */
export type Authors = readonly { id: string }[];

/** The post as the service stores it, but without its body: that is in the database already. */
export function bodiless(post: PlannedPost, authors: Authors): NewPost {
  const { author, body: _body, ...rest } = post;
  const changedBy = (authors[0] as { id: string }).id;
  return { ...EMPTY_CONTENT, ...rest, version: 1, changedBy, authorId: (authors[author] as { id: string }).id };
}

/**
 * A post as a row of the statement in data.ts. What follows from the content comes from the service's own
 * functions; the search document is that of title, tags and marks, to which the database adds that of the body.
 */
export function rowOf(post: PlannedPost, stored: NewPost) {
  const save = nextSave(null, stored);
  const { head, document } = documentOf(stored);
  return {
    id: post.id,
    body: post.body,
    author_id: stored.authorId,
    slug: post.slug,
    title: post.title,
    title_key: foldCase(post.title),
    category: post.category,
    category_key: foldCase(post.category),
    tags: post.tags,
    tag_keys: post.tags.map(foldCase),
    featured: post.featured,
    published_at: post.publishedAt,
    archived_at: post.archivedAt,
    first_public_at: post.firstPublicAt,
    created_at: post.createdAt,
    updated_at: post.updatedAt,
    changed_at: post.changedAt,
    saved_by: save.by,
    saved_at: save.at,
    public_from: save.publicFrom,
    searched_at: orderedAt(stored),
    head,
    document,
  };
}
export type PostRow = ReturnType<typeof rowOf>;
