import { readLooseDate } from '../../../lib/loose-date.ts';
import type { ImportedComment } from '../../../modules/blog/index.ts';
import { withParagraphs } from './autop.ts';
import type { Fit } from './fit.ts';
import { commentAuthor, commentText, type FoundComment, parentsFirst } from './foreign-comments.ts';
import { plainText } from './html-to-text.ts';
import type { XmlElement } from './xml-elements.ts';

/** `wp:comment_approved` of comments that readers see, or that wait for somebody to look at them. */
const STATUS: Readonly<Record<string, ImportedComment['status']>> = { 1: 'VISIBLE', 0: 'HIDDEN' };

function readComment(fit: Fit, element: XmlElement, source: string): FoundComment | undefined {
  const field = (name: string): string => element.children.find((c) => c.name === `wp:${name}`)?.text.trim() ?? '';
  const status = STATUS[field('comment_approved')];
  const id = field('comment_id');
  const type = field('comment_type');
  // Stored as it was typed, like posts of the classic editor: without paragraphs.
  const body = commentText(fit, withParagraphs(field('comment_content')));
  const date = readLooseDate(field('comment_date_gmt')) ?? readLooseDate(field('comment_date'));
  if (status === undefined || id === '' || body === '' || date === undefined || !['', 'comment'].includes(type)) {
    return undefined;
  }
  // Of whoever was not signed in it is what they typed: it may be an editor's.
  const email = /^[1-9]\d*$/.test(field('comment_user_id')) ? field('comment_author_email') : '';
  const comment = {
    source: `${source}#comment-${id}`.slice(-500),
    body,
    ...commentAuthor(plainText(field('comment_author')), email),
    createdAt: date,
    status,
  };
  return { id, parent: field('comment_parent'), comment };
}

/** The comments of a post, parents before replies; spam, trash, pingbacks and what is empty are left out. */
export function commentsOf(fit: Fit, item: XmlElement, source: string): ImportedComment[] {
  const elements = item.children.filter((child) => child.name === 'wp:comment');
  const found = elements.flatMap((element) => readComment(fit, element, source) ?? []);
  const left = elements.length - found.length;
  if (left > 0) fit.note(`comments left out (spam, trash, pingbacks, without text or date): ${left}`);
  return parentsFirst(found);
}
