import { AppError } from '../../../contracts/errors.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { withCounts } from '../counts/counts.ts';
import type { Writer } from '../rules.ts';
import { findPost, lockPosts } from '../store.ts';
import type { OnCounted } from '../comments/store.ts';
import { findAuthors, type FindOrCreateAuthor } from './authors.ts';
import { type CommentCounts, importComments } from './import-comments.ts';
import { failed, type ImportRun, importItem, isWithheld, type Outcome } from './import-item.ts';
import { type CleanItem, type ImportBody, readItem } from './item.ts';
import { findImports, type ImportRow, lockImports, rehearse } from './store.ts';

/** What the import calls of other parts. */
export interface ImportDeps {
  findOrCreateAuthor: FindOrCreateAuthor;
  /** Absent where nothing keeps the counters that readers see. */
  counted?: OnCounted | undefined;
}

export interface ImportPostsInput extends ImportBody {
  writer: Writer;
}

export interface ImportResult extends Outcome {
  source: string;
  /** What became of the comments that came with the post; null where none did. */
  comments: CommentCounts | null;
}

/** The items that fit and are there once; of the others, the outcome. */
function sift(posts: ImportBody['posts']): { items: CleanItem[]; outcomes: Map<number, Outcome> } {
  const items: CleanItem[] = [];
  const outcomes = new Map<number, Outcome>();
  const sources = new Set<string>();
  for (const [at, post] of posts.entries()) {
    const item = readItem(post);
    if ('reason' in item) outcomes.set(at, failed(item.reason));
    else if (sources.has(item.source)) outcomes.set(at, failed('the same source is in this request twice'));
    else items.push(item);
    sources.add(post.source);
  }
  return { items, outcomes };
}

/** Why the comments of a post stay out with it. */
const NO_POST = 'their post was not imported';
const WITHHELD = 'their post is not public where they come from, and is here';

type Done = Omit<ImportResult, 'source'>;

async function importOne(trx: Trx, item: CleanItem, known: ImportRow | undefined, run: ImportRun, deps: ImportDeps) {
  const outcome = await importItem(trx, item, known, run);
  const { comments } = item;
  const { postId } = outcome;
  if (comments.length === 0) return { ...outcome, comments: null };
  const none = (reason: string): CommentCounts => ({ created: 0, unchanged: 0, skipped: comments.length, reason });
  // A post that is here, but not from this source, is left alone with all that hangs on it.
  if (postId === null || (known === undefined && outcome.outcome !== 'created')) {
    return { ...outcome, comments: none(NO_POST) };
  }
  // Whether its text changed or not: also one that was published here by hand has them from there only while they are public there.
  if (item.publishedAt === null && (outcome.outcome === 'skipped' || outcome.outcome === 'unchanged')) {
    const post = await findPost(trx, postId);
    if (post && isWithheld(item, post, run.env)) return { ...outcome, comments: none(WITHHELD) };
  }
  const { findOrCreateAuthor, counted = () => undefined } = deps;
  return {
    ...outcome,
    comments: await importComments(trx, { postId, comments }, run.env, { findOrCreateAuthor, counted }),
  };
}

async function run(trx: Trx, input: ImportPostsInput, env: Env, deps: ImportDeps): Promise<ImportResult[]> {
  const { items, outcomes } = sift(input.posts);
  await lockImports(trx);
  const imports = await findImports(
    trx,
    items.map((item) => item.source),
  );
  // All posts are locked before the first slug is taken: an edit that waits for one of our slugs holds its post.
  await lockPosts(
    trx,
    [...imports.values()].flatMap((row) => row.post_id ?? []),
  );
  const stale = items.filter((item) => imports.get(item.source)?.content_hash !== item.hash);
  const authors = await findAuthors(trx, stale, env, deps.findOrCreateAuthor);
  const bySource = await withCounts(trx, env, async (counts) => {
    const context: ImportRun = { editorId: input.writer.id, authors, counts, env };
    const done = new Map<string, Done>();
    for (const item of items)
      done.set(item.source, await importOne(trx, item, imports.get(item.source), context, deps));
    return done;
  });
  return input.posts.map(({ source }, at) => {
    const refused = outcomes.get(at);
    const done: Done | undefined = refused ? { ...refused, comments: null } : bySource.get(source);
    if (!done) throw new AppError('INTERNAL_ERROR', { cause: new Error(`no outcome for ${source}`) });
    return { source, ...done };
  });
}

/**
 * Brings posts in from elsewhere, and again: what is known by its source and unchanged stays as it is, what changed
 * there is updated, and what was edited or deleted here since is left alone, as is what is public here and not any more there. One result per item, in order. Throws
 * FORBIDDEN for an author.
 */
export async function importPosts(
  trx: Trx,
  input: ImportPostsInput,
  env: Env,
  deps: ImportDeps,
): Promise<ImportResult[]> {
  if (input.writer.role !== 'EDITOR') throw new AppError('FORBIDDEN', { message: 'Only an editor may import.' });
  if (input.dryRun !== true) return run(trx, input, env, deps);
  // What is taken back changed no counter.
  const results = await rehearse(trx, () => run(trx, input, env, { ...deps, counted: undefined }));
  // The ids of posts that were created and taken back lead nowhere.
  return results.map((result) => (result.outcome === 'created' ? { ...result, postId: null } : result));
}
