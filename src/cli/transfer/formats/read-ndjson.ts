import type { ImportedComment } from '../../../modules/blog/index.ts';
import type { ReadItem, ReadPost } from './fit.ts';
import { readExported } from './exported-post.ts';
import { linesOf, MAX_LINE, utf8 } from './utf8.ts';

/** Comments of a post that are held until it is sent; when they are more, the post comes again with the rest. Characters. */
const MAX_COMMENTS = 16_000_000;

/** Comments of the post in a line before. */
interface FurtherComments {
  commentsOf: string;
  comments: ImportedComment[];
  size: number;
}

/** The one line of an export of a blog without posts: an empty file may also be what an export left that broke off. */
export const NO_POSTS = JSON.stringify({ posts: 0 });

function readLine(line: string | null, name: string, place: string): ReadItem | FurtherComments {
  const failed = (reason: string): ReadItem => ({ source: place, outcome: 'failed', reason });
  if (line === null) return failed(`longer than ${MAX_LINE} characters`);
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch {
    return failed('not JSON, or not all of it');
  }
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return failed('no JSON object');
  if ('commentsOf' in record) {
    const { commentsOf, comments } = record as { commentsOf: unknown; comments?: unknown };
    if (typeof commentsOf !== 'string' || !Array.isArray(comments)) return failed('no comments of a post');
    return { commentsOf, comments: comments as ImportedComment[], size: line.length };
  }
  return readExported(Object.entries(record), name, place);
}

/** Joins posts with the comments that follow them; holds one post. */
class Posts {
  #post: ReadPost | undefined;
  #size = 0;

  /** The post at hand, which has all its comments now. */
  end(): ReadItem[] {
    const post = this.#post;
    this.#post = undefined;
    this.#size = 0;
    return post ? [post] : [];
  }

  /** Takes what a line holds, and gives what is ready. */
  take(read: ReadItem | FurtherComments, place: string): ReadItem[] {
    if ('commentsOf' in read) return this.#add(read, place);
    const before = this.end();
    if (!('post' in read)) return [...before, read];
    this.#post = read;
    return before;
  }

  #add({ commentsOf, comments, size }: FurtherComments, place: string): ReadItem[] {
    const post = this.#post;
    if (post?.post.id !== commentsOf) {
      return [{ source: place, outcome: 'failed', reason: 'comments that do not follow their post' }];
    }
    const isFull = this.#size > 0 && this.#size + size > MAX_COMMENTS;
    const ready = isFull ? this.end() : [];
    const held = isFull ? [] : (post.post.comments ?? []);
    this.#post = { ...post, post: { ...post.post, comments: [...held, ...comments] } };
    this.#size += size;
    return ready;
  }
}

/**
 * The posts of an NDJSON export with their comments, in one pass; a line is a post, or comments of the one before. A
 * line that cannot be read is an item that fails, and the others are read. `tellEmpty` is called for an export that had none.
 * Throws UnreadableFile for what is no UTF-8.
 */
export async function* readNdjson(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  tellEmpty: () => void = () => undefined,
): AsyncGenerator<ReadItem> {
  const posts = new Posts();
  let number = 0;
  for await (const line of linesOf(utf8(chunks))) {
    number++;
    if (line === NO_POSTS) tellEmpty();
    else if (line === null || line.trim() !== '') {
      const place = `${name}, line ${number}`;
      yield* posts.take(readLine(line, name, place), place);
    }
  }
  yield* posts.end();
}
