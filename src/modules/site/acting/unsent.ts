import { isUuid } from '../../../lib/ids.ts';
import { isSlug } from '../../../lib/slug.ts';
import { type Markup, markup } from '../../../lib/markup.ts';
import type { Fields, Sent } from '../../../platform/http/index.ts';
import { COMMENT_MAX } from '../../blog/index.ts';
import { pageOf } from '../pages/list-query.ts';

/** A comment as it was typed, and where. */
export interface Unsent {
  slug: string;
  text: string;
  /** The comment that it answers. */
  parentId: string | undefined;
  /** Of the comments that were shown. */
  page: number;
}

/** The names under which the forms of signing in and up carry it. */
const NAMES = { slug: 'commentOn', text: 'comment', parentId: 'commentParent', page: 'commentPage' } as const;

/** The comment that a form of signing in or up carries, or null. */
export function unsentOf(form: Fields): Unsent | null {
  const [slug, text, parentId] = [form[NAMES.slug], form[NAMES.text], form[NAMES.parentId]];
  if (slug === undefined || !isSlug(slug) || !text?.trim()) return null;
  return { slug, text, parentId: isUuid(parentId ?? '') ? parentId : undefined, page: pageOf(form[NAMES.page]) };
}

/** The comment in a form that failed: one that was carried along, or one that was to be sent. */
export function unsentIn({ form, params }: Sent): Unsent | null {
  const { slug = '' } = params;
  const { body: text = '', parentId = '' } = form;
  const own = isSlug(slug) && text.trim() !== '';
  return own
    ? { slug, text, parentId: isUuid(parentId) ? parentId : undefined, page: pageOf(form['page']) }
    : unsentOf(form);
}

/** Fields of a form that carry the comment, the text to be seen and changed. */
export const unsentFields = ({ slug, text, parentId, page }: Unsent): Markup =>
  markup`<div class="field"><label for="comment">Your comment</label>
<textarea id="comment" name="${NAMES.text}" required maxlength="${COMMENT_MAX}" dir="auto">
${text}</textarea></div>
<input type="hidden" name="${NAMES.slug}" value="${slug}"><input type="hidden" name="${NAMES.page}" value="${page}">
${parentId !== undefined && markup`<input type="hidden" name="${NAMES.parentId}" value="${parentId}">`}`;
