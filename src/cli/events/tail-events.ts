import { setTimeout as wait } from 'node:timers/promises';
import { Command } from 'commander';
import { action } from '../action.ts';
import { accountFilter } from '../connection/account.ts';
import { connect } from '../connection/connect.ts';
import { untilBack } from '../connection/until-back.ts';
import { interruption } from '../interrupt.ts';
import { given, positive } from '../output/arguments.ts';
import { printable } from '../output/printable.ts';
import { printJsonLine, remark } from '../output/print.ts';
import { timeOfDay } from '../output/times.ts';
import { subjectOf } from './subject.ts';
import { Tail } from './tail.ts';

/** How often the log is looked at. Milliseconds. */
const EVERY_MS = 1000;
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
        const tail = new Tail(connection.client, filter, { tell: remark });
        await tail.look();
        remark('Waiting for events; Ctrl-C ends.');
        let left = options.count ?? Number.POSITIVE_INFINITY;
        while (left > 0) {
          await wait(EVERY_MS, undefined, { signal: interruption });
          // What is recorded while the service is away is shown when it is back.
          const fresh = await untilBack(() => tail.look());
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
