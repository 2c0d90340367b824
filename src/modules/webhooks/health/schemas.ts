import { Type } from 'typebox';
import { DateTime, Nullable, Uuid } from '../../../platform/http/index.ts';

/** It stops counting here. */
export const COUNTED_UP_TO = 10_000;

const Attempts = Type.Object(
  {
    attempts: Type.Integer(),
    failures: Type.Integer(),
    successRate: Nullable(Type.Number({ description: '0 to 1; null without attempts.' })),
    p50Ms: Nullable(Type.Integer({ description: 'Half of the attempts took no longer, to within a fifth.' })),
    p95Ms: Nullable(Type.Integer({ description: 'Of twenty attempts one took longer, to within a fifth.' })),
  },
  { title: 'AttemptCounts' },
);

const Counted = Type.Integer({ description: `${COUNTED_UP_TO} means this many or more.` });

export const EndpointHealthSchema = Type.Object(
  {
    endpointId: Uuid,
    status: Type.Union([Type.Literal('ACTIVE'), Type.Literal('PAUSED'), Type.Literal('DISABLED')]),
    statusReason: Nullable(Type.String()),
    lastHour: Attempts,
    lastDay: Attempts,
    lastSuccessAt: Nullable(DateTime),
    lastFailure: Nullable(
      Type.Object({ at: DateTime, errorClass: Nullable(Type.String()), httpStatus: Nullable(Type.Integer()) }),
    ),
    failingSince: Nullable(
      Type.String({ format: 'date-time', description: 'Nothing but failures came back since; known after a minute.' }),
    ),
    disabledWhenFailingUntil: Nullable(
      Type.String({
        format: 'date-time',
        description: 'A failure from then on disables it, unless it succeeds before.',
      }),
    ),
    disabledAt: Nullable(DateTime),
    probe: Type.Object({
      state: Type.Union([Type.Literal('NONE'), Type.Literal('SCHEDULED'), Type.Literal('UNDER_WAY')], {
        description:
          'Of a DISABLED endpoint: SCHEDULED for `at`, or as soon as something is held after that; NONE waits for a resume.',
      }),
      at: Nullable(DateTime),
      failed: Type.Integer({ description: 'Failed ones since it was disabled.' }),
    }),
    pending: Counted,
    held: Counted,
    dead: Counted,
    oldestPending: Nullable(
      Type.Object(
        { createdAt: DateTime, nextAttemptAt: DateTime },
        { description: 'Of those that wait for their time, the one that is due first.' },
      ),
    ),
  },
  { title: 'WebhookEndpointHealth' },
);
