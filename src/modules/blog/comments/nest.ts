import type { ListedComment } from './list-store.ts';
import type { Comment } from './schemas.ts';

/** A comment as readers see it; what is not VISIBLE is an empty placeholder that does not say which of both it is. */
export function view(comment: ListedComment): Comment {
  const { id, parentId, authorId, authorName } = comment;
  const common = { id, parentId, createdAt: comment.createdAt.toISOString(), replies: [] };
  if (comment.status !== 'VISIBLE') return { ...common, body: '', status: 'HIDDEN', deleted: true };
  return { ...common, body: comment.body, status: 'VISIBLE', author: { id: authorId ?? '', name: authorName ?? '' } };
}

/** Comments that must be listed because one of these stands below them or answers them, and that are not among them. */
export function missingAncestors(comments: readonly ListedComment[]): string[] {
  const wanted = new Set(comments.flatMap((c) => (c.parentId === null ? [] : [...c.path, c.parentId])));
  for (const { id } of comments) wanted.delete(id);
  return [...wanted];
}

const oldestFirst = (a: ListedComment, b: ListedComment): number =>
  a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1);

/** The top comments, in their order, each with its replies nested below it, oldest first. */
export function nest(tops: readonly ListedComment[], replies: readonly ListedComment[]): Comment[] {
  const all = [...tops, ...replies.toSorted(oldestFirst)];
  const views = new Map(all.map((comment) => [comment.id, view(comment)]));
  for (const { id, path } of all) {
    const above = path.at(-1);
    const own = views.get(id);
    if (above !== undefined && own) views.get(above)?.replies.push(own);
  }
  return tops.flatMap(({ id }) => views.get(id) ?? []);
}
