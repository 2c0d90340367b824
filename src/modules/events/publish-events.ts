import { AppError, type ErrorDetail, invalidAll } from '../../contracts/errors.ts';
import { eventFault, isInternalEvent, validateEventData } from '../../contracts/events/index.ts';
import { databaseTime, type Db, type Env } from '../../platform/db/index.ts';
import { findReply, type IdempotencyClaim, type Reply } from '../../platform/http/index.ts';
import type { Cipher } from '../../lib/cipher.ts';
import type { Ingest } from './ingest.ts';
import type { LagBudget } from './lag-budget.ts';
import { type EventInput, MAX_BATCH, type PublishBody } from './schemas.ts';
import type { NewEvent } from './types.ts';

export interface PublishEventsDeps {
  db: Db;
  cipher: Cipher;
  ingest: Ingest;
  lagBudget: Pick<LagBudget, 'check'>;
  /** Those of the ids that are no accounts. */
  missingAccounts(db: Db, ids: readonly string[] | ReadonlySet<string>): Promise<readonly string[]>;
}

/** How far a publisher's clock may be ahead of ours: no clock that is merely wrong keeps events out, a mistaken year does. Milliseconds. */
const AHEAD_MS = 24 * 3_600_000;

/**
 * The latest `occurredAt` that is taken: by the later of the node's clock and the database's. That is asked only where the node's refuses one: it may be the node that is
 * days behind, and no publisher repeats what is answered 400.
 */
async function latestOccurrence(db: Db, inputs: readonly EventInput[], now: Date): Promise<number> {
  const latest = now.getTime() + AHEAD_MS;
  const fits = inputs.every(({ occurredAt }) => occurredAt === undefined || !(Date.parse(occurredAt) > latest));
  return fits ? latest : Math.max(latest, (await databaseTime(db)) + AHEAD_MS);
}

function toNewEvent(
  input: EventInput,
  { path, latest }: { path: string; latest: number },
  env: Env,
  faults: ErrorDetail[],
): NewEvent | null {
  if (!isInternalEvent(input.event)) {
    faults.push({ path: `${path}.event`, message: eventFault(input.event) as string });
    return null;
  }
  const own = validateEventData(input.event, input.data, `${path}.data`);
  faults.push(...own);
  const occurredAt = input.occurredAt === undefined ? env.now : new Date(input.occurredAt);
  if (occurredAt.getTime() > latest) {
    faults.push({
      path: `${path}.occurredAt`,
      message: `is more than a day ahead: it is ${new Date(latest - AHEAD_MS).toISOString()} here`,
    });
  }
  return {
    id: env.newId(),
    event: input.event,
    data: input.data,
    // As the database writes them: readers in memory compare text, and one account must not count twice.
    accountIds: [...new Set(input.accountIds.map((id) => id.toLowerCase()))],
    occurredAt,
    requestId: env.requestId,
    causedBy: null,
  };
}

async function checkAccounts(
  deps: PublishEventsDeps,
  inputs: readonly EventInput[],
  paths: readonly string[],
  faults: ErrorDetail[],
): Promise<void> {
  const [{ accountIds }] = inputs as readonly [EventInput];
  const asked = inputs.length === 1 ? accountIds : new Set(inputs.flatMap((input) => input.accountIds));
  const missing = new Set(await deps.missingAccounts(deps.db, asked));
  if (missing.size === 0) return;
  for (const [i, input] of inputs.entries()) {
    for (const [j, id] of input.accountIds.entries()) {
      if (missing.has(id)) faults.push({ path: `${paths[i]}.accountIds.${j}`, message: 'there is no such account' });
    }
  }
}

/** What a list of events as the body has to be told beside that it must be an object. */
const AS_BATCH: ErrorDetail = { path: 'body.events', message: 'holds a batch, as {"events": [{…}, {…}]}' };

/** Names of events that there are not, in a body that may be anything, and how a batch is sent, of one that is a bare list. */
export function unknownNames(body: unknown): ErrorDetail[] {
  if (Array.isArray(body)) return [AS_BATCH];
  const { events } = (body ?? {}) as { events?: unknown };
  const inputs: unknown[] = Array.isArray(events) ? events.slice(0, MAX_BATCH) : [body];
  return inputs.flatMap((input, i) => {
    const { event } = (input ?? {}) as { event?: unknown };
    const fault = typeof event === 'string' ? eventFault(event) : null;
    return fault === null ? [] : [{ path: `body.${Array.isArray(events) ? `events.${i}.` : ''}event`, message: fault }];
  });
}

/** What a batch says once for all of its events would be lost. */
const besidesBatch = (body: PublishBody): ErrorDetail[] =>
  Object.keys(body)
    .filter((name) => name !== 'events')
    .map((name) => ({ path: `body.${name}`, message: 'is said by each event of a batch' }));

/**
 * Takes one event or a batch, all or nothing, and answers after the commit: a 202 means that the events are in the
 * audit trail (contract: "Internal events"). Throws VALIDATION_ERROR naming every misfit, UNAVAILABLE
 * when too much waits for its commit, or for its delivery.
 */
export async function publishEvents(
  deps: PublishEventsDeps,
  body: PublishBody,
  env: Env,
  claim: IdempotencyClaim | undefined,
): Promise<Reply> {
  await deps.lagBudget.check();
  const single = body.events === undefined;
  const inputs = single ? [body as EventInput] : (body.events as EventInput[]);
  const paths = inputs.map((_, i) => (single ? 'body' : `body.events.${i}`));
  const faults = single ? [] : besidesBatch(body);
  const latest = await latestOccurrence(deps.db, inputs, env.now);
  const events = inputs.map((input, i) => toNewEvent(input, { path: paths[i] as string, latest }, env, faults));
  await checkAccounts(deps, inputs, paths, faults);
  if (faults.length > 0) throw invalidAll(faults);
  const taken = events as NewEvent[];
  const reply: Reply = { status: 202, body: { data: taken.map((e) => ({ id: e.id, event: e.event })) } };
  const outcome = await deps.ingest.add(taken, claim && { claim, reply });
  if (outcome === 'committed') return reply;
  const earlier = claim && (await findReply(deps.db, claim, env.now, deps.cipher));
  if (!earlier) throw new AppError('IDEMPOTENCY_IN_PROGRESS', { headers: { 'retry-after': '1' } });
  return earlier;
}
