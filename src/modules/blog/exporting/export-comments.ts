import { type Static, Type } from 'typebox';
import type { Db } from '../../../platform/db/index.ts';
import { DateTime, Uuid } from '../../../platform/http/index.ts';
import { commentsToExport, type CommentToExport } from './comment-store.ts';

/** Everything of a comment that is not counted or derived; the import takes each field by the same name. */
const ExportedComment = Type.Object({
  id: Uuid,
  parent: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: 'The comment that it answers; before it.' })),
  body: Type.String(),
  author: Type.Optional(Type.String()),
  authorEmail: Type.Optional(Type.String()),
  createdAt: DateTime,
  status: Type.Enum(['VISIBLE', 'HIDDEN', 'DELETED'], {
    description: 'DELETED: an empty place, for the sake of its replies.',
  }),
});

/** Comments of a post: in a line of its own behind the post's, or in several. */
export const ExportedComments = Type.Object({ commentsOf: Uuid, comments: Type.Array(ExportedComment) });
export type ExportedComments = Static<typeof ExportedComments>;

const exported = (comment: CommentToExport): ExportedComments['comments'][number] => ({
  id: comment.id,
  ...(comment.parentId === null ? {} : { parent: comment.parentId }),
  body: comment.body,
  ...(comment.authorName === null ? {} : { author: comment.authorName }),
  ...(comment.authorEmail === null ? {} : { authorEmail: comment.authorEmail }),
  createdAt: comment.createdAt.toISOString(),
  status: comment.status,
});

/**
 * The comments of a post, some hundred at a time, a parent before its replies. Each that is there from beginning to end
 * comes exactly once.
 */
export async function* exportComments(db: Db, postId: string): AsyncGenerator<ExportedComments> {
  for (let last: CommentToExport | null = null; ; ) {
    const page: CommentToExport[] = await commentsToExport(db, postId, last);
    last = page.at(-1) ?? null;
    if (last === null) return;
    yield { commentsOf: postId, comments: page.map(exported) };
  }
}
