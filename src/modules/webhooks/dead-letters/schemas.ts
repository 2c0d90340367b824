import { Type } from 'typebox';
import { DateTime, Nullable, Uuid } from '../../../platform/http/index.ts';
import { MOST_COUNTED } from './store.ts';

const End = Type.Object({
  deliveryId: Uuid,
  event: Type.String({ description: 'Name of the webhook.' }),
  createdAt: DateTime,
});

export const DeadLetterGroupSchema = Type.Object(
  {
    accountId: Uuid,
    endpointId: Uuid,
    endpointIsDeleted: Type.Boolean({ description: 'Nothing can be sent there any more: a replay leaves these out.' }),
    errorClass: Type.String({ description: 'Why the last attempt of each failed.' }),
    count: Type.Integer({ description: `Up to ${MOST_COUNTED} for each webhook.` }),
    countIsExact: Type.Boolean({ description: 'False: there are more, or may be.' }),
    oldest: End,
    newest: End,
    lastMessage: Nullable(Type.String({ description: 'What the last attempt of the newest one said.' })),
  },
  { title: 'DeadLetterGroup' },
);
