import { type RawBuilder, sql } from 'kysely';
import { TIME_LENGTH } from './delivery-id.ts';

/**
 * Whether a delivery (`d`, with the fields id, event_id, event_position and webhook) of the endpoint `e` was read from its feed. Only what the
 * fan-out made stands there: what somebody had sent on purpose has an id of its own time, and is neither in the feed nor ended by it. Nor is what the
 * endpoint had subscribed to and has not any more: the feed goes by what it subscribes to now.
 */
export const wasPulled = (d: 'c' | 'd'): RawBuilder<boolean> => {
  const time = (column: string) => sql`left(${sql.ref(`${d}.${column}`)}::text, ${sql.lit(TIME_LENGTH)})`;
  return sql`coalesce(${sql.ref(`${d}.event_position`)} <= e.pulled_position and ${time('id')} = ${time('event_id')}
    and (e.events is null or ${sql.ref(`${d}.webhook`)} = any(e.events)), false)`;
};
