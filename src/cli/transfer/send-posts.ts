import type { ImportItem, ImportResult } from '../../modules/blog/index.ts';
import { type ReadItem, type ReadPost, storable, UnreadableFile } from './formats/fit.ts';
import { PosthornError } from '../../../client/src/index.ts';

/** A request holds at most this many posts, so that each is done within a few hundred milliseconds. */
const BATCH_POSTS = 50;
/** And about this much JSON; one post may be larger. The service takes 2 MiB. Bytes. */
const BATCH_BYTES = 1_000_000;
/** Of one request's 2 MiB, what a single post may fill. Bytes. */
const POST_BYTES = 2 * 1024 * 1024 - 1024;
/** Comments that come with a post in one request. */
const POST_COMMENTS = 500;

/** What became of an item; its notes say what was changed or left out to make it fit, here or by the service. */
export type ReportedItem = ImportResult;

export type Totals = Record<ImportResult['outcome'], number> & {
  comments: { created: number; unchanged: number; skipped: number };
};

/** Longest source that the service takes. Characters. */
const SOURCE = 500;

/** Sends one batch; one result per post, in order. Throws VALIDATION_ERROR or PAYLOAD_TOO_LARGE when the service takes it in no way. */
export type SendBatch = (posts: ImportItem[]) => Promise<ImportResult[]>;

/** What is told while it goes on. */
export interface Listener {
  /** Each item, once, when everything of it is done. */
  item?(item: ReportedItem): void;
  /** How many posts are done. */
  progress?(done: number): void;
}

/** A post, or a further part of one that has more comments than a request takes. */
interface Part {
  item: ImportItem;
  notes: string[];
  /** How many comments came before. */
  from: number;
  first: boolean;
  last: boolean;
  bytes: number;
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/**
 * A post as it is sent: whole, or with its comments in portions. The service finds the post unchanged when the second
 * portion comes. Null for one that is larger than a request.
 */
function partsOf({ post, notes }: ReadPost): Part[] | null {
  const { comments = [], ...bare } = post;
  const bareBytes = bytesOf(bare);
  if (bareBytes > POST_BYTES) return null;
  const portions: { comments: typeof comments; bytes: number }[] = [];
  for (const comment of comments) {
    const size = bytesOf(comment) + 1;
    const portion = portions.at(-1);
    const fits = portion && portion.comments.length < POST_COMMENTS && bareBytes + portion.bytes + size <= POST_BYTES;
    if (fits) {
      portion.comments.push(comment);
      portion.bytes += size;
    } else portions.push({ comments: [comment], bytes: size + 20 });
  }
  if (portions.length === 0) return [{ item: bare, notes, from: 0, first: true, last: true, bytes: bareBytes }];
  let from = 0;
  return portions.map((portion, at) => ({
    item: { ...bare, comments: portion.comments },
    notes,
    from: (from += portion.comments.length) - portion.comments.length,
    first: at === 0,
    last: at === portions.length - 1,
    bytes: bareBytes + portion.bytes,
  }));
}

const unsent = (source: string, outcome: 'skipped' | 'failed', reason: string, notes: string[]): ReportedItem => ({
  source,
  outcome,
  reason,
  postId: null,
  slug: null,
  comments: null,
  notes,
});

/** Why the service would refuse the whole request, or undefined. */
function unfitSource(source: string): string | undefined {
  if (source.length > SOURCE) return `its source has more than ${SOURCE} characters`;
  return storable(source) === source ? undefined : 'its source has characters that cannot be stored';
}

/** The service takes the request in no way: what is in it does not fit. */
const isRefusal = (error: unknown): error is PosthornError =>
  error instanceof PosthornError && ['VALIDATION_ERROR', 'PAYLOAD_TOO_LARGE'].includes(error.code);

/** The result of a post that was refused. */
const refused = ({ source, comments }: ImportItem, { message }: PosthornError): ImportResult => ({
  ...unsent(source, 'failed', message, []),
  comments: comments ? { created: 0, unchanged: 0, skipped: comments.length, reason: message } : null,
});

/** Sends items as they are read and tells of each; holds one batch. */
class Sender {
  readonly totals: Totals = {
    created: 0,
    updated: 0,
    unchanged: 0,
    skipped: 0,
    failed: 0,
    comments: { created: 0, unchanged: 0, skipped: 0 },
  };
  readonly #send: SendBatch;
  readonly #listener: Listener;
  #batch: Part[] = [];
  #bytes = 0;
  #done = 0;
  /** The post whose parts are not all sent, as long as none has failed. */
  #open: ReportedItem | undefined;

  constructor(send: SendBatch, listener: Listener) {
    this.#send = send;
    this.#listener = listener;
  }

  async take(read: ReadItem): Promise<void> {
    if (!('post' in read)) return this.#tell(unsent(read.source, read.outcome, read.reason, []));
    const { source } = read.post;
    const unfit = unfitSource(source);
    if (unfit !== undefined) return this.#tell(unsent(source, 'failed', unfit, read.notes));
    const parts = partsOf(read);
    if (parts === null) {
      return this.#tell(unsent(source, 'failed', 'larger than the service takes in one request', read.notes));
    }
    for (const part of parts) {
      // The service takes a source once in a request.
      const full = this.#batch.length === BATCH_POSTS || this.#bytes + part.bytes > BATCH_BYTES || !part.first;
      if (full || this.#batch.some(({ item }) => item.source === source)) await this.flush();
      // A further part would make a post of what was refused, or leave a hole in its comments.
      if (!part.first && this.#open === undefined) return;
      this.#batch.push(part);
      this.#bytes += part.bytes;
    }
  }

  async flush(): Promise<void> {
    if (this.#batch.length === 0) return;
    const batch = this.#batch;
    this.#batch = [];
    this.#bytes = 0;
    const results = await this.#sendApart(batch.map(({ item }) => item));
    for (const [at, part] of batch.entries()) {
      const result = results[at];
      if (result) this.#take(part, result);
    }
  }

  /** Sends posts in one request; when it is refused, in two halves, until only the ones that do not fit are left out. */
  async #sendApart(items: ImportItem[]): Promise<ImportResult[]> {
    try {
      return await this.#send(items);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const [first] = items;
      if (first && items.length === 1) return [refused(first, error)];
      const half = Math.ceil(items.length / 2);
      return [...(await this.#sendApart(items.slice(0, half))), ...(await this.#sendApart(items.slice(half)))];
    }
  }

  #take(part: Part, result: ImportResult): void {
    const before = part.first ? undefined : this.#open;
    const counts = result.comments;
    const { comments } = this.totals;
    comments.created += counts?.created ?? 0;
    comments.unchanged += counts?.unchanged ?? 0;
    comments.skipped += counts?.skipped ?? 0;
    // What was read of one that is left alone did not come in: "imported as a draft" would be wrong.
    const read = result.outcome === 'skipped' ? [] : part.notes;
    const item: ReportedItem = before ?? { ...result, notes: [...read, ...result.notes] };
    if (before?.comments && counts) {
      before.comments = {
        created: before.comments.created + counts.created,
        unchanged: before.comments.unchanged + counts.unchanged,
        skipped: before.comments.skipped + counts.skipped,
        reason: before.comments.reason ?? counts.reason,
      };
    }
    const failed = result.outcome === 'failed';
    if (failed && before) {
      before.outcome = 'failed';
      before.reason = `without its comments after the first ${part.from}: ${result.reason}`;
    }
    const ends = part.last || failed;
    this.#open = ends ? undefined : item;
    if (ends) this.#tell(item);
  }

  #tell(item: ReportedItem): void {
    this.totals[item.outcome]++;
    this.#done++;
    this.#listener.item?.(item);
    this.#listener.progress?.(this.#done);
  }
}

/**
 * Sends what is read, batch by batch, and gives the totals; each item is told to the listener. Memory holds one batch.
 * A failed request ends it with a throw: what was told of before is done, and the next run goes on. A file that breaks
 * off while it is read is one more item that failed.
 */
export async function sendPosts(
  items: AsyncIterable<ReadItem>,
  file: string,
  send: SendBatch,
  listener: Listener = {},
): Promise<Totals> {
  const sender = new Sender(send, listener);
  try {
    for await (const item of items) await sender.take(item);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    await sender.take({ source: file, outcome: 'failed', reason: error.message });
  }
  await sender.flush();
  return sender.totals;
}
