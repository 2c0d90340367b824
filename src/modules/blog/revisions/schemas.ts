import { type Static, Type } from 'typebox';
import { DateTime, Nullable, PageQuery, Uuid } from '../../../platform/http/index.ts';
import { managedContent } from '../schemas.ts';

/** The largest integer of the database; a version beyond it does not exist. */
const MAX_VERSION = 2_147_483_647;
const Version = (description: string) => Type.Integer({ minimum: 1, maximum: MAX_VERSION, description });

export const RevisionParams = Type.Object({
  id: Uuid,
  number: Version('Number of a revision, or any version of the post that had its content.'),
});

export const ListRevisionsQuery = Type.Object(PageQuery);
export type ListRevisionsQuery = Static<typeof ListRevisionsQuery>;

export const DiffQuery = Type.Object({
  against: Type.Optional(Version('Version of the post to compare with. Default: the present one.')),
});

const row = {
  number: Type.Integer({ description: 'The version that the post got with this content.' }),
  version: Type.Integer({ description: 'The last version of the post with this content.' }),
  title: Nullable(Type.String()),
  words: Type.Integer(),
  savedAt: DateTime,
  savedBy: Type.Object({ id: Uuid, name: Type.String() }),
  autosaved: Type.Boolean(),
  wasPublic: Type.Boolean({ description: 'Readers saw this content.' }),
};

/** An item of the list: without the content. */
export const RevisionSummary = Type.Object(row);
export type RevisionSummary = Static<typeof RevisionSummary>;

export const RevisionDetail = Type.Object({ ...row, ...managedContent, body: Type.String() });
export type RevisionDetail = Static<typeof RevisionDetail>;

const Side = Type.Object({ number: Type.Integer(), version: Type.Integer() });
const Value = Type.Union([Type.String(), Type.Boolean(), Type.Null(), Type.Array(Type.String())]);
const Hunk = Type.Object({
  fromLine: Type.Integer({ description: 'First line in `from`; lines count from 1.' }),
  fromCount: Type.Integer(),
  toLine: Type.Integer(),
  toCount: Type.Integer(),
  lines: Type.Array(Type.String(), { description: 'Each begins with a space (in both), `-` (from) or `+` (to).' }),
});

export const RevisionDiff = Type.Object({
  from: Side,
  to: Side,
  fields: Type.Array(Type.Object({ field: Type.String(), from: Value, to: Value }), {
    description: 'Fields other than the body that differ.',
  }),
  body: Type.Object({
    added: Type.Integer({ description: 'Lines.' }),
    removed: Type.Integer({ description: 'Lines.' }),
    exact: Type.Boolean({
      description: 'False: too different; everything from the first to the last difference is shown as replaced.',
    }),
    hunks: Type.Array(Hunk),
  }),
});
export type RevisionDiff = Static<typeof RevisionDiff>;
