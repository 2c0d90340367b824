import { lstat, readFile } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import type { ReadItem } from './fit.ts';
import { markdownFiles } from './markdown-files.ts';
import { readMarkdownPost } from './markdown-post.ts';
import { ImportedFiles, type Reference, type SlugsOf } from './imported-files.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Why a file cannot be read, of an error of the file system. The name of one that is not UTF-8 was changed by reading it. */
const unreadable = (path: string, code: string): string =>
  path.includes('\ufffd') ? 'its name is not UTF-8' : `cannot be read (${code})`;

/** Where a file lies, with '/'. */
const placeOf = (file: string): string => resolve(file).split(sep).join('/');

/** The slug of the post that a file refers to. */
type SlugOf = (reference: Reference) => string | undefined;

/** A link is not followed: one in a folder from elsewhere may lead to a file that nobody means to publish. */
async function readFileAsPost(file: string, path: string, name: string, slugOf: SlugOf): Promise<ReadItem> {
  const at = placeOf(file);
  const unsent = (outcome: 'skipped' | 'failed', reason: string): ReadItem => ({
    source: `${name}/${path}`,
    outcome,
    reason,
  });
  try {
    if ((await lstat(file)).isSymbolicLink()) return unsent('skipped', 'a symbolic link, which is not followed');
    const text = utf8.decode(await readFile(file));
    return readMarkdownPost(path, name, text, {
      at,
      referred: (kind, target) => slugOf({ kind, target, from: at }),
    });
  } catch (error) {
    if (error instanceof TypeError) return unsent('failed', 'not a text in UTF-8');
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code !== undefined && syscall !== undefined) return unsent('failed', unreadable(path, code));
    throw error;
  }
}

const hasWrittenSlug = (item: ReadItem): boolean => 'post' in item && item.post.slug !== undefined;

/** Files of one post: what a folder of exports holds of a post that got another slug between two of them. */
class OnePerPost {
  readonly #newest = new Map<string, { file: string; updatedAt: string }>();

  add(file: string, item: ReadItem): void {
    if (!('post' in item)) return;
    const { source, updatedAt = '' } = item.post;
    const known = this.#newest.get(source);
    if (known === undefined || updatedAt > known.updatedAt) this.#newest.set(source, { file, updatedAt });
  }

  /** The item, unless it is an older state of a post, or its copy, that another file holds. */
  take(file: string, item: ReadItem, pathOf: (file: string) => string): ReadItem {
    if (!('post' in item)) return item;
    const { source, updatedAt = '' } = item.post;
    const newest = this.#newest.get(source);
    if (newest === undefined || newest.file === file) return item;
    const [here, there] = [pathOf(file), pathOf(newest.file)];
    return updatedAt < newest.updatedAt
      ? { source, outcome: 'skipped', reason: `${here} is an older state of the post in ${there}` }
      : { source, outcome: 'failed', reason: `${here} has the id or source of ${there}: a post is one file` };
  }
}

/**
 * The files of a folder as posts. `name` stands for it in the sources, by which the next import knows its posts again.
 * Those with a written slug come first: a file whose name is the slug of another gives way to it. Of several files of one
 * post, the newest is taken. So each file is read twice, and memory holds one at a time. `slugsOf` is asked once for the slugs of
 * posts that others refer to; without it they are taken to get those that they wish.
 */
export async function readMarkdown(
  folder: string,
  name: string,
  slugsOf?: SlugsOf,
): Promise<{ total: number; items: AsyncIterable<ReadItem> }> {
  const files = await markdownFiles(folder);
  const pathOf = (file: string): string => relative(folder, file).split(sep).join('/');
  const written = new Set<string>();
  const posts = new OnePerPost();
  const imported = new ImportedFiles();
  for (const file of files) {
    const item = await readFileAsPost(file, pathOf(file), name, (reference) => {
      imported.refer(reference);
      return undefined;
    });
    if (hasWrittenSlug(item)) written.add(file);
    posts.add(file, item);
    if ('post' in item) imported.add(placeOf(file), item.post, item.addresses);
  }
  if (slugsOf) await imported.ask(slugsOf);
  const slugOf: SlugOf = (reference) => imported.slugOf(reference);
  async function* items(): AsyncGenerator<ReadItem> {
    for (const file of [...files.filter((f) => written.has(f)), ...files.filter((f) => !written.has(f))]) {
      yield posts.take(file, await readFileAsPost(file, pathOf(file), name, slugOf), pathOf);
    }
  }
  return { total: files.length, items: items() };
}
