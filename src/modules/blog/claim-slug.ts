import { AppError } from '../../contracts/errors.ts';
import { nthSlug, slugifyAny } from '../../lib/slug.ts';
import type { Db, Trx } from '../../platform/db/index.ts';
import type { Post, PostContent } from './post.ts';
import { wasPublic } from './rules.ts';
import { dropSlug, isPresentSlug, slugsOfOthers, takeSlug } from './store.ts';

/** How many candidates the first look-up covers; each further one covers more. */
const FIRST_LOOK = 20;
const LARGEST_LOOK = 5000;

/** The slug to begin with for a title (or a slug that is none). */
export const slugBase = (text: string): string => slugifyAny(text) || 'post';

/** `base` and its variations (`-2`, `-3`, …) that no other post had at the time of looking; it never ends. */
export async function* freeSlugs(db: Db, base: string, postId: string | null): AsyncGenerator<string, never> {
  for (let from = 1, size = FIRST_LOOK; ; from += size, size = Math.min(4 * size, LARGEST_LOOK)) {
    const candidates = Array.from({ length: size }, (_, i) => nthSlug(base, from + i));
    const taken = await slugsOfOthers(db, candidates, postId);
    for (const slug of candidates) if (!taken.has(slug)) yield slug;
  }
}

/** Takes the slug of a title, or its first free variation, also when several posts ask at once. */
async function claimDerivedSlug(trx: Trx, title: string, postId: string): Promise<string> {
  const free = freeSlugs(trx, slugBase(title), postId);
  for (;;) {
    const { value: slug } = await free.next();
    if (await takeSlug(trx, slug, postId)) return slug;
  }
}

/** Takes a slug that was asked for. Throws SLUG_TAKEN. A post may take back one of its own past. */
async function claimGivenSlug(trx: Trx, slug: string, postId: string): Promise<string> {
  if (await takeSlug(trx, slug, postId)) return slug;
  // Nobody finds an old slug in a list of posts.
  const message = (await isPresentSlug(trx, slug))
    ? `Another post already has the slug ${slug}.`
    : `The slug ${slug} is an old address of another post, to which it goes on leading.`;
  throw new AppError('SLUG_TAKEN', { message });
}

/**
 * The slug for a content: the given one, else one derived from the hint or the title, else null. The post owns it afterwards.
 * Throws SLUG_TAKEN for a given slug of another post.
 */
export async function claimSlug(
  trx: Trx,
  content: PostContent,
  postId: string,
  hint: string | null = null,
): Promise<string | null> {
  if (content.slug !== null) return claimGivenSlug(trx, content.slug, postId);
  const from = hint ?? content.title;
  return from === null ? null : claimDerivedSlug(trx, from, postId);
}

/**
 * As `claimSlug`, for a post that may have a slug. The old one goes on leading to a post that was ever public; else it
 * is free again.
 */
export async function changeSlug(
  trx: Trx,
  post: Post,
  content: PostContent,
  now: Date,
  hint: string | null = null,
): Promise<string | null> {
  if (content.slug !== null && content.slug === post.slug) return post.slug;
  const slug = await claimSlug(trx, content, post.id, hint);
  if (post.slug !== null && !wasPublic(post, now)) await dropSlug(trx, post.slug, post.id);
  return slug;
}
