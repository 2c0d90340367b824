import { request } from 'undici';
import { interruption } from '../interrupt.ts';
import { wrongUse } from '../failure.ts';
import { monotonicNow } from '../../lib/clock.ts';

/** As long as the service itself would wait (interface contract: 15 s). Milliseconds. */
const TIMEOUT_MS = 15_000;

/** Belong to a connection, not to what is sent over it. */
const OF_A_CONNECTION: readonly string[] = ['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive'];

/** What became of a request to the local receiver. */
export interface Forwarded {
  /** Null: there was no answer. */
  status: number | null;
  /** Why there was none. */
  error: string | null;
  durationMs: number;
}

/** The address to forward to; `localhost:4000/hooks` and `4000` are short for one. Fails for what is none. */
export function targetUrl(text: string): string {
  const full = /^\d{1,5}(\/|$)/.test(text) ? `localhost:${text}` : text;
  const url = /^https?:\/\//i.test(full) ? full : `http://${full}`;
  if (!URL.canParse(url)) throw wrongUse(`--forward-to: ${text} is not an address`);
  return url;
}

function reasonOf(error: Error): string {
  if (error.name === 'TimeoutError') return 'no answer in time';
  return (error as NodeJS.ErrnoException).code ?? error.message;
}

/** Sends body and headers on as they are. Never throws for what the receiver does; ends with Ctrl-C by throwing. */
export async function forward(url: string, given: Readonly<Record<string, string>>, body: string): Promise<Forwarded> {
  const began = monotonicNow();
  const took = (): number => Math.round(monotonicNow() - began);
  const headers = Object.fromEntries(
    Object.entries(given).filter(([name]) => !OF_A_CONNECTION.includes(name.toLowerCase())),
  );
  const signal = AbortSignal.any([interruption, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    // Not by fetch, which refuses ports that a receiver may well have.
    const { statusCode, body: answer } = await request(url, { method: 'POST', headers, body, signal });
    // The answer is over when its body is; what it says does not matter.
    await answer.dump();
    return { status: statusCode, error: null, durationMs: took() };
  } catch (error) {
    interruption.throwIfAborted();
    return { status: null, error: reasonOf(error as Error), durationMs: took() };
  }
}
