import { setTimeout as wait } from 'node:timers/promises';
import type { ExportedComments, ExportedPost, ExportedRecord } from '../../modules/blog/index.ts';
import { UnreadableFile } from './formats/fit.ts';
import { linesOf, utf8 } from './formats/utf8.ts';
import { type Client, type Operations, PosthornError } from '../../../client/src/index.ts';
import { EXIT } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { interruption } from '../interrupt.ts';

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
  if (!isPost && !isComments)
    throw new Failure('the service answered with something that is no post', EXIT.UNREACHABLE);
  return record as ExportedRecord;
}

/** Parameters of the operation. */
type Query = Operations['exportPosts']['input'];

/** A reply that pauses for longer has broken off. Milliseconds. */
const IDLE_MS = 60_000;

/** Bytes as they come, as long as they come. */
async function* untilIdle(chunks: AsyncIterable<Uint8Array>, idle: AbortController): AsyncGenerator<Uint8Array> {
  const startTimer = () => setTimeout(() => idle.abort(new Error('no answer in time')), IDLE_MS);
  let timer = startTimer();
  try {
    for await (const chunk of chunks) {
      // The time until the reader takes it is not the service's.
      clearTimeout(timer);
      yield chunk;
      timer = startTimer();
    }
  } finally {
    clearTimeout(timer);
  }
}

/** The records of one reply; ends early, with a throw, when the connection breaks. */
async function* recordsOf(client: Client, query: Query): AsyncGenerator<ExportedRecord> {
  const idle = new AbortController();
  const signal = AbortSignal.any([idle.signal, interruption]);
  const chunks = await client.exportPosts(query, { signal });
  try {
    for await (const line of linesOf(utf8(untilIdle(chunks, idle)))) yield recordOf(line);
  } catch (error) {
    // No refusal: what has begun to answer is asked again.
    throw error instanceof PosthornError ? new Error(error.message, { cause: error }) : error;
  }
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
 * connection breaks. Throws PosthornError or Failure when that does not
 * help, so what was read is all or told to be not.
 */
export async function* readExport(client: Client, query: Query = {}): AsyncGenerator<ExportedRecord> {
  const place = new Place();
  for (let attempt = 1; ; attempt++) {
    try {
      const from = place.after === null ? {} : { after: place.after };
      for await (const record of recordsOf(client, { ...query, ...from })) {
        const fresh = place.take(record);
        if (fresh === null) continue;
        yield fresh;
        attempt = 1;
      }
      return;
    } catch (error) {
      // Before the first post it is the service that refuses; later it may be restarting.
      if (interruption.aborted) throw error;
      if (place.isBeginning && (error instanceof PosthornError || error instanceof Failure)) throw error;
      if (attempt >= ATTEMPTS) throw new Failure(`the export broke off: ${(error as Error).message}`);
      await wait(PAUSE_MS * 2 ** attempt, undefined, { signal: interruption });
    }
  }
}

/** As `readExport`, without comments. */
export async function* readPosts(client: Client): AsyncGenerator<ExportedPost> {
  for await (const record of readExport(client, { comments: false })) if (!('commentsOf' in record)) yield record;
}
