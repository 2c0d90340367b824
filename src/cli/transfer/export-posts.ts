import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ExportedPost, ExportedRecord } from '../../modules/blog/index.ts';
import { exportedFile } from './formats/exported-post.ts';
import { UnreadableFile } from './formats/fit.ts';
import { NO_POSTS } from './formats/read-ndjson.ts';

export interface MarkdownExport {
  written: number;
  unchanged: number;
  failed: number;
  /** Markdown files that were there before and are no post of this export. */
  others: string[];
}

type Posts = AsyncIterable<ExportedPost>;

/** Appears under its name only when it is whole. */
async function writeWhole(path: string, text: string): Promise<void> {
  const unfinished = join(dirname(path), `.${randomUUID()}.part`);
  try {
    await writeFile(unfinished, text);
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/**
 * Writes one Markdown file for each post. Each file is written whole or not at all, one that is the same already is
 * left alone, and nothing is removed. A post that cannot be a file is told to `failed`.
 */
export async function exportMarkdown(
  posts: Posts,
  folder: string,
  tell: { progress?(done: number): void; failed?(reason: string): void } = {},
): Promise<MarkdownExport> {
  await mkdir(folder, { recursive: true });
  const others = new Set((await readdir(folder)).filter((name) => name.endsWith('.md')));
  const result = { written: 0, unchanged: 0, failed: 0 };
  for await (const post of posts) {
    try {
      const { name, text } = exportedFile(post);
      const path = join(folder, name);
      const same = others.delete(name) && (await readFile(path, 'utf8')) === text;
      if (!same) await writeWhole(path, text);
      result[same ? 'unchanged' : 'written']++;
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      result.failed++;
      tell.failed?.(error.message);
    }
    tell.progress?.(result.written + result.unchanged + result.failed);
  }
  return { ...result, others: [...others].toSorted() };
}

export interface NdjsonExport {
  posts: number;
  comments: number;
}

/** A device or a pipe, such as /dev/stdout: it is written to, and never replaced by a file. */
async function isSpecial(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && !found.isFile() && !found.isDirectory();
}

/** Writes posts and comments as NDJSON, to a file that appears when it is whole, or to a stream; gives their numbers. */
export async function exportNdjson(
  records: AsyncIterable<ExportedRecord>,
  to: string | NodeJS.WritableStream,
  progress: (done: number) => void = () => undefined,
): Promise<NdjsonExport> {
  const count: NdjsonExport = { posts: 0, comments: 0 };
  async function* lines(): AsyncGenerator<string> {
    for await (const record of records) {
      yield `${JSON.stringify(record)}\n`;
      if ('commentsOf' in record) count.comments += record.comments.length;
      else progress(++count.posts);
    }
    if (count.posts === 0) yield `${NO_POSTS}\n`;
  }
  if (typeof to !== 'string') {
    await pipeline(Readable.from(lines()), to, { end: false });
    return count;
  }
  if (await isSpecial(to)) {
    await pipeline(Readable.from(lines()), createWriteStream(to));
    return count;
  }
  const unfinished = join(dirname(to), `.${randomUUID()}.part`);
  try {
    await pipeline(Readable.from(lines()), createWriteStream(unfinished));
    await rename(unfinished, to);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  return count;
}
