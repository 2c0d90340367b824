import { cutText } from '../../lib/markdown-text.ts';
import { readLooseDate } from '../../lib/loose-date.ts';
import type { ImportedComment } from '../../modules/blog/index.ts';
import { type Fit, MAX, oneLine, storable } from './fit.ts';
import { HtmlError, htmlToText } from './html-to-markdown.ts';
import type { XmlElement } from './xml-elements.ts';

/** `wp:comment_approved` of comments that readers see, or that wait for somebody to look at them. */
const STATUS: Readonly<Record<string, ImportedComment['status']>> = { 1: 'VISIBLE', 0: 'HIDDEN' };

interface Found {
  id: string;
  parent: string;
  comment: ImportedComment;
}

function bodyOf(fit: Fit, html: string): string {
  try {
    const text = storable(htmlToText(html)).trim();
    if (text.length > MAX.comment) fit.note(`comments cut to ${MAX.comment} characters`);
    return cutText(text, MAX.comment);
  } catch (error) {
    if (error instanceof HtmlError) return '';
    throw error;
  }
}

function readComment(fit: Fit, element: XmlElement, source: string): Found | undefined {
  const field = (name: string): string => element.children.find((c) => c.name === `wp:${name}`)?.text.trim() ?? '';
  const status = STATUS[field('comment_approved')];
  const id = field('comment_id');
  const type = field('comment_type');
  const body = bodyOf(fit, field('comment_content'));
  const date = readLooseDate(field('comment_date_gmt')) ?? readLooseDate(field('comment_date'));
  if (status === undefined || id === '' || body === '' || date === undefined || !['', 'comment'].includes(type)) {
    return undefined;
  }
  const email = oneLine(field('comment_author_email'));
  const comment: ImportedComment = {
    source: `${source}#comment-${id}`.slice(-500),
    body,
    author: cutText(oneLine(field('comment_author')) ?? 'Anonymous', MAX.author),
    ...(email === undefined || email.length > 320 ? {} : { authorEmail: email }),
    createdAt: date,
    status,
  };
  return { id, parent: field('comment_parent'), comment };
}

/** Each after the comment that it answers; one whose parent is not there, or is its own descendant, stands by itself. */
function parentsFirst(found: readonly Found[]): ImportedComment[] {
  const byId = new Map(found.map((f) => [f.id, f]));
  const placed = new Map<string, ImportedComment>();
  for (const start of found) {
    const chain: Found[] = [];
    const inChain = new Set<string>();
    for (let at: Found | undefined = start; at && !placed.has(at.id) && !inChain.has(at.id); at = byId.get(at.parent)) {
      chain.push(at);
      inChain.add(at.id);
    }
    for (const { id, parent, comment } of chain.toReversed()) {
      const above = placed.get(parent);
      placed.set(id, above ? { ...comment, parent: above.source } : comment);
    }
  }
  return [...placed.values()];
}

/** The comments of a post, parents before replies; spam, trash, pingbacks and what is empty are left out. */
export function commentsOf(fit: Fit, item: XmlElement, source: string): ImportedComment[] {
  const elements = item.children.filter((child) => child.name === 'wp:comment');
  const found = elements.flatMap((element) => readComment(fit, element, source) ?? []);
  const left = elements.length - found.length;
  if (left > 0) fit.note(`comments left out (spam, trash, pingbacks, without text or date): ${left}`);
  return parentsFirst(found);
}
