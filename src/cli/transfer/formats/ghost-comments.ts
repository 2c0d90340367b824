import { readLooseDate } from '../../../lib/loose-date.ts';
import type { ImportedComment } from '../../../modules/blog/index.ts';
import type { Fit } from './fit.ts';
import { commentAuthor, commentText, type FoundComment, parentsFirst } from './foreign-comments.ts';
import type { GhostComment } from './ghost-index.ts';

const STATUS: Readonly<Record<string, ImportedComment['status']>> = {
  published: 'VISIBLE',
  hidden: 'HIDDEN',
  deleted: 'DELETED',
};

function readComment(fit: Fit, found: GhostComment, source: string): FoundComment | undefined {
  const { id, parent, name, email } = found;
  const status = Object.hasOwn(STATUS, found.status) ? STATUS[found.status] : undefined;
  const createdAt = readLooseDate(found.createdAt ?? '');
  if (status === undefined || id === '' || createdAt === undefined) return undefined;
  const about = { source: `${source}#comment-${id}`.slice(-500), createdAt, status };
  if (status === 'DELETED') return { id, parent, comment: { ...about, body: '' } };
  const body = commentText(fit, found.html);
  return body === '' ? undefined : { id, parent, comment: { ...about, body, ...commentAuthor(name, email) } };
}

/**
 * The comments of a post, parents before replies. Deleted ones keep their place where they were answered; else they are
 * left out, as is what has no text or date.
 */
export function commentsOf(fit: Fit, all: readonly GhostComment[], source: string): ImportedComment[] {
  const answered = new Set(all.map((comment) => comment.parent));
  const wanted = all.filter(({ id, status }) => status !== 'deleted' || answered.has(id));
  const found = wanted.flatMap((comment) => readComment(fit, comment, source) ?? []);
  const left = all.length - found.length;
  if (left > 0) fit.note(`comments left out (deleted, without text or date): ${left}`);
  return parentsFirst(found);
}
