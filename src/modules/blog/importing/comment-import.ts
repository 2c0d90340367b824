import { type Static, Type } from 'typebox';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { FilterText, STORABLE } from '../schemas.ts';

/** A post of a request brings at most this many comments; further ones come with the same post again. */
export const MAX_COMMENTS = 500;

/** A comment of an imported post. */
export const ImportedComment = Type.Object(
  {
    source: FilterText(500, 'By this, the next run knows it again.'),
    parent: Type.Optional(FilterText(500, 'The `source` of the comment that it answers.')),
    body: Type.String({ minLength: 1, maxLength: 4000, pattern: '\\S' }),
    author: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
    authorEmail: Type.Optional(Type.String({ minLength: 1, maxLength: 320, pattern: STORABLE })),
    createdAt: Type.String({ format: 'date-time' }),
    status: Type.Enum(['VISIBLE', 'HIDDEN']),
  },
  { additionalProperties: false },
);
export type ImportedComment = Static<typeof ImportedComment>;

/** What became of the comments that came with one post. */
export interface CommentCounts {
  created: number;
  /** Known by their source already, or deleted here since. */
  unchanged: number;
  skipped: number;
  /** Why some were skipped. */
  reason: string | null;
}

/**
 * Brings in the comments of a post that is stored, in the import's transaction. What it knows by its `source` it leaves
 * alone, so that a second run changes nothing. A parent comes before its replies, in this call or an earlier one.
 */
export type CommentImport = (
  trx: Trx,
  input: { postId: string; comments: readonly ImportedComment[] },
  env: Env,
) => Promise<CommentCounts>;

/** Stands in while nothing takes comments: each is told of as skipped. */
export const noComments: CommentImport = async (_trx, { comments }) => ({
  created: 0,
  unchanged: 0,
  skipped: comments.length,
  reason: 'comments are not imported yet',
});
