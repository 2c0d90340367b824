import { AppError } from '../../../contracts/errors.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { changeSlug, claimSlug } from '../claim-slug.ts';
import type { CountChanges } from '../counts/counts.ts';
import { EMPTY_CONTENT, type Post, type PostContent } from '../post.ts';
import { missingForPublish, transition } from '../rules.ts';
import { findPost, insertPost, updatePost } from '../store.ts';
import { slugify } from '../../../lib/slug.ts';
import { type CleanItem, sentence } from './item.ts';
import { type ImportRow, saveImport } from './store.ts';

export interface Outcome {
  outcome: 'created' | 'updated' | 'unchanged' | 'skipped';
  /** Why it was skipped. */
  reason: string | null;
  postId: string | null;
  slug: string | null;
}

/** What the items of one import share. */
export interface ImportRun {
  editorId: string;
  /** User ids by author's name. */
  authors: ReadonlyMap<string, string>;
  counts: CountChanges;
  env: Env;
}

export const skipped = (reason: string, post?: Post): Outcome => ({
  outcome: 'skipped',
  reason,
  postId: post?.id ?? null,
  slug: post?.slug ?? null,
});

const earlier = (a: Date, b: Date): Date => (a < b ? a : b);

/** The reason why a content cannot be public, or null. A slug that is not there yet will be made of the title. */
function unfit(content: PostContent, hint: string | null): string | null {
  const slug = content.slug ?? hint ?? (content.title === null ? null : slugify(content.title) || 'post');
  const missing = missingForPublish({ ...content, slug });
  return missing.length > 0 ? sentence(missing) : null;
}

/** Claims by `claim`; a slug that is another's is a reason to skip, found before anything is written. */
async function tryClaim(claim: Promise<string | null>): Promise<{ slug: string | null } | { reason: string }> {
  try {
    return { slug: await claim };
  } catch (error) {
    if (error instanceof AppError && error.code === 'SLUG_TAKEN') return { reason: error.message };
    throw error;
  }
}

async function create(trx: Trx, item: CleanItem, run: ImportRun): Promise<Outcome> {
  const { env } = run;
  const content: PostContent = { ...EMPTY_CONTENT, ...item.content };
  const reason = item.publishedAt === null ? null : unfit(content, item.slugHint);
  if (reason !== null) return skipped(reason);
  const id = env.newId();
  const claimed = await tryClaim(claimSlug(trx, content, id, item.slugHint));
  if ('reason' in claimed) return skipped(claimed.reason);
  const { slug } = claimed;
  // An old post is not a change of today: sitemaps and feeds would announce all of them as new.
  const updatedAt = item.updatedAt ?? earlier(item.publishedAt ?? env.now, env.now);
  await insertPost(
    trx,
    {
      ...content,
      id,
      slug,
      authorId: authorOf(item, run),
      publishedAt: item.publishedAt,
      archivedAt: null,
      firstPublicAt: item.publishedAt,
      version: 1,
      createdAt: env.now,
      updatedAt,
      changedAt: env.now,
      changedBy: run.editorId,
    },
    run.counts,
  );
  await remember(trx, item, id, 1, env.now);
  return { outcome: 'created', reason: null, postId: id, slug };
}

const authorOf = (item: CleanItem, run: ImportRun): string =>
  item.author === null ? run.editorId : (run.authors.get(item.author) ?? run.editorId);

const remember = (trx: Trx, item: CleanItem, postId: string, version: number, now: Date): Promise<void> =>
  saveImport(trx, {
    source: item.source,
    post_id: postId,
    content_hash: item.hash,
    post_version: version,
    imported_at: now,
  });

/** A date that is not there any more does not take a post off the blog; a person does that. */
function timesFor(post: Post, publishedAt: Date | null, now: Date) {
  if (publishedAt === null || publishedAt.getTime() === post.publishedAt?.getTime()) return null;
  const { firstPublicAt } = post;
  const draft = { publishedAt: null, archivedAt: null, firstPublicAt };
  return transition('publishAt', draft, now, publishedAt);
}

async function update(trx: Trx, item: CleanItem, post: Post, run: ImportRun): Promise<Outcome> {
  const { env } = run;
  const times = timesFor(post, item.publishedAt, env.now);
  // What the source does not say any more is empty again; only the slug stays, since links lead to it.
  const wanted: PostContent = { ...EMPTY_CONTENT, slug: post.slug, ...item.content };
  const reason = (times ?? post).publishedAt === null ? null : unfit(wanted, item.slugHint);
  if (reason !== null) return skipped(reason, post);
  const claimed = await tryClaim(changeSlug(trx, post, wanted, env.now, item.slugHint));
  if ('reason' in claimed) return skipped(claimed.reason, post);
  const version = post.version + 1;
  const after = { ...post, ...wanted, ...times, slug: claimed.slug, authorId: authorOf(item, run) };
  await updatePost(
    trx,
    post,
    { ...after, version, updatedAt: item.updatedAt ?? env.now, changedAt: env.now, changedBy: run.editorId },
    run.counts,
  );
  await remember(trx, item, post.id, version, env.now);
  return { outcome: 'updated', reason: null, postId: post.id, slug: claimed.slug };
}

/** Creates or updates the post of one item, or leaves it alone. Writes nothing when it skips. */
export async function importItem(
  trx: Trx,
  item: CleanItem,
  known: ImportRow | undefined,
  run: ImportRun,
): Promise<Outcome> {
  if (!known) return create(trx, item, run);
  const post = known.post_id === null ? null : await findPost(trx, known.post_id);
  if (!post) return skipped('deleted in Posthorn');
  if (known.content_hash === item.hash) return { outcome: 'unchanged', reason: null, postId: post.id, slug: post.slug };
  if (known.post_version !== post.version) return skipped('edited in Posthorn since the last import', post);
  return update(trx, item, post, run);
}
