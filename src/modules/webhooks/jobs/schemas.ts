import { type Static, Type } from 'typebox';
import { DateTime, Nullable, Uuid } from '../../../platform/http/index.ts';
import type { EndpointName } from '../endpoints/store.ts';
import { filterProperties, Reason } from '../deliveries/schemas.ts';
import type { JobRow } from './store.ts';

/** A receiver that comes back should not be flooded by what it has missed. Replays a second. */
export const DEFAULT_RATE = 50;
export const MAX_RATE = 1000;

const oneOf = <T extends string>(...values: readonly T[]) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], description: 'What is replayed or discarded has this status.' });

/** Of the dead letters of a day that somebody wants again, or not at all, a status is always known. */
const filterOf = <T extends string>(...statuses: readonly T[]) =>
  Type.Object({ status: oneOf(...statuses), ...filterProperties }, { additionalProperties: false });

const dryRun = Type.Optional(Type.Boolean({ description: 'Only tell how many there are; nothing is done.' }));

export const ReplayBody = Type.Object(
  {
    filter: filterOf('DEAD', 'PENDING', 'HELD', 'DELIVERED', 'DISCARDED'),
    ratePerSecond: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_RATE, description: `Replays a second, default ${DEFAULT_RATE}.` }),
    ),
    skipReplayed: Type.Optional(
      Type.Boolean({
        description:
          'Leave out what was replayed and has arrived or is under way, also by a replay of a replay, or by a later one of the same original. Of a dead letter whose replays are dead letters, too, one is made.',
      }),
    ),
    dryRun,
  },
  { additionalProperties: false },
);
export const DiscardBody = Type.Object(
  { filter: filterOf('DEAD', 'HELD', 'PENDING'), reason: Reason, dryRun },
  { additionalProperties: false },
);

export const JobFilterSchema = Type.Object(
  {
    status: Type.String(),
    event: Type.Optional(Type.String()),
    eventId: Type.Optional(Uuid),
    endpointId: Type.Optional(Uuid),
    errorClass: Type.Optional(Type.String()),
    tradeSessionId: Type.Optional(Type.String()),
    since: Type.Optional(DateTime),
    until: Type.Optional(DateTime),
  },
  { title: 'DeliveryFilter' },
);

const States = Type.Unsafe<JobRow['state']>({
  title: 'DeliveryJobState',
  type: 'string',
  enum: ['RUNNING', 'COMPLETED', 'CANCELLED', 'FAILED'],
});

export const JobSchema = Type.Object(
  {
    id: Uuid,
    kind: Type.Unsafe<JobRow['kind']>({ type: 'string', enum: ['REPLAY', 'DISCARD'] }),
    state: States,
    accountId: Nullable(Type.Unsafe<string>({ ...Uuid, description: 'null: all accounts.' })),
    filter: JobFilterSchema,
    endpointUrl: Nullable(
      Type.String({ description: 'Address of the endpoint of `filter`; of one that is deleted the last one.' }),
    ),
    endpointIsDeleted: Type.Boolean({ description: 'The endpoint of `filter` is.' }),
    reason: Nullable(Type.String({ description: 'Of a DISCARD.' })),
    ratePerSecond: Nullable(Type.Integer({ description: 'Of a REPLAY.' })),
    skipReplayed: Type.Boolean(),
    total: Type.Integer({
      description:
        'How many it was told to do, as counted when it was made, or more where it came to more. Of one that is COMPLETED: what it came to and was to do, done or not (`CHANGED`, `UNDER_WAY`); with `skipReplayed` what it did.',
    }),
    totalIsExact: Type.Boolean({ description: 'False: there may be more than `total`.' }),
    done: Type.Integer({ description: 'Replayed or discarded so far.' }),
    skipped: Type.Record(Type.String(), Type.Integer(), {
      description:
        'Left out so far, by reason: `CHANGED` (it has another status by now), `ENDPOINT_DELETED`, `EXPIRED` (past its retention), `REPLAYED`, `UNDER_WAY`.',
    }),
    error: Nullable(
      Type.String({ description: 'What went wrong last; a job that fails eight times in a row is FAILED.' }),
    ),
    requestId: Type.String(),
    createdAt: DateTime,
    startedAt: Nullable(DateTime),
    endedAt: Nullable(DateTime),
  },
  { title: 'DeliveryJob' },
);

export const PreviewSchema = Type.Object(
  {
    count: Type.Integer({
      description:
        'Deliveries that fit, without those that are past their retention, those that `skipReplayed` leaves out, and for a replay those of deleted endpoints.',
    }),
    countIsExact: Type.Boolean({ description: 'False: not all were looked at, and there may be more.' }),
    endpoints: Type.Array(Type.Object({ endpointId: Uuid, count: Type.Integer() }), {
      description: 'The 100 with most of them.',
    }),
  },
  { title: 'DeliveryJobPreview' },
);
export type Preview = Static<typeof PreviewSchema>;

const NOT_DONE = 'nothing of the portion was done';

/** What went wrong last, and what becomes of it. What the database says of a fault is for the log. */
function errorOf({ error, state, kind }: JobRow): string | null {
  if (error === null) return null;
  if (state === 'RUNNING') return `The job failed at a portion, and tries it again; ${NOT_DONE}.`;
  if (state !== 'FAILED') return `The job failed at a portion before it was ${state.toLowerCase()}; ${NOT_DONE}.`;
  const another = kind === 'REPLAY' ? ', leaving out what was replayed already' : '';
  return `The job failed at a portion each time that it tried it, and was given up; what it did before stays done. Begin another with the same filter${another}.`;
}

export const jobView = (row: JobRow, endpoint: EndpointName | undefined): Static<typeof JobSchema> => ({
  id: row.id,
  kind: row.kind,
  state: row.state,
  accountId: row.account_id,
  filter: row.filter,
  endpointUrl: endpoint?.url ?? null,
  endpointIsDeleted: endpoint?.isDeleted ?? false,
  reason: row.reason,
  ratePerSecond: row.rate_per_second,
  skipReplayed: row.skip_replayed,
  total: row.total,
  totalIsExact: row.total_is_exact,
  done: row.done,
  skipped: row.skipped,
  error: errorOf(row),
  requestId: row.request_id,
  createdAt: row.created_at.toISOString(),
  startedAt: row.started_at?.toISOString() ?? null,
  endedAt: row.ended_at?.toISOString() ?? null,
});
