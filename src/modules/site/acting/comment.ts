import { AppError } from '../../../contracts/errors.ts';
import { isUuid } from '../../../lib/ids.ts';
import { isSlug } from '../../../lib/slug.ts';
import type { PageInput, PageReply } from '../../../platform/http/index.ts';
import { COMMENT_MAX, type Comment } from '../../blog/index.ts';
import { withQuery } from '../links.ts';
import { pageOf } from '../pages/list-query.ts';
import { post } from '../pages/post.ts';
import type { Site } from '../site.ts';
import { toSignIn } from './engage.ts';

/** Back to the comments of a post, with a word on what was done. */
function back(
  site: Site,
  slug: string,
  { page, notice, at }: { page: number; notice: string; at?: string },
): PageReply {
  const link = withQuery(site.links.post(slug), { comments: page === 1 ? undefined : page, notice });
  return { status: 303, headers: { location: `${link}#${at ?? 'comments'}` } };
}

/** What to say of a text that was refused; other errors are thrown on. */
function faultOf(error: unknown): string {
  if (!(error instanceof AppError) || error.code !== 'VALIDATION_ERROR') throw error;
  const [detail] = error.details ?? [];
  if (detail?.path === 'body.parentId') return 'The comment that you answer is not there any more.';
  return detail?.message === 'must not be empty'
    ? 'Write something first.'
    : `Write at most ${COMMENT_MAX} characters.`;
}

/** A thread is on the last page, since the oldest stand first; a reply on that of the comment that it answers. */
async function pageOfComment(site: Site, slug: string, { parentId }: Comment, from: number): Promise<number> {
  return parentId === null ? Math.max(1, (await site.reads.comments(slug, 1)).pages) : from;
}

/** Stores a comment or a reply, then leads to it; what was typed is not lost when it cannot be taken. */
export async function comment(site: Site, input: PageInput): Promise<PageReply> {
  const { params, form, caller, env, write } = input;
  const slug = params['slug'] ?? '';
  if (!caller) return toSignIn(site, slug);
  const text = form['body'] ?? '';
  const parentId = form['parentId'];
  const author = { id: caller.userId, name: caller.name, blogRole: caller.blogRole };
  if (parentId !== undefined && !isUuid(parentId)) throw new AppError('VALIDATION_ERROR');
  try {
    const stored = await write((trx) => site.acts.comment(trx, { slug, author, body: text, parentId }, env));
    const page = await pageOfComment(site, slug, stored, pageOf(form['page']));
    return stored.status === 'VISIBLE'
      ? back(site, slug, { page, notice: 'commented', at: `comment-${stored.id}` })
      : back(site, slug, { page, notice: 'held' });
  } catch (error) {
    return post(site, input, { text, parentId, fault: faultOf(error) });
  }
}

/** The comment of the address and where to go back to; NOT_FOUND for what is no id. */
function targetOf({ params, form }: PageInput): { id: string; slug: string; page: number } {
  const [id, slug] = [params['id'] ?? '', form['post'] ?? ''];
  if (!isUuid(id) || !isSlug(slug)) throw new AppError('NOT_FOUND');
  return { id: id.toLowerCase(), slug, page: pageOf(form['page']) };
}

/** Deletes a comment of the reader's own. Throws NOT_FOUND. */
export async function removeComment(site: Site, input: PageInput): Promise<PageReply> {
  const { id, slug, page } = targetOf(input);
  const { caller, write } = input;
  if (!caller) return toSignIn(site, slug);
  await write((trx) => site.acts.removeComment(trx, { id, userId: caller.userId }));
  return back(site, slug, { page, notice: 'deleted' });
}

/** Tells the moderators of a comment. Throws NOT_FOUND, VALIDATION_ERROR. */
export async function report(site: Site, input: PageInput): Promise<PageReply> {
  const { id, slug, page } = targetOf(input);
  const { caller, form, env, write } = input;
  if (!caller) return toSignIn(site, slug);
  await write((trx) => site.acts.report(trx, { id, userId: caller.userId, reason: form['reason'] ?? '' }, env));
  return back(site, slug, { page, notice: 'reported' });
}
