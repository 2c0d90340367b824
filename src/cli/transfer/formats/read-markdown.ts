import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import type { ReadItem } from './fit.ts';
import { readMarkdownPost } from './markdown-post.ts';

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

async function readFileAsPost(file: string, path: string, name: string): Promise<ReadItem> {
  const bytes = await readFile(file);
  try {
    return readMarkdownPost(path, name, utf8.decode(bytes));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { source: `${name}/${path}`, outcome: 'failed', reason: 'not a text in UTF-8' };
  }
}

const hasWrittenSlug = (item: ReadItem): boolean => 'post' in item && item.post.slug !== undefined;

/**
 * The files of a folder as posts. `name` stands for it in the sources, by which the next import knows its posts again.
 * Those with a written slug come first: a file whose name is the slug of another gives way to it. So each file is read
 * twice, and memory holds one at a time.
 */
export async function readMarkdown(
  folder: string,
  name: string,
): Promise<{ total: number; items: AsyncIterable<ReadItem> }> {
  const files = await markdownFiles(folder);
  const read = (file: string): Promise<ReadItem> =>
    readFileAsPost(file, relative(folder, file).split(sep).join('/'), name);
  const written = new Set<string>();
  for (const file of files) if (hasWrittenSlug(await read(file))) written.add(file);
  async function* items(): AsyncGenerator<ReadItem> {
    for (const file of [...files.filter((f) => written.has(f)), ...files.filter((f) => !written.has(f))]) {
      yield await read(file);
    }
  }
  return { total: files.length, items: items() };
}
