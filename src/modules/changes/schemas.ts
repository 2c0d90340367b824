import { type Static, Type } from 'typebox';
import { CursorQuery, DateTime, Nullable, Uuid } from '../../platform/http/index.ts';
import { ACTIONS, ACTOR_KINDS, THING_KINDS } from './actions.ts';

const Values = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

export const Change = Type.Object(
  {
    id: Uuid,
    at: DateTime,
    action: Type.Enum([...ACTIONS]),
    actor: Type.Object({
      kind: Type.Enum([...ACTOR_KINDS], { description: 'SERVICE: the service by itself, or a setting at its start.' }),
      id: Nullable(Uuid),
      name: Nullable(
        Type.String({
          description: 'What the user or key is called now; null to members for a key of another account.',
        }),
      ),
      hint: Nullable(
        Type.String({ description: 'E-mail address of the user, for operators; the first characters of the key.' }),
      ),
    }),
    account: Nullable(Type.Object({ id: Uuid, name: Type.String({ description: 'As it is called now.' }) })),
    thing: Type.Object({
      kind: Type.Enum([...THING_KINDS]),
      id: Nullable(Uuid),
      name: Type.String({ description: 'As it was called then; of an endpoint, its address.' }),
      isGone: Type.Boolean({ description: 'It was deleted since.' }),
    }),
    before: Values('The fields that were changed, as they were. Secrets and the values of headers are never kept.'),
    after: Values('The same fields afterwards; of what was created, what it was created with.'),
    requestId: Nullable(Type.String()),
  },
  { title: 'Change' },
);
export type Change = Static<typeof Change>;

const filter = {
  actorId: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: 'Made by this user or API key.' })),
  thingId: Type.Optional(
    Type.Unsafe<string>({ ...Uuid, description: 'Of this account, user, key, endpoint or subscription.' }),
  ),
  action: Type.Optional(
    Type.Array(Type.Enum([...ACTIONS]), {
      minItems: 1,
      maxItems: ACTIONS.length,
      description: 'One, or several of them: `action=api_key.created&action=api_key.rotated`.',
    }),
  ),
  since: Type.Optional(Type.Unsafe<string>({ ...DateTime, description: 'Made at this time or later.' })),
  until: Type.Optional(Type.Unsafe<string>({ ...DateTime, description: 'Made before this time.' })),
};
export const AccountChangesQuery = Type.Object({ ...filter, ...CursorQuery });
export type AccountChangesQuery = Static<typeof AccountChangesQuery>;

export const ChangesQuery = Type.Object({
  accountId: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: 'That concern this account.' })),
  ...filter,
  ...CursorQuery,
});
export type ChangesQuery = Static<typeof ChangesQuery>;
