import { AppError } from '../../../contracts/errors.ts';
import { isUuid } from '../../../lib/ids.ts';
import { isSlug } from '../../../lib/slug.ts';
import type { PageInput, PageReply } from '../../../platform/http/index.ts';
import { COMMENT_MAX, type Comment, REASON_MAX } from '../../blog/index.ts';
import { slugIn, withQuery } from '../links.ts';
import { pageOf } from '../pages/list-query.ts';
import { post } from '../pages/post.ts';
import type { Reader } from '../html/layout.ts';
import type { Site } from '../site.ts';
import { formPage, signInForm } from './account-forms.ts';
import { toSignIn } from './engage.ts';
import type { UnsentComment, UnsentReport } from './unsent.ts';

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

/**
 * A thread is on the last page, since the oldest stand first; a reply on that of the comment that it answers. What is stored is
 * stored: that its page is not found must not look as if it were not.
 */
async function pageOfComment(site: Site, { slug, page }: UnsentComment, { parentId }: Comment): Promise<number> {
  if (parentId !== null) return page;
  const { pages } = await site.reads.comments(slug, 1).catch(() => ({ pages: 1 }));
  return Math.max(1, pages);
}

/** Stores a comment or a reply, then leads to it; what was typed is not lost when it cannot be taken. */
async function send(site: Site, input: PageInput, unsent: UnsentComment, reader: Reader): Promise<PageReply> {
  const { slug, text, parentId } = unsent;
  const author = { id: reader.userId, name: reader.name, blogRole: reader.blogRole };
  let stored: Comment;
  try {
    stored = await input.write((trx) => site.acts.comment(trx, { slug, author, body: text, parentId }, input.env));
  } catch (error) {
    const draft = { text, parentId, page: unsent.page, fault: faultOf(error) };
    return post(site, { ...input, params: { slug }, caller: reader }, draft);
  }
  const page = await pageOfComment(site, unsent, stored);
  return stored.status === 'VISIBLE'
    ? back(site, slug, { page, notice: 'commented', at: `comment-${stored.id}` })
    : back(site, slug, { page, notice: 'held' });
}

/**
 * Sends a comment that was carried along by who has just signed in. It counts as any other of theirs; when there are too many, it is on the
 * page of its post, to be sent again.
 */
export async function sendCounted(
  site: Site,
  input: PageInput,
  unsent: UnsentComment,
  reader: Reader,
): Promise<PageReply> {
  try {
    await input.countComment(reader.userId);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'RATE_LIMITED') throw error;
    const { slug, text, parentId, page } = unsent;
    const fault = 'You have sent too many comments in a short time. Wait a minute, and send this one again.';
    const shown = await post(site, { ...input, params: { slug }, caller: reader }, { text, parentId, page, fault });
    return shown.status === 422 ? { ...shown, status: error.status } : shown;
  }
  return send(site, input, unsent, reader);
}

/** Takes a comment. Whose session has ended since the form was shown can sign in with it. */
export async function comment(site: Site, input: PageInput): Promise<PageReply> {
  const { params, form, caller } = input;
  const [slug, parentId] = [slugIn(params), form['parentId']];
  if (parentId !== undefined && !isUuid(parentId)) throw new AppError('VALIDATION_ERROR');
  const unsent = { is: 'comment' as const, slug, text: form['body'] ?? '', parentId, page: pageOf(form['page']) };
  if (caller) return send(site, input, unsent, caller);
  if (unsent.text.trim() === '' || !isSlug(slug)) return toSignIn(site, slug);
  return formPage(site, input, signInForm(site, input, unsent), { unsent });
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

/** The same error in words for whoever wrote the reason of a report; others as they are. */
function saidOfReason(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'VALIDATION_ERROR') return error;
  const isEmpty = error.details?.[0]?.message === 'must not be empty';
  const message = isEmpty
    ? 'Say what is wrong with the comment first. Go back, and report it with a reason.'
    : `Say what is wrong with the comment in at most ${REASON_MAX} characters.`;
  return new AppError('VALIDATION_ERROR', { message, ...(error.details ? { details: error.details } : {}) });
}

/** Tells the moderators of a comment, then leads back to it. Throws NOT_FOUND, VALIDATION_ERROR. */
export async function sendReport(
  site: Site,
  { env, write }: PageInput,
  { slug, page, commentId, text }: UnsentReport,
  userId: string,
): Promise<PageReply> {
  try {
    await write((trx) => site.acts.report(trx, { id: commentId, userId, reason: text }, env));
  } catch (error) {
    throw saidOfReason(error);
  }
  return back(site, slug, { page, notice: 'reported' });
}

/** Takes a report. Whose session has ended since the form was shown can sign in with it. Throws as sendReport does. */
export async function report(site: Site, input: PageInput): Promise<PageReply> {
  const { id, slug, page } = targetOf(input);
  const { caller, form } = input;
  const unsent = { is: 'report' as const, slug, page, commentId: id, text: form['reason'] ?? '' };
  if (caller) return sendReport(site, input, unsent, caller.userId);
  if (unsent.text.trim() === '') return toSignIn(site, slug);
  return formPage(site, input, signInForm(site, input, unsent), { unsent });
}
