import { readdir, readFile } from 'node:fs/promises';
import { basename, extname, join, relative, resolve, sep } from 'node:path';
import { type MarkdownPost, readMarkdownPost } from './markdown-post.ts';

export interface SkippedFile {
  source: string;
  reason: string;
}

/** What a folder holds: the posts to send, those with a written slug first and then in order of path, and the files that cannot be sent. */
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

/** Written slugs before those that the service may vary: a file whose name is the slug of another gives way to it. */
const writtenSlugsFirst = (posts: readonly MarkdownPost[]): MarkdownPost[] =>
  posts.toSorted((a, b) => Number(b.post.slug !== undefined) - Number(a.post.slug !== undefined));

/** Reads a folder. `name` stands for it in the sources, by which the next import knows its posts again. */
export async function planImport(folder: string, name: string = basename(resolve(folder))): Promise<ImportPlan> {
  const plan: ImportPlan = { posts: [], skipped: [] };
  for (const file of await markdownFiles(folder)) {
    const path = relative(folder, file).split(sep).join('/');
    const read = await readFileAsPost(file, path, name);
    if ('reason' in read) plan.skipped.push({ source: `${name}/${path}`, reason: read.reason });
    else plan.posts.push(read);
  }
  return { ...plan, posts: writtenSlugsFirst(plan.posts) };
}
