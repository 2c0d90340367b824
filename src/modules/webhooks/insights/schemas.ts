import { Type } from 'typebox';
import { DateTime, Nullable, Uuid, windowProperties } from '../../../platform/http/index.ts';

const Outcomes = {
  total: Type.Integer(),
  delivered: Type.Integer(),
  pending: Type.Integer({ description: 'Waiting for their next attempt.' }),
  held: Type.Integer({ description: 'Kept, since their endpoint is paused or disabled.' }),
  dead: Type.Integer({ description: 'Dead letters.' }),
  discarded: Type.Integer(),
  attempts: Type.Integer(),
  failedAttempts: Type.Integer(),
  successRate: Nullable(
    Type.Number({
      description:
        'Delivered of those that were delivered or are dead, 0 to 1; null when there are none. What was discarded counts as neither.',
    }),
  ),
};

const Percentiles = Nullable(Type.Object({ p50: Type.Number(), p95: Type.Number() }, { title: 'Percentiles' }));

const Durations = { attemptMs: Percentiles, deliveredAfterMs: Percentiles };

const OldestPending = Type.Object({
  id: Uuid,
  event: Type.String(),
  endpointId: Uuid,
  attempts: Type.Integer(),
  createdAt: DateTime,
  nextAttemptAt: Nullable(DateTime),
});

export const DeliveryInsightsSchema = Type.Object(
  {
    ...windowProperties(),
    ...Outcomes,
    ...Durations,
    sampled: Type.Integer({
      description:
        'Deliveries of which `attemptMs` (how long an attempt took) and `deliveredAfterMs` (from the making of a delivery to its arrival) were computed: all of them, or of more than some thousands a part, picked by chance in each bucket.',
    }),
    deadLetters: Type.Array(Type.Object({ reason: Nullable(Type.String()), count: Type.Integer() }), {
      description: 'Why their last attempt failed, most frequent first.',
    }),
    oldestPending: Type.Union([OldestPending, Type.Null()], {
      description: 'Of all that wait now, whenever they were made.',
    }),
    groups: Type.Array(Type.Object({ endpointId: Nullable(Uuid), event: Nullable(Type.String()), ...Outcomes }), {
      description: 'With `groupBy`: the whole window by endpoint or event, most dead letters first, 100 at most.',
    }),
    data: Type.Array(Type.Object({ start: DateTime, ...Outcomes, ...Durations }), {
      description: 'Every bucket in order, also without deliveries. The first and the last may be cut by the window.',
    }),
  },
  { title: 'DeliveryInsights' },
);
