import { oneLine, owned, UnreadableFile } from './fit.ts';
import type { OpenFile } from './foreign-post.ts';
import { type Json, jsonRows, type Row } from './json-rows.ts';
import { type OldList, OldLists } from './old-lists.ts';
import { OldSite } from './old-site.ts';

export const isPage = (post: Row): boolean => post['type'] === 'page' || [true, 1].includes(post['page'] as boolean);

/** What of a post stands in other tables. */
export interface GhostRelations {
  /** Names of its public tags, the first being its primary one. */
  tags: string[];
  authors: { name: string | undefined; email: string | undefined }[];
  meta: Row | undefined;
  comments: readonly GhostComment[];
}

/** A comment as Ghost holds it; times and HTML as they are written. */
export interface GhostComment {
  id: string;
  /** The comment that it answers, or ''. */
  parent: string;
  status: string;
  html: string;
  createdAt: string | undefined;
  name: string | undefined;
  email: string | undefined;
}

const key = (value: Json | undefined): string =>
  typeof value === 'string' || typeof value === 'number' ? owned(String(value)) : '';

function kept(value: Json | undefined): string | undefined {
  const text = oneLine(value);
  return text === undefined ? undefined : owned(text);
}

/** Ids that hang on a post, in the order of their table's `sort_order`. */
class Links {
  readonly #byPost = new Map<string, { id: string; order: number }[]>();

  add(post: Json | undefined, id: Json | undefined, order: Json | undefined): void {
    const list = this.#byPost.get(key(post)) ?? [];
    list.push({ id: key(id), order: Number(order ?? 0) || 0 });
    this.#byPost.set(key(post), list);
  }

  of(post: Json | undefined): string[] {
    return (this.#byPost.get(key(post)) ?? []).toSorted((a, b) => a.order - b.order).map((link) => link.id);
  }
}

/** What is read; comments and members are there only where the export was asked for them (`include=comments,members`). */
const TABLES = ['posts', 'users', 'tags', 'posts_tags', 'posts_authors', 'posts_meta', 'comments', 'members'];

/** Fields of `posts_meta` that are looked at; the others are forgotten while the file is read. */
const META = [
  'meta_title',
  'meta_description',
  'feature_image_alt',
  'feature_image_caption',
  'og_title',
  'og_description',
  'og_image',
  'twitter_title',
  'twitter_description',
  'twitter_image',
];

/** A text of several lines, kept without the chunk that it was cut out of. */
const keptText = (value: Json | undefined): string => (typeof value === 'string' ? owned(value) : '');

/**
 * The tables of a Ghost export besides its posts: names and numbers, a small part of the file, and the comments and
 * their members where the export was asked for them.
 */
export class GhostIndex {
  posts = 0;
  readonly site = new OldSite();
  readonly #below: string;
  readonly #users = new Map<string, { name: string | undefined; email: string | undefined }>();
  readonly #tags = new Map<string, { name: string | undefined; slug: string | undefined; internal: boolean }>();
  readonly #publicPosts = new Set<string>();
  readonly #postTags = new Links();
  readonly #postAuthors = new Links();
  readonly #meta = new Map<string, Row>();
  readonly #members = new Map<string, { name: string | undefined; email: string | undefined }>();
  readonly #comments = new Map<string, (Omit<GhostComment, 'name' | 'email'> & { member: string })[]>();

  /** `site`: its address, without a slash at the end; '' where it is not known. */
  private constructor(site: string) {
    this.#below = site;
    this.site.address = site;
  }

  #addComment(row: Row): void {
    const post = key(row['post_id']);
    const list = this.#comments.get(post) ?? [];
    this.#comments.set(post, list);
    list.push({
      id: key(row['id']),
      // Of two levels: `parent_id` is the comment at the top, `in_reply_to_id` the reply that is answered, if one is.
      parent: key(row['in_reply_to_id']) || key(row['parent_id']),
      status: keptText(row['status']),
      html: keptText(row['html']),
      createdAt: kept(row['created_at']),
      member: key(row['member_id']),
    });
  }

  #addPost(row: Row): void {
    this.posts++;
    if (isPage(row)) return;
    const slug = oneLine(row['slug']);
    const isPublic = row['status'] === 'published' && (row['visibility'] ?? 'public') === 'public';
    this.site.add(slug, isPublic ? [`${this.#below}/${slug}/`] : []);
    if (isPublic) this.#publicPosts.add(key(row['id']));
  }

  #add(table: string, row: Row): void {
    const id = key(row['id']);
    if (table === 'posts') this.#addPost(row);
    else if (table === 'users') this.#users.set(id, { name: kept(row['name']), email: kept(row['email']) });
    else if (table === 'members') this.#members.set(id, { name: kept(row['name']), email: kept(row['email']) });
    else if (table === 'comments') this.#addComment(row);
    else if (table === 'posts_tags') this.#postTags.add(row['post_id'], row['tag_id'], row['sort_order']);
    else if (table === 'posts_authors') this.#postAuthors.add(row['post_id'], row['author_id'], row['sort_order']);
    else if (table === 'posts_meta') {
      const fields = META.flatMap((name) => (row[name] ? [[name, kept(row[name]) ?? true] as const] : []));
      if (fields.length > 0) this.#meta.set(key(row['post_id']), Object.fromEntries(fields));
    } else {
      const name = kept(row['name']);
      const slug = kept(row['slug']);
      this.#tags.set(id, { name, slug, internal: row['visibility'] === 'internal' || name?.startsWith('#') === true });
    }
  }

  /** Its tags that had another slug than their names make. */
  lists(): OldList[] {
    const lists = new OldLists();
    for (const post of this.#publicPosts) {
      for (const id of this.#postTags.of(post)) {
        const { name, slug = '', internal } = this.#tags.get(id) ?? { internal: true };
        if (name !== undefined && !internal) lists.add({ list: 'tag', slug, name });
      }
    }
    return lists.all();
  }

  relationsOf(post: Row): GhostRelations {
    const linked = this.#postAuthors.of(post['id']);
    const authors = linked.length > 0 ? linked : [key(post['author_id'])];
    return {
      tags: this.#postTags.of(post['id']).flatMap((id) => {
        const tag = this.#tags.get(id);
        return tag?.name === undefined || tag.internal ? [] : [tag.name];
      }),
      authors: authors.flatMap((id) => this.#users.get(id) ?? []),
      meta: this.#meta.get(key(post['id'])),
      comments: (this.#comments.get(key(post['id'])) ?? []).map(({ member, ...comment }) => ({
        ...comment,
        ...(this.#members.get(member) ?? { name: undefined, email: undefined }),
      })),
    };
  }

  /** Reads the whole file once. Throws UnreadableFile, also for JSON that is no export of Ghost. */
  static async read(open: OpenFile, site = ''): Promise<GhostIndex> {
    const index = new GhostIndex(site);
    const tables = new Set(TABLES);
    for await (const { table, row } of jsonRows(open(), tables)) {
      if (row !== null) index.#add(table, row);
      else if (table === 'posts') index.posts++;
    }
    if (index.posts === 0) throw new UnreadableFile('no posts in it (db[0].data.posts): is it an export of Ghost?');
    return index;
  }
}
