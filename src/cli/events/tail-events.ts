import { setTimeout as wait } from 'node:timers/promises';
import { Command } from 'commander';
import { type AuditEvent, type Client, PosthornError } from '../../../client/src/index.ts';
import { action } from '../action.ts';
import { accountFilter } from '../connection/account.ts';
import { connect } from '../connection/connect.ts';
import { interruption } from '../interrupt.ts';
import { given, positive } from '../output/arguments.ts';
import { printable } from '../output/printable.ts';
import { printJsonLine, remark } from '../output/print.ts';
import { timeOfDay } from '../output/times.ts';
import { subjectOf } from './subject.ts';

/** How often the log is looked at. Milliseconds. */
const EVERY_MS = 1000;
/** An event may be seen so much later than it was recorded: its transaction commits after others. Milliseconds. */
const LATE_MS = 3000;

type Filter = Parameters<Client['listEvents']>[0];

/** The log as it grows, from now on. */
class Tail {
  readonly #client: Client;
  readonly #filter: Filter;
  /** Ids and times of what was shown, or was there before. */
  readonly #seen = new Map<string, number>();
  #newest = 0;

  constructor(client: Client, filter: Filter) {
    this.#client = client;
    this.#filter = filter;
  }

  /** What is new since the last look, oldest first. */
  async look(): Promise<AuditEvent[]> {
    const since = this.#newest === 0 ? {} : { since: new Date(this.#newest - LATE_MS).toISOString() };
    const fresh: AuditEvent[] = [];
    const isFirst = this.#newest === 0;
    const list = this.#client.listEvents({ ...this.#filter, ...since, limit: 100 });
    for await (const event of list) {
      if (!this.#seen.has(event.id)) fresh.push(event);
      // The first look only learns where the log ends.
      if (isFirst && fresh.length === 100) break;
    }
    for (const { id, recordedAt } of fresh) {
      const at = Date.parse(recordedAt);
      this.#seen.set(id, at);
      this.#newest = Math.max(this.#newest, at);
    }
    for (const [id, at] of this.#seen) if (at < this.#newest - 2 * LATE_MS) this.#seen.delete(id);
    return fresh.toReversed();
  }
}

const isPassing = (error: unknown): boolean =>
  error instanceof PosthornError &&
  ['CONNECTION_FAILED', 'TIMEOUT', 'UNAVAILABLE', 'RATE_LIMITED'].includes(error.code);

interface Options {
  event?: string;
  trade?: string;
  account?: string;
  count?: number;
}

/** `posthorn events tail`. */
export const tailCommand = (): Command =>
  new Command('tail')
    .description('Show events as they are recorded, until Ctrl-C.')
    .option('--event <event>', 'of this name')
    .option('--trade <id>', 'of this trade session')
    .option('--account <account>', 'for whom: id or name')
    .option('--count <n>', 'end after so many', positive)
    .action(
      action<Options>(async (options) => {
        const connection = await connect(options);
        const { event, trade: tradeSessionId } = options;
        const filter = { ...(await accountFilter(connection, options.account)), ...given({ event, tradeSessionId }) };
        const tail = new Tail(connection.client, filter);
        await tail.look();
        remark('Waiting for events; Ctrl-C ends.');
        let left = options.count ?? Number.POSITIVE_INFINITY;
        while (left > 0) {
          await wait(EVERY_MS, undefined, { signal: interruption });
          const fresh = await tail.look().catch((error: unknown) => {
            // The service may be restarting; what it records meanwhile is shown later.
            if (!isPassing(error)) throw error;
            return [];
          });
          for (const one of fresh.slice(0, left)) {
            if (options.json) printJsonLine(one);
            else
              console.log(
                printable(`${timeOfDay(one.recordedAt)}  ${one.event.padEnd(32)}  ${one.id}  ${subjectOf(one)}`),
              );
          }
          left -= fresh.length;
        }
      }),
    );
