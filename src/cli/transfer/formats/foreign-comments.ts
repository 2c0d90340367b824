import { cutText } from '../../../lib/markdown-text.ts';
import type { ImportedComment } from '../../../modules/blog/index.ts';
import { type Fit, MAX, oneLine, storable } from './fit.ts';
import { HtmlError } from './html-to-markdown.ts';
import { htmlToText } from './html-to-text.ts';

/** Name of an author whose export names none. */
const NOBODY = 'Anonymous';

/** A comment that was read, with its number and that of the one it answers in the old system. */
export interface FoundComment {
  id: string;
  parent: string;
  comment: ImportedComment & { source: string };
}

/** HTML of a comment as plain text that fits; empty for what cannot be read. */
export function commentText(fit: Fit, html: string): string {
  try {
    const text = storable(htmlToText(html)).trim();
    if (text.length > MAX.comment) fit.note(`comments cut to ${MAX.comment} characters`);
    return cutText(text, MAX.comment);
  } catch (error) {
    if (error instanceof HtmlError) return '';
    throw error;
  }
}

/** Who wrote it, as the service takes it. */
export function commentAuthor(name: unknown, address: unknown): Pick<ImportedComment, 'author' | 'authorEmail'> {
  const email = oneLine(address);
  return {
    author: cutText(oneLine(name) ?? NOBODY, MAX.author),
    ...(email === undefined || email.length > 320 ? {} : { authorEmail: email }),
  };
}

/** Each after the comment that it answers; one whose parent is not there, or is its own descendant, stands by itself. */
export function parentsFirst(found: readonly FoundComment[]): ImportedComment[] {
  const byId = new Map(found.map((f) => [f.id, f]));
  const placed = new Map<string, FoundComment['comment']>();
  for (const start of found) {
    const chain: FoundComment[] = [];
    const inChain = new Set<string>();
    for (
      let at: FoundComment | undefined = start;
      at && !placed.has(at.id) && !inChain.has(at.id);
      at = byId.get(at.parent)
    ) {
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
