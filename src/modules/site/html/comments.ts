import { type Markup, markup, type Part } from '../../../lib/markup.ts';
import { COMMENT_MAX, type Comment, REASON_MAX } from '../../blog/index.ts';
import type { Site } from '../site.ts';
import { linked } from './linked.ts';
import { counted } from './posts.ts';

/** A comment that was not taken: what was typed, and why. */
export interface Draft {
  text: string;
  fault: string;
  parentId: string | undefined;
  /** Of the comments that were shown. */
  page: number;
}

export interface CommentsView {
  slug: string;
  /** Of the comments that are shown; where answers lead back to. */
  page: number;
  userId: string | null;
  draft: Draft | undefined;
  /** Where to sign in, and come back from. */
  signIn: string;
}

/** Lines as they were typed, addresses as links; an empty line parts paragraphs. */
export const paragraphs = (text: string): Markup[] =>
  text
    .split(/\n[^\S\n]*\n\s*/)
    .filter((part) => part.trim() !== '')
    .map(
      (part) => markup`<p dir="auto">${part.split('\n').map((line, i) => [i > 0 && markup`<br>`, linked(line)])}</p>`,
    );

interface FormOptions {
  id: string;
  label: string;
  action: string;
  parentId?: string;
  draft: Draft | undefined;
  button: string;
}

/** A text to write in a form, with what is wrong with the last try. */
function writeForm({ page }: CommentsView, { id, label, action, parentId, draft, button }: FormOptions): Markup {
  const fault = draft && markup`<p class="fault" id="${id}-fault">${draft.fault}</p>`;
  const described = draft && markup` aria-invalid="true" aria-describedby="${id}-fault" autofocus`;
  return markup`<form class="form" method="post" action="${action}">
<div class="field"><label for="${id}">${label}</label>${fault}
<textarea id="${id}" name="body" required maxlength="${COMMENT_MAX}" dir="auto"${described}>
${draft?.text}</textarea></div>
${parentId !== undefined && markup`<input type="hidden" name="parentId" value="${parentId}">`}
<input type="hidden" name="page" value="${page}">
<button class="button">${button}</button></form>`;
}

const hidden = (slug: string, page: number): Markup =>
  markup`<input type="hidden" name="post" value="${slug}"><input type="hidden" name="page" value="${page}">`;

function removing(site: Site, { slug, page }: CommentsView, id: string): Markup {
  return markup`<details><summary>Delete</summary><form method="post" action="${site.links.other(`comments/${id}/delete`)}">
${hidden(slug, page)}<p class="hint">It cannot be brought back.</p><button class="button second">Delete this comment</button></form></details>`;
}

function reporting(site: Site, { slug, page }: CommentsView, id: string): Markup {
  return markup`<details><summary>Report</summary><form class="form" method="post" action="${site.links.other(`comments/${id}/report`)}">
${hidden(slug, page)}<div class="field"><label for="why-${id}">What is wrong with this comment?</label>
<input id="why-${id}" type="text" name="reason" required maxlength="${REASON_MAX}" dir="auto"></div><button class="button second">Report it</button></form></details>`;
}

/** What a reader who is signed in can do with a comment. */
function doing(site: Site, view: CommentsView, { id, author }: Comment): Part {
  if (view.userId === null) return null;
  const draft = view.draft?.parentId === id ? view.draft : undefined;
  const reply = writeForm(view, {
    id: `reply-${id}`,
    label: author ? `Reply to ${author.name}` : 'Reply',
    action: site.links.ofPost(view.slug, 'comments'),
    parentId: id,
    draft,
    button: 'Reply',
  });
  return markup`<div class="doing"><details${draft && markup` open`}><summary>Reply</summary>${reply}</details>
${author?.id === view.userId ? removing(site, view, id) : reporting(site, view, id)}</div>`;
}

/** A comment that is there; `below`: what can be done with it. */
const shownComment = (site: Site, { id, author, body, createdAt }: Comment, below?: Part): Markup =>
  markup`<article class="comment" id="comment-${id}" tabindex="-1">
<header><b><bdi>${author?.name ?? 'Somebody'}</bdi></b>
<a href="#comment-${id}"><time datetime="${createdAt}">${site.dayOf(new Date(createdAt))}</time></a></header>
${paragraphs(body)}
${below}</article>`;

function commentItem(site: Site, view: CommentsView, comment: Comment): Markup {
  const { id, replies, moreReplies = 0 } = comment;
  const own = comment.deleted
    ? markup`<div class="comment" id="comment-${id}"><p class="gone">This comment is not here any more.</p></div>`
    : shownComment(site, comment, doing(site, view, comment));
  return markup`<li>${own}
${replies.length > 0 && markup`<ol role="list">${replies.map((reply) => commentItem(site, view, reply))}</ol>`}
${moreReplies > 0 && markup`<p class="hint"><a href="${site.links.replies(id, view.slug)}">${counted(moreReplies, 'more reply', 'more replies')}</a></p>`}</li>`;
}

/** Replies to be read one below the other, whatever each answers. */
export const replyList = (site: Site, replies: readonly Comment[]): Markup =>
  markup`<ol role="list">${replies.map((reply) => markup`<li>${shownComment(site, reply)}</li>`)}</ol>`;

/** The comments of a page as a tree. */
export const commentTree = (site: Site, view: CommentsView, comments: readonly Comment[]): Part =>
  comments.length > 0 && markup`<ol role="list">${comments.map((comment) => commentItem(site, view, comment))}</ol>`;

/** Where a comment is written, or where to sign in for that. */
export function commentForm(site: Site, view: CommentsView, shownIds: ReadonlySet<string>): Markup {
  if (view.userId === null) {
    return markup`<p class="notice"><a href="${view.signIn}">Sign in</a> to write a comment.</p>`;
  }
  const { draft } = view;
  const isOwn = draft !== undefined && (draft.parentId === undefined || !shownIds.has(draft.parentId));
  return writeForm(view, {
    id: 'comment',
    label: 'Write a comment',
    action: site.links.ofPost(view.slug, 'comments'),
    draft: isOwn ? draft : undefined,
    button: 'Send comment',
  });
}
