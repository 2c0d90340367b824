import { type AnyCaller, credentialId } from '../../contracts/caller.ts';
import { AppError } from '../../contracts/errors.ts';
import type { Cipher } from '../../lib/cipher.ts';
import { inTransaction, isRetryable } from '../db/index.ts';
import type { Db, Env, Trx } from '../db/types.ts';
import { nobodyId } from './caller.ts';
import { envelope, toAppError } from './errors.ts';
import { claimOf, findReply, lockKey, storeReply } from './idempotency/idempotency.ts';
import type { AnyRoute, IdempotencyClaim, Reply } from './route.ts';

/** A deadlock's loser runs again at most this often. */
const RETRIES = 3;

export interface RunnerDeps {
  db: Db;
  cipher: Cipher;
  /** The reply that was stored under a key, if there is one. */
  findReply: (claim: IdempotencyClaim, now: Date) => Promise<Reply | null>;
}

export interface RunInput {
  params: unknown;
  query: unknown;
  body: unknown;
  caller: AnyCaller;
  env: Env;
  headers: Readonly<Record<string, string | undefined>>;
  listening: () => string;
  hasLeft: () => boolean;
  rawBody?: string;
  misfit?: AppError;
  refusal?: AppError;
  url: string;
  /** Address of the client. */
  ip: string;
}

/** Keys of requests that this process is running now. */
export type RunningKeys = Set<string>;

/** Runs a transaction, again when it lost a deadlock. */
export async function retrying<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt > RETRIES || !isRetryable(error)) throw error;
    }
  }
}

/**
 * Failures that are an answer to this very request, and so are given again for the same key. No redirection is: whoever
 * follows it sends the key along, to another address. Nor is 412, which did nothing: the next try may name the present version.
 */
const isStored = (error: unknown): error is AppError =>
  error instanceof AppError &&
  error.status >= 400 &&
  error.status < 500 &&
  ![400, 401, 412, 429].includes(error.status) &&
  !error.code.startsWith('IDEMPOTENCY');

async function runKeyed(deps: RunnerDeps, route: AnyRoute, input: RunInput, claim: IdempotencyClaim): Promise<Reply> {
  const options = { now: input.env.now, cipher: deps.cipher, secret: route.secretReply === true };
  if (route.kind === 'write') route.checkRight?.(input as never);
  const before = await deps.findReply(claim, input.env.now);
  if (before) return before;
  const effect = async (trx: Trx): Promise<Reply> => {
    if (!(await lockKey(trx, claim))) throw inProgress();
    const earlier = await findReply(trx, claim, input.env.now, deps.cipher);
    if (earlier) return earlier;
    const reply = await (route as Extract<AnyRoute, { kind: 'write' }>).handle(trx, input as never);
    // A node that failed with this key stores that without the lock, and may have done so since.
    if (!(await storeReply(trx, claim, reply, options))) throw inProgress();
    return reply;
  };
  try {
    if (route.kind === 'batch') return await route.handle(deps.db, input as never, claim);
    return await retrying(() => inTransaction(deps.db, effect));
  } catch (error) {
    if (isStored(error)) {
      const body = envelope(error, input.env.requestId);
      await storeReply(deps.db, claim, { status: error.status, body, headers: { ...error.headers } }, options);
    }
    throw error;
  }
}

/** What an Idempotency-Key is good for, besides credential and method. */
async function keyRoute(route: AnyRoute, input: RunInput): Promise<string> {
  if (route.resourceOf) return `${route.path} ${await route.resourceOf(input.params)}`;
  return route.keyPerResource
    ? `${route.path} ${Object.values(input.params as Record<string, string>).join(' ')}`
    : route.path;
}

const inProgress = (): AppError => new AppError('IDEMPOTENCY_IN_PROGRESS', { headers: { 'retry-after': '1' } });

/**
 * Whose keys these are. Without a credential it is a digest of address and e-mail: two people who choose the same key do
 * not meet, and the table holds neither.
 */
const claimantOf = ({ cipher }: RunnerDeps, { caller, ip, body }: RunInput): string =>
  caller.kind === 'nobody' ? `nobody:${cipher.digest(nobodyId(ip, body))}` : credentialId(caller);

/** A failure that is given again answers the present request, so it carries that one's id, as `X-Request-Id` does. */
function answerNow(reply: Reply, requestId: string): Reply {
  if (reply.status < 400 || reply.headers?.['idempotency-replayed'] === undefined) return reply;
  const { error } = reply.body as { error: object };
  return { ...reply, body: { error: { ...error, requestId } } };
}

/** The claim of the request's Idempotency-Key, if it has one; throws VALIDATION_ERROR, and what `resourceOf` does. */
async function claimFor(deps: RunnerDeps, route: AnyRoute, input: RunInput): Promise<IdempotencyClaim | undefined> {
  const key = input.headers['idempotency-key'];
  if (key === undefined) return undefined;
  const scope = { credential: claimantOf(deps, input), method: route.method, route: await keyRoute(route, input) };
  // By another address of the same resource it is the same request.
  const url = route.resourceOf ? scope.route : input.url;
  return claimOf(key, scope, { url, body: input.rawBody }, deps.cipher);
}

type AnyBatchRoute = Extract<AnyRoute, { kind: 'batch' }>;

/** A route that keeps what it refuses is told of a key that is none, too, and looks a key up by itself. */
async function runRecording(deps: RunnerDeps, route: AnyBatchRoute, input: RunInput): Promise<Reply> {
  let { refusal } = input;
  let claim: IdempotencyClaim | undefined;
  try {
    if (!refusal) claim = await claimFor(deps, route, input);
  } catch (error) {
    refusal = toAppError(error);
  }
  const reply = await route.handle(deps.db, { ...input, ...(refusal ? { refusal } : {}) } as never, claim);
  return answerNow(reply, input.env.requestId);
}

/** Runs a route's handler in the way of its kind: plain read, one transaction, or a batch of its own. */
export async function runRoute(
  deps: RunnerDeps,
  running: RunningKeys,
  route: AnyRoute,
  input: RunInput,
): Promise<Reply> {
  if (route.kind === 'read') return route.handle(deps.db, input as never);
  if (route.kind === 'batch' && route.recordsRefusals) return runRecording(deps, route, input);
  const claim = await claimFor(deps, route, input);
  if (claim === undefined) {
    if (route.kind === 'batch') return route.handle(deps.db, input as never, undefined);
    return retrying(() => inTransaction(deps.db, (trx) => route.handle(trx, input as never)));
  }
  const id = `${claim.scope}\n${claim.key}`;
  if (running.has(id)) throw inProgress();
  running.add(id);
  try {
    return answerNow(await runKeyed(deps, route, input, claim), input.env.requestId);
  } finally {
    running.delete(id);
  }
}
