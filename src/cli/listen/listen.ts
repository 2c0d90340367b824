import { type FeedItem, webhooks } from '../../../client/src/index.ts';
import { accountId as idOf, ownAccount } from '../connection/account.ts';
import { connect, type Connection, type GlobalOptions } from '../connection/connect.ts';
import { wrongUse } from '../failure.ts';
import { interruption } from '../interrupt.ts';
import { printable } from '../output/printable.ts';
import { printJsonLine, remark } from '../output/print.ts';
import { timeOfDay } from '../output/times.ts';
import { systemClock } from '../../lib/clock.ts';
import { type Acknowledged, Acknowledger } from './acknowledge.ts';
import { forward, type Forwarded, targetUrl } from './forward.ts';
import { readFeed, type Start } from './read-feed.ts';
import { printableSecret, type Secret, signingSecret } from './signing-secret.ts';
import { existingEndpoint, type Listening, temporaryEndpoint } from './temporary-endpoint.ts';

export interface ListenOptions extends GlobalOptions {
  forwardTo?: string;
  account?: string;
  events?: string[];
  endpoint?: string;
  from?: 'start' | 'now';
  cursor?: string;
  secret?: string;
  /** `--no-verify` makes it false. */
  verify: boolean;
  printSecret?: boolean;
  ackAll?: boolean;
  count?: number;
}

/** For putting right what was begun, after Ctrl-C. Milliseconds. */
const RELEASE_MS = 5000;

/** What is told of one webhook. */
interface Heard extends Forwarded {
  at: string;
  event: string;
  eventId: string;
  cursor: string;
  occurredAt: string;
  /** Null: it was not asked for. */
  verified: boolean | null;
  forwardedTo: string | null;
}

const isTaken = ({ status }: Forwarded): boolean => status !== null && status >= 200 && status < 300;

function outcomeOf({ forwardedTo, verified, status, error, durationMs }: Heard): string {
  if (verified === false) return `NOT FORWARDED: ${error ?? ''}`;
  const signature = verified ? 'verified' : 'not verified';
  return forwardedTo === null ? signature : `${signature}  -> ${status ?? error ?? 'no answer'}  ${durationMs} ms`;
}

/** One webhook: verified, forwarded, timed. */
async function hear(item: FeedItem, secret: Secret | null, target: string | undefined): Promise<Heard> {
  const { event, eventId, cursor, occurredAt, headers, body } = item;
  const about = { event, eventId, cursor, occurredAt, forwardedTo: target ?? null };
  const at = (): string => new Date(systemClock.now()).toISOString();
  if (secret !== null) {
    try {
      await webhooks.verify(body, headers['x-service-signature'], secret.value);
    } catch (fault) {
      const error = (fault as Error).message;
      return { ...about, at: at(), verified: false, forwardedTo: null, status: null, error, durationMs: 0 };
    }
  }
  const verified = secret === null ? null : true;
  const sent =
    target === undefined ? { status: null, error: null, durationMs: 0 } : await forward(target, headers, body);
  return { ...about, ...sent, at: at(), verified };
}

function startOf({ from, cursor, endpoint }: ListenOptions): Start {
  if (cursor !== undefined) return { cursor };
  if (from !== undefined) return { from };
  return endpoint === undefined ? {} : { from: 'now' };
}

/**
 * Of an endpoint that is read from now on nothing, unless it is asked for: to acknowledge one webhook says that all before it was
 * read, and what is held of that would be discarded.
 */
function acknowledgedOf(options: ListenOptions): Acknowledged {
  if (options.ackAll) return 'ALL';
  const start = startOf(options);
  return options.endpoint !== undefined && 'from' in start && start.from === 'now' ? 'NOTHING' : 'TAKEN';
}

/** Tells of each webhook until there were enough, or Ctrl-C. */
async function run(
  listening: Listening,
  secret: Secret | null,
  options: ListenOptions,
  target?: string,
): Promise<void> {
  const acknowledger = new Acknowledger(listening, acknowledgedOf(options));
  let left = options.count ?? Number.POSITIVE_INFINITY;
  for await (const item of readFeed(listening, startOf(options))) {
    const heard = await hear(item, secret, target);
    if (options.json) printJsonLine(heard);
    else
      console.log(
        printable(`${timeOfDay(heard.at)}  ${heard.event.padEnd(32)}  ${heard.eventId}  ${outcomeOf(heard)}`),
      );
    const isStuck = await acknowledger.take(heard.cursor, isTaken(heard));
    if (isStuck && !listening.isTemporary) {
      const behind = acknowledger.cursor ?? options.cursor;
      const place = behind === undefined ? '--from start' : `--cursor ${behind}`;
      remark(`Not taken, so nothing from here on is acknowledged; to read it again: ${place}`);
    }
    if (--left === 0) return;
  }
}

function greet(listening: Listening, secret: Secret | null, target: string | undefined, isAcknowledged: boolean): void {
  const what = listening.isTemporary ? `account ${listening.accountId}` : `endpoint ${listening.id}`;
  remark(`Ready: listening to ${what}${target === undefined ? '' : `, forwarding to ${target}`}. Ctrl-C ends.`);
  if (!isAcknowledged)
    remark(
      'Nothing is acknowledged: all that came before would count as read (--from start reads it, --ack-all says so).',
    );
  if (secret?.isOwn) remark(`Signing secret: ${secret.value}`);
}

/** The account that a session acts for; a key has its own. */
async function accountOf(connection: Connection, given: string | undefined): Promise<string | undefined> {
  return given === undefined ? ownAccount(connection) : idOf(connection, given);
}

async function opened(
  connection: Connection,
  options: ListenOptions,
): Promise<{ listening: Listening; secret: Secret | null }> {
  const { endpoint: id, events } = options;
  const existing = id === undefined ? null : await existingEndpoint(connection, id);
  const accountId = existing?.accountId ?? (await accountOf(connection, options.account));
  const secret = options.verify ? await signingSecret(connection, options.secret, accountId) : null;
  try {
    return { listening: existing ?? (await temporaryEndpoint(connection, { accountId, events })), secret };
  } catch (error) {
    await secret?.release(AbortSignal.timeout(RELEASE_MS));
    throw error;
  }
}

/** `posthorn listen`: reads the feed of an endpoint and forwards what comes; what was made for it is taken back at the end. */
export async function listen(options: ListenOptions): Promise<void> {
  const target = options.forwardTo === undefined ? undefined : targetUrl(options.forwardTo);
  if (options.endpoint !== undefined && options.events)
    throw wrongUse('--events is for a new endpoint, not with --endpoint');
  const connection = await connect(options);
  if (options.printSecret) {
    console.log(await printableSecret(connection, options.secret, await accountOf(connection, options.account)));
    return;
  }
  const { listening, secret } = await opened(connection, options);
  try {
    interruption.throwIfAborted();
    greet(listening, secret, target, acknowledgedOf(options) !== 'NOTHING');
    await run(listening, secret, options, target);
  } finally {
    const signal = AbortSignal.timeout(RELEASE_MS);
    const [endpoint, key] = await Promise.allSettled([listening.release(signal), secret?.release(signal)]);
    if (endpoint.status === 'rejected' && listening.isTemporary)
      remark(`Endpoint ${listening.id} could not be deleted: posthorn endpoints delete ${listening.id}`);
    if (key.status === 'rejected')
      remark('The key that was made for this could not be revoked: it is named in "posthorn keys list".');
  }
}
