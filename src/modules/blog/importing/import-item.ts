import { AppError } from '../../../contracts/errors.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { changeSlug, claimSlug, slugBase } from '../claim-slug.ts';
import type { CountChanges } from '../counts/counts.ts';
import { EMPTY_CONTENT, type Post, type PostContent, type PostTimes } from '../post.ts';
import { missingForPublish, presentOf, stateOf, timeOfChange, wasPublic } from '../rules.ts';
import { findPost, insertPost, takeSlug, updatePost } from '../store.ts';
import { type Authors, authorOf } from './authors.ts';
import { type CleanItem, sentence } from './item.ts';
import { type ImportRow, saveImport, slugsOf } from './store.ts';

/** Skipped: left alone on purpose. Failed: cannot be held as it is. */
export interface Outcome {
  outcome: 'created' | 'updated' | 'unchanged' | 'skipped' | 'failed';
  /** Why it was skipped or failed. */
  reason: string | null;
  postId: string | null;
  slug: string | null;
  /** What was left out of it. */
  notes: string[];
}

/** What the items of one import share. */
export interface ImportRun {
  editorId: string;
  authors: Authors;
  counts: CountChanges;
  env: Env;
}

export const failed = (reason: string, post?: Post): Outcome => ({
  outcome: 'failed',
  reason,
  postId: post?.id ?? null,
  slug: post?.slug ?? null,
  notes: [],
});

const skipped = (reason: string, post?: Post): Outcome => ({ ...failed(reason, post), outcome: 'skipped' });

const earlier = (a: Date, b: Date): Date => (a < b ? a : b);

/** The reason why a content cannot be public, or null. A slug that is not there yet will be made of the title. */
function unfit(content: PostContent, hint: string | null): string | null {
  const slug = content.slug ?? hint ?? (content.title === null ? null : slugBase(content.title));
  const missing = missingForPublish({ ...content, slug });
  return missing.length > 0 ? sentence(missing) : null;
}

type Claimed = { slug: string | null; notes: string[] } | { reason: string };

/**
 * Takes the present slug by `claim`, and then the old ones: a change gives the slug of a post that nobody saw back, also
 * one that the item names as old. A present one of another post is a reason to fail, found out before anything is
 * written. An old one of another is left out with a note: a redirection is worth less than a post.
 */
async function claimAll(
  trx: Trx,
  item: CleanItem,
  postId: string,
  claim: () => Promise<string | null>,
): Promise<Claimed> {
  let slug: string | null;
  try {
    slug = await claim();
  } catch (error) {
    if (error instanceof AppError && error.code === 'SLUG_TAKEN') return { reason: error.message };
    throw error;
  }
  const own = item.oldSlugs.length === 0 ? new Set<string>() : await slugsOf(trx, postId);
  const notes: string[] = [];
  for (const old of item.oldSlugs) {
    if (own.has(old) || (await takeSlug(trx, old, postId))) continue;
    notes.push(`old slug ${old} left out: another post has it`);
  }
  return { slug, notes };
}

/** A post that is or was public was so from its date on at the latest, whatever the source says. */
function firstPublicOf({ publishedAt, firstPublicAt }: CleanItem, now: Date): Date | null {
  if (publishedAt !== null) return firstPublicAt === null ? publishedAt : earlier(firstPublicAt, publishedAt);
  return firstPublicAt !== null && firstPublicAt <= now ? firstPublicAt : null;
}

async function create(trx: Trx, item: CleanItem, run: ImportRun): Promise<Outcome> {
  const { env } = run;
  if (item.id !== null) {
    const here = await findPost(trx, item.id);
    if (here) return skipped('the post is here already, and not from this import', here);
  }
  const content: PostContent = { ...EMPTY_CONTENT, ...item.content };
  const reason = isLive(item) ? unfit(content, item.slugHint) : null;
  if (reason !== null) return failed(reason);
  const id = item.id ?? env.newId();
  const claimed = await claimAll(trx, item, id, () => claimSlug(trx, content, id, item.slugHint));
  if ('reason' in claimed) return failed(claimed.reason);
  const { slug, notes } = claimed;
  const { publishedAt, archivedAt } = item;
  const createdAt = item.createdAt ?? env.now;
  // An old post is not a change of today: sitemaps and feeds would announce all of them as new.
  const updatedAt = item.updatedAt ?? earlier(publishedAt ?? createdAt, env.now);
  const firstPublicAt = firstPublicOf(item, env.now);
  const authorId = authorOf(item, run.authors) ?? run.editorId;
  const times = { publishedAt, archivedAt, firstPublicAt, createdAt, updatedAt, changedAt: env.now };
  await insertPost(trx, { ...content, id, slug, authorId, version: 1, changedBy: run.editorId, ...times }, run.counts);
  await remember(trx, item, id, 1, env.now);
  return { outcome: 'created', reason: null, postId: id, slug, notes };
}

const isLive = (times: Pick<PostTimes, 'publishedAt' | 'archivedAt'>): boolean =>
  times.publishedAt !== null && times.archivedAt === null;

const remember = (trx: Trx, item: CleanItem, postId: string, version: number, now: Date): Promise<void> =>
  saveImport(trx, {
    source: item.source,
    post_id: postId,
    content_hash: item.hash,
    post_version: version,
    imported_at: now,
  });

/** Of a post that everybody may read here and may not any more where it comes from: only a person takes it off the blog. */
const WITHDRAWN =
  'no longer public where it comes from: left as it is here, its text too; unpublish it here to take it off the blog';

/** Whether what the item says of a post that readers see here is not, or not any more, for everybody where it comes from. */
export const isWithheld = (item: CleanItem, post: Post, env: Env): boolean =>
  item.publishedAt === null && stateOf(post, presentOf(post, env)) === 'PUBLISHED';

/** Without a date, one that is still to come is taken back; what was archived stays so. */
function timesFor(post: Post, item: CleanItem, now: Date): PostTimes {
  const { publishedAt, archivedAt } = item;
  if (publishedAt === null && stateOf(post, now) !== 'SCHEDULED') {
    return { publishedAt: post.publishedAt, archivedAt: post.archivedAt, firstPublicAt: post.firstPublicAt };
  }
  const firstPublicAt = wasPublic(post, now) ? post.firstPublicAt : firstPublicOf(item, now);
  return { publishedAt, archivedAt, firstPublicAt };
}

async function update(trx: Trx, item: CleanItem, post: Post, run: ImportRun): Promise<Outcome> {
  const [now, changedAt] = [presentOf(post, run.env), timeOfChange(post, run.env)];
  const times = timesFor(post, item, now);
  // What the source does not say any more is empty again. The slug stays, since links lead to it, and so does the author:
  // who runs the import again does not take the posts over.
  const wanted: PostContent = { ...EMPTY_CONTENT, slug: post.slug, ...item.content };
  const reason = isLive(times) ? unfit(wanted, item.slugHint) : null;
  if (reason !== null) return failed(reason, post);
  const claimed = await claimAll(trx, item, post.id, () => changeSlug(trx, post, wanted, now, item.slugHint));
  if ('reason' in claimed) return failed(claimed.reason, post);
  const version = post.version + 1;
  const after = {
    ...post,
    ...wanted,
    ...times,
    slug: claimed.slug,
    authorId: authorOf(item, run.authors) ?? post.authorId,
  };
  const dates = {
    createdAt: item.createdAt ?? post.createdAt,
    updatedAt: item.updatedAt ?? changedAt,
    changedAt,
    changedBy: run.editorId,
  };
  await updatePost(trx, post, { ...after, version, ...dates }, run.counts);
  await remember(trx, item, post.id, version, now);
  return { outcome: 'updated', reason: null, postId: post.id, ...claimed };
}

/**
 * Creates or updates the post of one item, or leaves it alone. All or nothing: it writes nothing when it skips or fails.
 */
export async function importItem(
  trx: Trx,
  item: CleanItem,
  known: ImportRow | undefined,
  run: ImportRun,
): Promise<Outcome> {
  if (!known) return create(trx, item, run);
  const post = known.post_id === null ? null : await findPost(trx, known.post_id);
  if (!post) return skipped('deleted in Posthorn');
  if (known.content_hash === item.hash) {
    return { outcome: 'unchanged', reason: null, postId: post.id, slug: post.slug, notes: [] };
  }
  if (known.post_version !== post.version) return skipped('edited in Posthorn since the last import', post);
  if (isWithheld(item, post, run.env)) return skipped(WITHDRAWN, post);
  return update(trx, item, post, run);
}
