import { isUuid } from '../../../lib/ids.ts';
import { isSlug } from '../../../lib/slug.ts';
import { type Markup, markup } from '../../../lib/markup.ts';
import type { Fields, Sent } from '../../../platform/http/index.ts';
import { COMMENT_MAX, REASON_MAX } from '../../blog/index.ts';
import { slugIn } from '../links.ts';
import { pageOf } from '../pages/list-query.ts';

/** What was typed, and where. */
interface Typed {
  slug: string;
  text: string;
  /** Of the comments that were shown. */
  page: number;
}

/** A comment as it was typed. */
export interface UnsentComment extends Typed {
  is: 'comment';
  /** The comment that it answers. */
  parentId: string | undefined;
}

/** A report of a comment, with its reason as it was typed. */
export interface UnsentReport extends Typed {
  is: 'report';
  commentId: string;
}

export type Unsent = UnsentComment | UnsentReport;

/** The names under which the forms of signing in and up carry it. */
const COMMENT = { slug: 'commentOn', text: 'comment', parentId: 'commentParent', page: 'commentPage' } as const;
const REPORT = { slug: 'reportOn', text: 'report', commentId: 'reportOf', page: 'reportPage' } as const;

const isTyped = (slug: string, text: string): boolean => isSlug(slug) && text.trim() !== '';

function commentOf(slug = '', text = '', parentId = '', page?: string): UnsentComment | null {
  if (!isTyped(slug, text)) return null;
  return { is: 'comment', slug, text, parentId: isUuid(parentId) ? parentId : undefined, page: pageOf(page) };
}

function reportOf(slug = '', text = '', commentId = '', page?: string): UnsentReport | null {
  if (!isTyped(slug, text) || !isUuid(commentId)) return null;
  return { is: 'report', slug, text, commentId: commentId.toLowerCase(), page: pageOf(page) };
}

/** The comment or report that a form of signing in or up carries, or null. */
export const unsentOf = (form: Fields): Unsent | null =>
  commentOf(form[COMMENT.slug], form[COMMENT.text], form[COMMENT.parentId], form[COMMENT.page]) ??
  reportOf(form[REPORT.slug], form[REPORT.text], form[REPORT.commentId], form[REPORT.page]);

/** The comment or report in a form that failed: one that was carried along, or one that was to be sent. */
export const unsentIn = ({ form, params }: Sent): Unsent | null =>
  commentOf(slugIn(params), form['body'], form['parentId'], form['page']) ??
  reportOf(form['post'], form['reason'], params['id'], form['page']) ??
  unsentOf(form);

const hidden = (name: string, value: string | number): Markup =>
  markup`<input type="hidden" name="${name}" value="${value}">`;

/** Fields of a form that carry it, the text to be seen and changed. */
export const unsentFields = (unsent: Unsent): Markup =>
  unsent.is === 'comment'
    ? markup`${typedComment(unsent.text, { label: 'Your comment', name: COMMENT.text })}
${hidden(COMMENT.slug, unsent.slug)}${hidden(COMMENT.page, unsent.page)}
${unsent.parentId !== undefined && hidden(COMMENT.parentId, unsent.parentId)}`
    : markup`${typedReason(unsent.text, { label: 'What is wrong with the comment', name: REPORT.text })}
${hidden(REPORT.slug, unsent.slug)}${hidden(REPORT.page, unsent.page)}${hidden(REPORT.commentId, unsent.commentId)}`;

/** Fields of a form that sends it to where it was to go in the first place. */
export const sentFields = (unsent: Unsent): Markup =>
  unsent.is === 'comment'
    ? markup`${typedComment(unsent.text, { label: 'Your comment, as you wrote it', name: 'body' })}
${unsent.parentId !== undefined && hidden('parentId', unsent.parentId)}${hidden('page', unsent.page)}`
    : markup`${typedReason(unsent.text, { label: 'What is wrong with the comment, as you wrote it', name: 'reason' })}
${hidden('post', unsent.slug)}${hidden('page', unsent.page)}`;

interface Named {
  label: string;
  name: string;
}

const typedComment = (text: string, { label, name }: Named): Markup =>
  markup`<div class="field"><label for="comment">${label}</label>
<textarea id="comment" name="${name}" required maxlength="${COMMENT_MAX}" dir="auto">
${text}</textarea></div>`;

const typedReason = (text: string, { label, name }: Named): Markup =>
  markup`<div class="field"><label for="reason">${label}</label>
<input id="reason" type="text" name="${name}" required maxlength="${REASON_MAX}" dir="auto" value="${text}"></div>`;
