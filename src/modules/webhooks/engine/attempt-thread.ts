/**
 * A thread that makes attempts: signs, sends, judges. Told what to do by attempt-threads.ts; it reads no database and no
 * setting of its own.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { monotonicNow, systemClock } from '../../../lib/clock.ts';
import { createSender, type OutboundPolicy } from '../../../platform/outbound/index.ts';
import { createAttempt } from './attempt.ts';
import { noOutcomes, readAttempts, type ToThread, writeFault, writeOutcome } from './thread-messages.ts';
import type { AttemptEndpoint, SigningKeys } from './types.ts';

export interface ThreadSettings {
  policy: OutboundPolicy;
  connectionsPerOrigin: number;
  timeoutMs: number;
  userAgent: string;
  /** How far the service's clock is ahead of the machine's; absent: that is the one. Milliseconds. */
  clockOffset?: Float64Array | undefined;
}

const port = parentPort;
if (!port) throw new Error('this file runs as a thread of the service');
const { policy, connectionsPerOrigin, timeoutMs, userAgent, clockOffset } = workerData as ThreadSettings;
const sender = createSender(policy, { connectionsPerOrigin });
const clock = { now: () => Math.floor(systemClock.now() + (clockOffset?.[0] ?? 0)) };
const attempt = createAttempt({ sender, clock, random: Math.random, timeoutMs, userAgent });
const endpoints = new Map<number, AttemptEndpoint>();
const keys = new Map<string, readonly SigningKeys[]>();
/**
 * Under load a message for each turn of the event loop has a few outcomes, and to send and to wake for it costs as much as ten of them; so there is
 * one in this time at most. Milliseconds.
 */
const BETWEEN_MESSAGES_MS = 1;
/** Load: so many outcomes a millisecond. With fewer nobody waits: an endpoint that takes one at a time gets the next when this one is told. */
const LOAD = 4;

let out = noOutcomes();
let isFlushing = false;
let flushedAt = Number.NEGATIVE_INFINITY;
let later: NodeJS.Timeout | undefined;
/** Outcomes since `countedFrom`, and whether before it there were many. */
let counted = 0;
let countedFrom = monotonicNow();
let isLoaded = false;

function flush(): void {
  const message = out;
  out = noOutcomes();
  isFlushing = false;
  flushedAt = monotonicNow();
  const passed = flushedAt - countedFrom;
  if (passed >= BETWEEN_MESSAGES_MS) {
    isLoaded = counted >= LOAD * passed;
    counted = 0;
    countedFrom = flushedAt;
  }
  port?.postMessage(message);
}

/** What ends in one turn of the event loop, or under load soon after another message, goes in one. */
function flushSoon(): void {
  counted++;
  if (isFlushing) return;
  isFlushing = true;
  if (!isLoaded || monotonicNow() - flushedAt >= BETWEEN_MESSAGES_MS) setImmediate(flush);
  else later = setTimeout(flush, BETWEEN_MESSAGES_MS);
}

function take(message: ToThread): void {
  if (message.forget) {
    endpoints.clear();
    keys.clear();
  }
  for (const [number, endpoint] of message.endpoints) endpoints.set(number, endpoint);
  for (const [accountId, of] of message.keys) keys.set(accountId, of);
  readAttempts(message, (id, number, heading, body) => {
    const endpoint = endpoints.get(number) as AttemptEndpoint;
    attempt({ ...heading, body }, endpoint, keys.get(endpoint.accountId) ?? []).then(
      (outcome) => {
        writeOutcome(out, id, outcome);
        flushSoon();
      },
      (error: unknown) => {
        writeFault(out, id, String(error));
        flushSoon();
      },
    );
  });
}

async function close(): Promise<void> {
  await sender.close();
  // After what its last outcomes have still to pass, and the message that they are in.
  setImmediate(() =>
    setImmediate(() => {
      clearTimeout(later);
      flush();
      port?.close();
    }),
  );
}

port.on('message', (message: ToThread | 'close') => {
  if (message === 'close') void close();
  else take(message);
});
