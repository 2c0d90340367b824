import { AppError } from '../../../contracts/errors.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { withCounts } from '../counts/counts.ts';
import type { Writer } from '../rules.ts';
import { lockPosts } from '../store.ts';
import { type ImportRun, importItem, type Outcome, skipped } from './import-item.ts';
import { type CleanItem, type ImportBody, readItem } from './item.ts';
import { findImports, lockImports, rehearse } from './store.ts';

/** Of the accounts module: the user that stands for an author of this name. */
export type FindOrCreateAuthor = (trx: Trx, name: string, env: Env) => Promise<{ id: string; name: string }>;

export interface ImportPostsInput extends ImportBody {
  writer: Writer;
}

export interface ImportResult extends Outcome {
  source: string;
}

/** Users for the names, in one order for all imports. */
async function authorsOf(trx: Trx, items: readonly CleanItem[], env: Env, findOrCreate: FindOrCreateAuthor) {
  const names = new Set(items.flatMap((item) => item.author ?? []));
  const ids = new Map<string, string>();
  for (const name of [...names].toSorted()) ids.set(name, (await findOrCreate(trx, name, env)).id);
  return ids;
}

/** The items that fit and are there once; of the others, the outcome. */
function sift(posts: ImportBody['posts']): { items: CleanItem[]; outcomes: Map<number, Outcome> } {
  const items: CleanItem[] = [];
  const outcomes = new Map<number, Outcome>();
  const sources = new Set<string>();
  for (const [at, post] of posts.entries()) {
    const item = readItem(post);
    if ('reason' in item) outcomes.set(at, skipped(item.reason));
    else if (sources.has(item.source)) outcomes.set(at, skipped('the same source is in this request twice'));
    else items.push(item);
    sources.add(post.source);
  }
  return { items, outcomes };
}

async function run(
  trx: Trx,
  input: ImportPostsInput,
  env: Env,
  findOrCreate: FindOrCreateAuthor,
): Promise<ImportResult[]> {
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
  const authors = await authorsOf(trx, stale, env, findOrCreate);
  const bySource = await withCounts(trx, async (counts) => {
    const context: ImportRun = { editorId: input.writer.id, authors, counts, env };
    const done = new Map<string, Outcome>();
    for (const item of items) done.set(item.source, await importItem(trx, item, imports.get(item.source), context));
    return done;
  });
  return input.posts.map(({ source }, at) => {
    const outcome = outcomes.get(at) ?? bySource.get(source);
    if (!outcome) throw new AppError('INTERNAL_ERROR', { cause: new Error(`no outcome for ${source}`) });
    return { source, ...outcome };
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
  findOrCreateAuthor: FindOrCreateAuthor,
): Promise<ImportResult[]> {
  if (input.writer.role !== 'EDITOR') throw new AppError('FORBIDDEN', { message: 'Only an editor may import.' });
  const work = () => run(trx, input, env, findOrCreateAuthor);
  if (input.dryRun !== true) return work();
  const results = await rehearse(trx, work);
  // The ids of posts that were created and taken back lead nowhere.
  return results.map((result) => (result.outcome === 'created' ? { ...result, postId: null } : result));
}
