import { AppError } from '../../../contracts/errors.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { withCounts } from '../counts/counts.ts';
import type { Writer } from '../rules.ts';
import { lockPosts } from '../store.ts';
import { type CommentCounts, type CommentImport, noComments } from './comment-import.ts';
import { failed, type ImportRun, importItem, type Outcome } from './import-item.ts';
import { type CleanItem, type ImportBody, readItem } from './item.ts';
import { findImports, findWriters, type ImportRow, lockImports, rehearse } from './store.ts';

/** Of the accounts module: the user that stands for an author of this name. */
export type FindOrCreateAuthor = (trx: Trx, name: string, env: Env) => Promise<{ id: string; name: string }>;

/** What the import calls of other parts. */
export interface ImportDeps {
  findOrCreateAuthor: FindOrCreateAuthor;
  /** Absent: comments are skipped, and each is told of. */
  importComments?: CommentImport | undefined;
}

export interface ImportPostsInput extends ImportBody {
  writer: Writer;
}

export interface ImportResult extends Outcome {
  source: string;
  /** What became of the comments that came with the post; null where none did. */
  comments: CommentCounts | null;
}

/** Users of the items' authors: those who write here by e-mail, the others by name, in one order for all imports. */
async function authorsOf(trx: Trx, items: readonly CleanItem[], env: Env, { findOrCreateAuthor }: ImportDeps) {
  const writers = await findWriters(
    trx,
    items.flatMap((item) => item.authorEmail ?? []),
  );
  const others = items.filter((item) => item.authorEmail === null || !writers.has(item.authorEmail));
  const names = new Set(others.flatMap((item) => item.author ?? []));
  const authors = new Map<string, string>();
  for (const name of [...names].toSorted()) authors.set(name, (await findOrCreateAuthor(trx, name, env)).id);
  return { writers, authors };
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

type Done = Omit<ImportResult, 'source'>;

async function importOne(trx: Trx, item: CleanItem, known: ImportRow | undefined, run: ImportRun, deps: ImportDeps) {
  const outcome = await importItem(trx, item, known, run);
  const { comments } = item;
  if (comments.length === 0) return { ...outcome, comments: null };
  const importComments = deps.importComments ?? noComments;
  const told: CommentCounts =
    outcome.postId === null
      ? { created: 0, unchanged: 0, skipped: comments.length, reason: 'their post was not imported' }
      : await importComments(trx, { postId: outcome.postId, comments }, run.env);
  return { ...outcome, comments: told };
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
  const people = await authorsOf(trx, stale, env, deps);
  const bySource = await withCounts(trx, env, async (counts) => {
    const context: ImportRun = { editorId: input.writer.id, ...people, counts, env };
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
 * there is updated, and what was edited or deleted here since is left alone. One result per item, in order. Throws
 * FORBIDDEN for an author.
 */
export async function importPosts(
  trx: Trx,
  input: ImportPostsInput,
  env: Env,
  deps: ImportDeps,
): Promise<ImportResult[]> {
  if (input.writer.role !== 'EDITOR') throw new AppError('FORBIDDEN', { message: 'Only an editor may import.' });
  const work = () => run(trx, input, env, deps);
  if (input.dryRun !== true) return work();
  const results = await rehearse(trx, work);
  // The ids of posts that were created and taken back lead nowhere.
  return results.map((result) => (result.outcome === 'created' ? { ...result, postId: null } : result));
}
