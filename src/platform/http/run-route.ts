import { type AnyCaller, credentialId } from '../../contracts/caller.ts';
import { AppError } from '../../contracts/errors.ts';
import type { Cipher } from '../../lib/cipher.ts';
import { inTransaction, isRetryable } from '../db/index.ts';
import type { Db, Env, Trx } from '../db/types.ts';
import { envelope } from './errors.ts';
import { claimOf, findReply, lockKey, storeReply } from './idempotency.ts';
import type { AnyRoute, IdempotencyClaim, Reply } from './route.ts';

/** A deadlock's loser runs again at most this often. */
const RETRIES = 3;

export interface RunnerDeps {
  db: Db;
  cipher: Cipher;
}

export interface RunInput {
  params: unknown;
  query: unknown;
  body: unknown;
  caller: AnyCaller;
  env: Env;
  headers: Readonly<Record<string, string | undefined>>;
  rawBody?: string;
  url: string;
}

/** Keys of requests that this process is running now. */
export type RunningKeys = Set<string>;

async function retrying<T>(run: () => Promise<T>): Promise<T> {
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
 * follows it sends the key along, to another address.
 */
const isStored = (error: unknown): error is AppError =>
  error instanceof AppError &&
  error.status >= 400 &&
  error.status < 500 &&
  ![400, 401, 429].includes(error.status) &&
  !error.code.startsWith('IDEMPOTENCY');

async function runKeyed(deps: RunnerDeps, route: AnyRoute, input: RunInput, claim: IdempotencyClaim): Promise<Reply> {
  const options = { now: input.env.now, cipher: deps.cipher, secret: route.secretReply === true };
  const before = await findReply(deps.db, claim, input.env.now, deps.cipher);
  if (before) return before;
  const effect = async (trx: Trx): Promise<Reply> => {
    if (!(await lockKey(trx, claim))) throw inProgress();
    const earlier = await findReply(trx, claim, input.env.now, deps.cipher);
    if (earlier) return earlier;
    const reply = await (route as Extract<AnyRoute, { kind: 'write' }>).handle(trx, input as never);
    await storeReply(trx, claim, reply, options);
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
const keyRoute = (route: AnyRoute, params: unknown): string =>
  route.keyPerResource ? `${route.path} ${Object.values(params as Record<string, string>).join(' ')}` : route.path;

const inProgress = (): AppError => new AppError('IDEMPOTENCY_IN_PROGRESS', { headers: { 'retry-after': '1' } });

/** Runs a route's handler in the way of its kind: plain read, one transaction, or a batch of its own. */
export async function runRoute(
  deps: RunnerDeps,
  running: RunningKeys,
  route: AnyRoute,
  input: RunInput,
): Promise<Reply> {
  if (route.kind === 'read') return route.handle(deps.db, input as never);
  const credential = input.caller.kind === 'nobody' ? 'nobody' : credentialId(input.caller);
  const claim = claimOf(
    input.headers['idempotency-key'],
    { credential, method: route.method, route: keyRoute(route, input.params) },
    { url: input.url, body: input.rawBody },
    deps.cipher,
  );
  if (!claim) {
    if (route.kind === 'batch') return route.handle(deps.db, input as never, undefined);
    return retrying(() => inTransaction(deps.db, (trx) => route.handle(trx, input as never)));
  }
  const id = `${claim.scope}\n${claim.key}`;
  if (running.has(id)) throw inProgress();
  running.add(id);
  try {
    return await runKeyed(deps, route, input, claim);
  } finally {
    running.delete(id);
  }
}
