import { type Static, Type } from 'typebox';
import { CursorQuery, DateTime, Nullable, PageQuery, Uuid } from '../../../platform/http/index.ts';
import { Person, Status } from '../comments/schemas.ts';
import { REASON_MAX } from '../comments/rules.ts';
import { FilterText, STORABLE } from '../schemas.ts';

const PostRef = Type.Object({ id: Uuid, slug: Nullable(Type.String()), title: Nullable(Type.String()) });

const managed = {
  id: Uuid,
  body: Type.String(),
  parentId: Nullable(Uuid),
  status: Status,
  createdAt: DateTime,
  author: Person,
  post: PostRef,
  reportCount: Type.Integer({ description: 'Reports that no moderator has decided on.' }),
  heldReason: Nullable(Type.String({ description: 'Why a rule holds it; null when none does.' })),
};

/** A comment as moderators see it. */
export const ManagedComment = Type.Object(managed);
export type ManagedComment = Static<typeof ManagedComment>;

const Report = Type.Object({
  reason: Type.String(),
  reporter: Person,
  createdAt: DateTime,
  open: Type.Boolean({ description: 'False once a moderator decided on the comment.' }),
});
export const ManagedCommentDetail = Type.Object({
  ...managed,
  reports: Type.Array(Report, { description: 'The latest 100, newest first.' }),
});
export type ManagedCommentDetail = Static<typeof ManagedCommentDetail>;

export const ListManagedCommentsQuery = Type.Object({
  status: Type.Optional(Status),
  postId: Type.Optional(Uuid),
  reported: Type.Optional(Type.Literal(true, { description: 'Only those with open reports.' })),
  ...PageQuery,
});
export type ListManagedCommentsQuery = Static<typeof ListManagedCommentsQuery>;

const decision = {
  status: Status,
  reason: Type.Optional(
    Type.String({
      pattern: STORABLE,
      maxLength: REASON_MAX,
      description: 'For the moderation log.',
    }),
  ),
};
export const Decision = Type.Object(decision, { additionalProperties: false });
export type Decision = Static<typeof Decision>;

export const BulkDecision = Type.Object(
  { ids: Type.Array(Uuid, { minItems: 1, maxItems: 100 }), ...decision },
  { additionalProperties: false },
);
export const BulkOutcome = Type.Object({
  data: Type.Array(
    Type.Object({
      id: Uuid,
      outcome: Type.Enum(['CHANGED', 'UNCHANGED', 'NOT_FOUND']),
      status: Nullable(Status),
    }),
    { description: 'One for each id of the request, in its order.' },
  ),
});
export type BulkOutcome = Static<typeof BulkOutcome>;

export const ModerationEntry = Type.Object({
  id: Uuid,
  commentId: Uuid,
  post: Nullable(PostRef),
  author: Nullable(Person),
  actor: Nullable(Person),
  rule: Nullable(Type.String()),
  from: Nullable(Status),
  to: Status,
  reason: Nullable(Type.String()),
  createdAt: DateTime,
});
export type ModerationEntry = Static<typeof ModerationEntry>;
export const ModerationLogQuery = Type.Object({ commentId: Type.Optional(Uuid), ...CursorQuery });
export type ModerationLogQuery = Static<typeof ModerationLogQuery>;

const settings = {
  preModeration: Type.Boolean({ description: 'Every comment waits until a moderator shows it.' }),
  maxLinks: Type.Integer({ minimum: 0, maximum: 1000, description: 'A comment with more links is held.' }),
  repeatSeconds: Type.Integer({
    minimum: 0,
    maximum: 2_592_000,
    description:
      'A text that its author has written within this time is held, one of less than 30 characters (10 in scripts without spaces) without an address, @ or a digit only on the same post; 0: never. Seconds.',
  }),
  blockedWords: Type.Array(FilterText(100, 'A word or phrase.'), {
    maxItems: 1000,
    description:
      'Words and phrases that are held. Case, accents and spacing make no difference; a `*` at an end matches inside ' +
      'of words too.',
  }),
};
export const CommentSettings = Type.Object({
  ...settings,
  updatedAt: Nullable(DateTime),
  updatedBy: Nullable(Person),
});
export type CommentSettings = Static<typeof CommentSettings>;
export const CommentSettingsChange = Type.Partial(Type.Object(settings), { additionalProperties: false });
export type CommentSettingsChange = Static<typeof CommentSettingsChange>;
