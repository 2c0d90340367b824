import { Type } from 'typebox';
import { DateTime, Uuid } from '../../../platform/http/index.ts';

const FeedItem = Type.Object(
  {
    cursor: Type.String({ description: 'Behind this webhook.' }),
    eventId: Uuid,
    event: Type.String({ description: 'Name of the webhook.' }),
    occurredAt: DateTime,
    headers: Type.Record(Type.String(), Type.String(), {
      description:
        'As a push would carry them, names in lower case: event id, both signatures, made now. None of a delivery, and none of the endpoint’s own.',
    }),
    body: Type.String({ description: 'The exact text that is signed.' }),
  },
  { title: 'FeedItem' },
);

export const FeedSchema = Type.Object(
  {
    data: Type.Array(FeedItem),
    nextCursor: Type.String({ description: 'Where to go on, also when there is nothing now.' }),
    hasMore: Type.Boolean({
      description: 'Whether to go on at once; a page can be short, or empty, and have more behind it.',
    }),
  },
  { title: 'Feed' },
);

/** Of a feed. */
export const FeedCursor = Type.String({ minLength: 1, maxLength: 200, description: 'Of an item, or `nextCursor`.' });

export const AckReply = Type.Object({
  discarded: Type.Integer({ description: 'Held deliveries that were discarded at once.' }),
  hasMore: Type.Boolean({ description: 'Whether there may be more of them; they follow soon.' }),
});
