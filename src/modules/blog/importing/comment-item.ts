import { type Static, Type } from 'typebox';
import { invalid } from '../../../contracts/errors.ts';
import { Uuid } from '../../../platform/http/index.ts';
import { COMMENT_MAX, type StoredStatus } from '../comments/rules.ts';
import { instantOf } from '../rules.ts';
import { FilterText, NOT_BLANK, STORABLE } from '../schemas.ts';

/** A post of a request brings at most this many comments; further ones come with the same post again. */
export const MAX_COMMENTS = 500;

/** A comment of an imported post. */
export const ImportedComment = Type.Object(
  {
    source: Type.Optional(FilterText(500, 'By this, the next run knows it again. Default: its `id`.')),
    id: Type.Optional(
      Type.Unsafe<string>({ ...Uuid, description: 'UUID that it gets, so that it keeps it when it moves.' }),
    ),
    parent: Type.Optional(
      FilterText(500, 'The `source` of the comment that it answers. One that is not here leaves it at the top.'),
    ),
    body: Type.String({
      maxLength: COMMENT_MAX,
      pattern: STORABLE,
      description: 'Plain text. Empty for one that is DELETED, and only then.',
    }),
    author: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, pattern: NOT_BLANK, description: 'Needed unless it is DELETED.' }),
    ),
    authorEmail: Type.Optional(Type.String({ minLength: 1, maxLength: 320, pattern: STORABLE })),
    createdAt: Type.String({ format: 'date-time' }),
    status: Type.Enum(['VISIBLE', 'HIDDEN', 'DELETED'], {
      description: 'DELETED: an empty place, for the sake of its replies.',
    }),
  },
  { additionalProperties: false },
);
export type ImportedComment = Static<typeof ImportedComment>;

/** A comment that fits, in the form in which it is stored. */
export interface CleanComment {
  source: string;
  id: string | null;
  parent: string | null;
  body: string;
  /** Null when it is DELETED. */
  author: string | null;
  /** Lower case. */
  authorEmail: string | null;
  createdAt: Date;
  status: StoredStatus;
}

/** Throws VALIDATION_ERROR naming the field, below `path`. */
export function cleanComment(comment: ImportedComment, path: string): CleanComment {
  const { source, id, parent, author, authorEmail, status } = comment;
  const deleted = status === 'DELETED';
  const body = comment.body.trim();
  const refuse = (field: string, message: string) => invalid({ path: `${path}.${field}`, message });
  const known = source ?? id?.toLowerCase();
  if (known === undefined) throw refuse('source', 'is needed where there is no id');
  if (!deleted && body === '') throw refuse('body', 'must not be empty');
  if (!deleted && author === undefined) throw refuse('author', 'is needed unless the comment is DELETED');
  if (deleted && (body !== '' || author !== undefined))
    throw refuse('status', 'DELETED goes with no body and no author');
  return {
    source: known,
    id: id?.toLowerCase() ?? null,
    parent: parent ?? null,
    body,
    author: author?.trim() ?? null,
    authorEmail: (deleted ? undefined : authorEmail)?.trim().toLowerCase() ?? null,
    createdAt: instantOf(comment.createdAt, `${path}.createdAt`),
    status,
  };
}
