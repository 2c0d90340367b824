import { Type } from 'typebox';
import { DEAD_LETTER_ERROR_CLASSES } from '../deliveries/error-classes.ts';
import { DateTime, Nullable, Uuid } from '../../../platform/http/index.ts';
import { nameProperties } from '../endpoints/schemas.ts';
import { MOST_COUNTED, MOST_LOOKED_AT } from './store.ts';

/** What is looked for; groups have plain text, since rows of other versions may have other classes. */
export const DeadLetterErrorClass = Type.Unsafe<string>({
  title: 'DeadLetterErrorClass',
  type: 'string',
  enum: [...DEAD_LETTER_ERROR_CLASSES],
});

const End = Type.Object({
  deliveryId: Uuid,
  event: Type.String({ description: 'Name of the webhook.' }),
  createdAt: DateTime,
});

export const DeadLetterGroupSchema = Type.Object(
  {
    accountId: Uuid,
    endpointId: Uuid,
    endpointUrl: nameProperties.endpointUrl,
    endpointIsDeleted: Type.Boolean({ description: 'Nothing can be sent there any more: a replay leaves these out.' }),
    errorClass: Type.String({ description: 'Why the last attempt of each failed.' }),
    count: Type.Integer({ description: `Up to ${MOST_COUNTED} for each webhook.` }),
    countIsExact: Type.Boolean({ description: 'False: there are more, or may be.' }),
    replayed: Type.Object({
      count: Type.Integer({
        description:
          'Those of which a later replay that sends the same again has arrived or is under way, as far as one is stored. `skipReplayed` leaves these out, and of others that send the same again all but one.',
      }),
      of: Type.Integer({
        description: `So many were looked at: of each webhook the newest ${MOST_LOOKED_AT}. Replays of tests are not known.`,
      }),
    }),
    oldest: End,
    newest: End,
    lastMessage: Nullable(Type.String({ description: 'What the last attempt of the newest one said.' })),
  },
  { title: 'DeadLetterGroup' },
);
