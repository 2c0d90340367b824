import { Type } from 'typebox';
import type { Caller } from '../../../contracts/caller.ts';
import { AppError, invalid, noSuch, noSuchAccount } from '../../../contracts/errors.ts';
import { afterCommit, type Db, type Env, type Trx } from '../../../platform/db/index.ts';
import {
  type AnyRoute,
  CursorQuery,
  cursorPageOf,
  idOfCursor,
  IdParams,
  read,
  toCursorPage,
  Uuid,
  write,
} from '../../../platform/http/index.ts';
import { findEvent } from '../../events/index.ts';
import { checkFilter } from '../deliveries/list-deliveries.ts';
import { selectNames } from '../endpoints/store.ts';
import { seenAccounts } from '../seen-accounts.ts';
import { accountOf, accountsOf, createJob, type JobDeps, type JobInput, previewJob } from './create-job.ts';
import { DiscardBody, JobSchema, jobView, PreviewSchema, ReplayBody } from './schemas.ts';
import { cancelRunning, hasHadEndpoint, type JobRow, selectJob, selectJobs } from './store.ts';

const common = { access: { account: 'webhooks:manage' }, tag: 'Deliveries' } as const;
const AccountQuery = Type.Object({ accountId: Type.Optional(Uuid) });
const replies = { 200: PreviewSchema, 202: JobSchema };
const WHOSE =
  'Of the account `accountId`, which who can act for several has to name; operators and keys with scope `admin` may leave it out: of all accounts.';

export type JobRoutesDeps = JobDeps & { wakeJobs(): void };

/** The job if the caller may see it, else NOT_FOUND. */
async function findJob(deps: JobDeps, db: Db | Trx, caller: Caller, id: string): Promise<JobRow> {
  const job = await selectJob(db, id);
  const accounts = deps.visibleAccounts(caller);
  const isVisible = accounts === 'all' || (job?.account_id != null && accounts.includes(job.account_id));
  if (!job || !isVisible) throw noSuch('job', id);
  return job;
}

/** Jobs as they are told, with the endpoints that they are about. */
async function viewsOf(db: Db | Trx, jobs: readonly JobRow[]): Promise<ReturnType<typeof jobView>[]> {
  const names = await selectNames(
    db,
    jobs.flatMap(({ filter }) => filter.endpointId ?? []),
  );
  return jobs.map((job) => jobView(job, names.get(job.filter.endpointId ?? '')));
}

async function viewOf(db: Db | Trx, job: JobRow): Promise<ReturnType<typeof jobView>> {
  const [view] = await viewsOf(db, [job]);
  return view as ReturnType<typeof jobView>;
}

interface Asked {
  input: JobInput & { dryRun?: boolean };
  caller: Caller;
  accountId: string | undefined;
  env: Env;
}

/** A job that would find nothing, by a mistake in its filter, is none: whoever repairs something relies on what it did. */
const noneOf = (field: 'endpointId' | 'eventId', what: string, accountId: string | null): AppError =>
  invalid({
    path: `body.filter.${field}`,
    message: accountId === null ? `is not ${what}` : `is not ${what} of this account`,
  });

async function checkNamed(
  trx: Trx,
  { endpointId, eventId }: JobInput['filter'],
  account: string | null,
): Promise<void> {
  if (endpointId !== undefined && !(await hasHadEndpoint(trx, endpointId, account)))
    throw noneOf('endpointId', 'an endpoint', account);
  if (eventId !== undefined && !(await findEvent(trx, eventId, accountsOf(account))))
    throw noneOf('eventId', 'an event', account);
}

async function begin(deps: JobRoutesDeps, trx: Trx, { input, caller, accountId, env }: Asked) {
  const { dryRun, ...job } = input;
  checkFilter(job.filter, 'body.filter');
  const account = accountOf(deps, caller, accountId);
  if (account !== null && (await deps.accountType(trx, account)) === null) throw noSuchAccount();
  await checkNamed(trx, job.filter, account);
  const asked = { ...job, retentionDays: deps.retentionDays };
  if (dryRun) return { status: 200, body: await previewJob(trx, asked, account) };
  const made = await createJob(trx, asked, account, env);
  afterCommit(trx, () => deps.wakeJobs());
  return { status: 202, body: await viewOf(trx, made) };
}

export const jobRoutes = (deps: JobRoutesDeps): AnyRoute[] => [
  write({
    ...common,
    method: 'POST',
    path: '/v1/webhooks/deliveries/replay',
    operationId: 'replayDeliveries',
    summary: 'Replay all that fit a filter, or count them',
    description: `A job: 202, and it is done in portions, also after a restart. It goes over what was made before it, oldest first; each that still has the status gets a new delivery. ${WHOSE}`,
    schemas: { query: AccountQuery, body: ReplayBody, replies },
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    handle: (trx, { body, query, caller, env }) =>
      begin(deps, trx, {
        input: { kind: 'REPLAY', ...body },
        caller,
        accountId: query.accountId,
        env,
      }),
  }),
  write({
    ...common,
    method: 'POST',
    path: '/v1/webhooks/deliveries/discard',
    operationId: 'discardDeliveries',
    summary: 'Discard all that fit a filter, or count them',
    description: `As the replay of many: a job of kind DISCARD. ${WHOSE}`,
    schemas: { query: AccountQuery, body: DiscardBody, replies },
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    handle: (trx, { body, query, caller, env }) =>
      begin(deps, trx, {
        input: { kind: 'DISCARD', ...body },
        caller,
        accountId: query.accountId,
        env,
      }),
  }),
  read({
    ...common,
    method: 'GET',
    path: '/v1/webhooks/replays',
    operationId: 'listReplays',
    summary: 'Jobs that replay or discard many deliveries, newest first',
    schemas: {
      query: Type.Object({ ...AccountQuery.properties, ...CursorQuery }),
      replies: { 200: cursorPageOf(JobSchema) },
    },
    errors: ['NOT_FOUND'],
    async handle(db, { query: { accountId, cursor, limit }, caller }) {
      const accounts = seenAccounts(deps, caller, accountId);
      const rows = await selectJobs(db, { accounts, before: idOfCursor(cursor), limit: limit + 1 });
      const { data, nextCursor } = toCursorPage(rows, limit);
      return { status: 200, body: { data: await viewsOf(db, data), nextCursor } };
    },
  }),
  read({
    ...common,
    method: 'GET',
    path: '/v1/webhooks/replays/{id}',
    operationId: 'getReplay',
    summary: 'How far a job is',
    schemas: { params: IdParams, replies: { 200: JobSchema } },
    errors: ['NOT_FOUND'],
    handle: async (db, { params, caller }) => ({
      status: 200,
      body: await viewOf(db, await findJob(deps, db, caller, params.id)),
    }),
  }),
  write({
    ...common,
    method: 'POST',
    path: '/v1/webhooks/replays/{id}/cancel',
    operationId: 'cancelReplay',
    summary: 'End a job between two portions; what it has done stays done',
    schemas: { params: IdParams, replies: { 200: JobSchema } },
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    async handle(trx, { params, caller, env }) {
      const job = await findJob(deps, trx, caller, params.id);
      if (!(await cancelRunning(trx, job.id, env.now)) && job.state !== 'CANCELLED') {
        throw new AppError('INVALID_STATE', { message: `The job is ${job.state}.` });
      }
      return { status: 200, body: await viewOf(trx, await findJob(deps, trx, caller, params.id)) };
    },
  }),
];
