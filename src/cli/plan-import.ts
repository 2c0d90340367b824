import { readdir, readFile } from 'node:fs/promises';
import { basename, extname, join, relative, resolve, sep } from 'node:path';
import { nthSlug, slugify } from '../lib/slug.ts';
import { type MarkdownPost, readMarkdownPost } from './markdown-post.ts';

export interface SkippedFile {
  source: string;
  reason: string;
}

/** What a folder holds: the posts to send, in order of path, and the files that cannot be sent. */
export interface ImportPlan {
  posts: MarkdownPost[];
  skipped: SkippedFile[];
}

/** Paths of the Markdown files below a folder, in order; hidden folders and `node_modules` are left out. */
async function markdownFiles(folder: string): Promise<string[]> {
  const files: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!entry.name.startsWith('.') && entry.name !== 'node_modules') files.push(...(await markdownFiles(path)));
    } else if (entry.isFile() && ['.md', '.mdx'].includes(extname(entry.name).toLowerCase())) files.push(path);
  }
  return files.toSorted();
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

async function readFileAsPost(file: string, path: string, name: string): Promise<MarkdownPost | { reason: string }> {
  const bytes = await readFile(file);
  try {
    return readMarkdownPost(path, name, utf8.decode(bytes));
  } catch (error) {
    if (error instanceof TypeError) return { reason: 'not a text in UTF-8' };
    throw error;
  }
}

/**
 * Makes the slugs differ: the first to ask keeps it (written ones come before those made from paths), the next ones get
 * their folder's name before it, or a number behind it. Notes say so.
 */
export function makeSlugsUnique(posts: readonly MarkdownPost[]): void {
  const taken = new Set<string>();
  for (const { post, notes } of posts.toSorted((a, b) => Number(b.slugGiven) - Number(a.slugGiven))) {
    const wanted = post.slug;
    const folder = post.source.split('/').at(-2) ?? '';
    const prefixed = slugify(`${folder} ${wanted}`);
    for (let n = 1; taken.has(post.slug); n++) post.slug = n === 1 ? prefixed : nthSlug(wanted, n);
    if (post.slug !== wanted) notes.push(`slug ${wanted} is another file's: made ${post.slug}`);
    taken.add(post.slug);
  }
}

/** Reads a folder. `name` stands for it in the sources, by which the next import knows its posts again. */
export async function planImport(folder: string, name: string = basename(resolve(folder))): Promise<ImportPlan> {
  const plan: ImportPlan = { posts: [], skipped: [] };
  for (const file of await markdownFiles(folder)) {
    const path = relative(folder, file).split(sep).join('/');
    const read = await readFileAsPost(file, path, name);
    if ('reason' in read) plan.skipped.push({ source: `${name}/${path}`, reason: read.reason });
    else plan.posts.push(read);
  }
  makeSlugsUnique(plan.posts);
  return plan;
}
