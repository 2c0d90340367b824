import { readdir, readFile } from 'node:fs/promises';
import { parseFrontMatter } from '../../lib/front-matter.ts';
import type { createPost } from '../../modules/blog/index.ts';

const FOLDER = new URL('posts/', import.meta.url);
const DAY_MS = 24 * 3600 * 1000;

export interface DemoPost {
  fields: Parameters<typeof createPost>[1]['fields'];
  /** Name of a writer of the cast. */
  author: string;
  /** Days from the creation of the demo to the publication; negative in the past, null for a draft. */
  published: number | null;
}

const textOf = (value: unknown, what: string): string => {
  if (typeof value !== 'string') throw new TypeError(`${what} is missing`);
  return value;
};

/** Throws when the front matter lacks a field: our own files are whole, a test holds them so. */
function readPost(name: string, text: string): DemoPost {
  const { fields, body } = parseFrontMatter(text);
  const field = (key: string): string => textOf(fields.get(key), `${name}: ${key}`);
  const published = fields.get('published');
  return {
    fields: {
      title: field('title'),
      slug: field('slug'),
      category: field('category'),
      tags: (fields.get('tags') as unknown[]).map((tag) => textOf(tag, `${name}: tag`)),
      excerpt: field('excerpt'),
      featured: fields.get('featured') === true,
      body: body.trimStart(),
    },
    author: field('author'),
    published: typeof published === 'number' ? published : null,
  };
}

/** The demo's own posts, oldest publication first, drafts last. */
export async function loadDemoPosts(): Promise<DemoPost[]> {
  const names = (await readdir(FOLDER)).filter((n) => n.endsWith('.md')).toSorted();
  const posts = await Promise.all(names.map(async (n) => readPost(n, await readFile(new URL(n, FOLDER), 'utf8'))));
  return posts.toSorted((a, b) => (a.published ?? Infinity) - (b.published ?? Infinity));
}

/** When a post of the demo is published, for a demo created at `now`; null for a draft. */
export const publicationOf = (post: DemoPost, now: Date): Date | null =>
  post.published === null ? null : new Date(now.getTime() + post.published * DAY_MS);
