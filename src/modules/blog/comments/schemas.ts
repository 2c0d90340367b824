import { type Static, Type } from 'typebox';
import { DateTime, Nullable, PageQuery, Uuid } from '../../../platform/http/index.ts';
import { STORABLE } from '../schemas.ts';
import { COMMENT_MAX, COMMENT_STATUSES, REASON_MAX } from './rules.ts';

/** Text whose length counts without white space around it, so it is checked by `cleanText` and only told here. */
export const TrimmedText = (max: number, what: string) =>
  Type.String({
    minLength: 1,
    pattern: STORABLE,
    description: `${what} 1 to ${max} characters, not counting white space around it.`,
  });

export const Person = Type.Object({ id: Uuid, name: Type.String() });
export const Status = Type.Enum([...COMMENT_STATUSES]);

/** A comment as readers see it (interface.md §2.3; contract: "Blog"). Refers to itself, so it has a name. */
export const CommentSchema = Type.Object(
  {
    id: Uuid,
    body: Type.String({ description: 'Plain text; escape it before putting it into a page.' }),
    parentId: Nullable(Type.String({ format: 'uuid', description: 'The comment that it answers.' })),
    status: Status,
    createdAt: DateTime,
    author: Type.Optional(Person),
    deleted: Type.Optional(
      Type.Boolean({ description: 'True for an empty placeholder of a hidden or deleted comment that has replies.' }),
    ),
    moreReplies: Type.Optional(
      Type.Integer({
        description: 'On a top comment: how many replies of its thread this page leaves out. Absent when none.',
      }),
    ),
    replies: Type.Array(Type.Ref('Comment'), { description: 'Oldest first.' }),
  },
  { $id: 'Comment' },
);

export interface Comment {
  id: string;
  body: string;
  parentId: string | null;
  status: 'VISIBLE' | 'HIDDEN';
  createdAt: string;
  author?: { id: string; name: string };
  deleted?: true;
  moreReplies?: number;
  replies: Comment[];
}

export const NewCommentBody = Type.Object(
  {
    body: TrimmedText(COMMENT_MAX, 'Plain text.'),
    parentId: Type.Optional(
      Type.String({ format: 'uuid', description: 'Makes it a reply to this visible comment of the same post.' }),
    ),
  },
  { additionalProperties: false },
);

export const ReportBody = Type.Object(
  { reason: TrimmedText(REASON_MAX, 'What is wrong with it.') },
  { additionalProperties: false },
);
export const Reported = Type.Object({ reported: Type.Literal(true) });

export const CommentSort = Type.Enum(['oldest', 'newest']);
export const ListCommentsQuery = Type.Object({
  sort: Type.Optional(CommentSort),
  ...PageQuery,
});
export type ListCommentsQuery = Static<typeof ListCommentsQuery>;
export const ListRepliesQuery = Type.Object(PageQuery);
export type ListRepliesQuery = Static<typeof ListRepliesQuery>;
