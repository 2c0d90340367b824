import type { ImportItem } from '../modules/blog/index.ts';
import type { MarkdownPost } from './markdown-post.ts';
import { type ImportPlan, planImport } from './plan-import.ts';

/** A request holds at most this many posts, so that each is done within a few hundred milliseconds. */
const BATCH_POSTS = 50;
/** And about this much JSON; one post may be larger. The service takes 2 MiB. Bytes. */
const BATCH_BYTES = 1_000_000;
/** Of one request's 2 MiB, what a single post may fill. Bytes. */
const POST_BYTES = 2 * 1024 * 1024 - 1024;

export interface FileResult {
  source: string;
  outcome: 'created' | 'updated' | 'unchanged' | 'skipped';
  /** Why it was skipped. */
  reason: string | null;
  postId: string | null;
  slug: string | null;
}

export interface ReportedFile extends FileResult {
  /** What was changed or left out to make it fit. */
  notes: string[];
}

export interface ImportReport {
  created: number;
  updated: number;
  unchanged: number;
  skipped: number;
  files: ReportedFile[];
}

/** Sends one batch; one result per post, in order. */
export type SendBatch = (posts: ImportItem[]) => Promise<FileResult[]>;

const bytesOf = (post: ImportItem): number => Buffer.byteLength(JSON.stringify(post));

/** Posts in their order, cut into requests that the service takes. */
export function* batchesOf(posts: readonly MarkdownPost[]): Generator<MarkdownPost[]> {
  let batch: MarkdownPost[] = [];
  let bytes = 0;
  for (const post of posts) {
    const size = bytesOf(post.post);
    if (batch.length > 0 && (batch.length === BATCH_POSTS || bytes + size > BATCH_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(post);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

const skip = (source: string, reason: string, notes: string[] = []): ReportedFile => ({
  source,
  outcome: 'skipped',
  reason,
  postId: null,
  slug: null,
  notes,
});

/** Sends a plan batch by batch; `progress` is told how many posts are done. A failed request ends it with a throw. */
export async function sendPlan(
  plan: ImportPlan,
  send: SendBatch,
  progress: (done: number, total: number) => void = () => undefined,
): Promise<ImportReport> {
  const files: ReportedFile[] = plan.skipped.map((file) => skip(file.source, file.reason));
  const tooLarge = plan.posts.filter((p) => bytesOf(p.post) > POST_BYTES);
  files.push(...tooLarge.map((p) => skip(p.post.source, 'larger than the service takes in one request', p.notes)));
  const posts = plan.posts.filter((p) => !tooLarge.includes(p));
  let done = 0;
  progress(done, posts.length);
  for (const batch of batchesOf(posts)) {
    const results = await send(batch.map((p) => p.post));
    for (const [at, { notes }] of batch.entries()) {
      const result = results[at];
      if (result) files.push({ ...result, notes });
    }
    done += batch.length;
    progress(done, posts.length);
  }
  const count = (outcome: FileResult['outcome']) => files.filter((f) => f.outcome === outcome).length;
  return {
    created: count('created'),
    updated: count('updated'),
    unchanged: count('unchanged'),
    skipped: count('skipped'),
    files: files.toSorted((a, b) => (a.source < b.source ? -1 : 1)),
  };
}

/** Imports the Markdown files below a folder. Safe to run again: what has not changed stays as it is. */
export const importMarkdown = async (
  folder: string,
  name: string | undefined,
  send: SendBatch,
  progress?: (done: number, total: number) => void,
): Promise<ImportReport> => sendPlan(await planImport(folder, name), send, progress);
