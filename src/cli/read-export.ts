import { setTimeout as wait } from 'node:timers/promises';
import type { ExportedComments, ExportedPost, ExportedRecord } from '../modules/blog/index.ts';
import { UnreadableFile } from './formats/fit.ts';
import { linesOf, utf8 } from './formats/utf8.ts';
import { type Service, ServiceError } from './service.ts';

/** A broken connection is taken up again this often without a record in between. */
const ATTEMPTS = 5;
/** Before the next attempt, doubled each time. Milliseconds. */
const PAUSE_MS = 250;

function recordOf(line: string | null): ExportedRecord {
  let record: Partial<ExportedPost & ExportedComments> | null;
  try {
    record = line === null ? null : (JSON.parse(line) as typeof record);
  } catch {
    throw new UnreadableFile('a line of the reply is cut');
  }
  const isPost = typeof record?.id === 'string';
  const isComments = typeof record?.commentsOf === 'string' && Array.isArray(record.comments);
  if (!isPost && !isComments) throw new ServiceError('the service answered with something that is no post');
  return record as ExportedRecord;
}

/** The records of one reply; ends early, with a throw, when the connection breaks. */
async function* recordsOf(service: Service, query: Record<string, string>): AsyncGenerator<ExportedRecord> {
  const chunks = await service.stream(`/v1/blog/manage/export?${new URLSearchParams(query)}`);
  for await (const line of linesOf(utf8(chunks))) yield recordOf(line);
}

/** Where an export stands: what was given out of the post at hand is known by id, so that it is not given twice. */
class Place {
  /** The last post that another one followed: nothing of it is missing. */
  after: string | null = null;
  #post: string | null = null;
  #comments = new Set<string>();

  get isBeginning(): boolean {
    return this.#post === null;
  }

  /** What is new of a record, or null. */
  take(record: ExportedRecord): ExportedRecord | null {
    if ('commentsOf' in record) {
      const comments = record.comments.filter(({ id }) => !this.#comments.has(id));
      for (const { id } of comments) this.#comments.add(id);
      return comments.length === 0 ? null : { ...record, comments };
    }
    if (record.id === this.#post) return null;
    this.after = this.#post;
    this.#post = record.id;
    this.#comments = new Set();
    return record;
  }
}

/**
 * Every post of the service, once, in order of id, each followed by its comments. Goes on where it was when the
 * connection breaks. Throws ServiceError when that does not help, so what was read is all or told to be not.
 */
export async function* readExport(
  service: Service,
  query: Record<string, string> = {},
): AsyncGenerator<ExportedRecord> {
  const place = new Place();
  for (let attempt = 1; ; attempt++) {
    try {
      const from = place.after === null ? {} : { after: place.after };
      for await (const record of recordsOf(service, { ...query, ...from })) {
        const fresh = place.take(record);
        if (fresh === null) continue;
        yield fresh;
        attempt = 1;
      }
      return;
    } catch (error) {
      // Before the first post it is the service that refuses; later it may be restarting.
      if (place.isBeginning && error instanceof ServiceError) throw error;
      if (attempt >= ATTEMPTS)
        throw new ServiceError(`the export broke off: ${(error as Error).message}`, { cause: error });
      await wait(PAUSE_MS * 2 ** attempt);
    }
  }
}

/** As `readExport`, without comments. */
export async function* readPosts(service: Service): AsyncGenerator<ExportedPost> {
  for await (const record of readExport(service, { comments: 'false' })) if (!('commentsOf' in record)) yield record;
}
