import { Command, Option } from 'commander';
import type { Trade, TradeDetail } from '../../../client/src/index.ts';
import { action } from '../action.ts';
import { accountFilter } from '../connection/account.ts';
import { connect } from '../connection/connect.ts';
import { given, pastInstant, wordsOf } from '../output/arguments.ts';
import { confirm } from '../output/ask.ts';
import { collect, type ListOptions, pageSize, withLimit } from '../output/lists.ts';
import { printDone, printList, printOne } from '../output/print.ts';
import { type Column, dimOn, table } from '../output/table.ts';
import { localTime } from '../output/times.ts';
import { RESERVATIONS, SIDES, sidesOf, stateOf, TIMELINE } from './trade-texts.ts';

type Status = Trade['status'];

const STATUSES = wordsOf<Status>({
  CREATED: 1,
  ACCEPTED: 2,
  CHECKOUT: 3,
  HOLD: 4,
  FULFILLMENT: 5,
  COMPLETED: 6,
  CANCELLED: 7,
});

const COLUMNS: readonly Column<Trade>[] = [
  { title: 'trade', of: (t) => t.tradeSessionId },
  { title: 'status', of: (t) => t.status },
  { title: 'reason', of: (t) => t.reason },
  { title: 'initiator', of: (t) => stateOf(t.initiator, t.status) },
  { title: 'counterparty', of: (t) => stateOf(t.counterparty, t.status) },
  { title: 'ends unless paid', of: (t) => localTime(t.expiresAt) },
  { title: 'created', of: (t) => localTime(t.createdAt) },
];

interface Filter {
  status?: Status;
  offer?: string;
  since?: string;
  until?: string;
  account?: string;
}

const list = (): Command =>
  withLimit(new Command('list'))
    .description('List trades, the newest first.')
    .addOption(new Option('--status <status>', 'only these').choices(STATUSES))
    .option('--offer <id>', 'of this offer')
    .option('--since <time>', 'opened then or later: 2026-01-31T09:00, 24h', pastInstant)
    .option('--until <time>', 'opened before', pastInstant)
    .option('--account <account>', 'of whom: id or name')
    .action(
      action<ListOptions & Filter>(async (options) => {
        const connection = await connect(options);
        const { status, offer: offerId, since, until } = options;
        const items = connection.client.listTrades({
          ...(await accountFilter(connection, options.account)),
          ...given({ status, offerId, since, until }),
          limit: pageSize(options),
        });
        printList(await collect(items, options), COLUMNS, 'trades', options);
      }),
    );

function tellParts(trade: TradeDetail): void {
  const { stdout } = process;
  const style = { width: stdout.columns, dim: dimOn(stdout) };
  stdout.write(`\n${table(SIDES, sidesOf(trade), style)}`);
  if (trade.reservations.length > 0) stdout.write(`\n${table(RESERVATIONS, trade.reservations, style)}`);
  if (trade.timeline.length > 0) stdout.write(`\n${table(TIMELINE, trade.timeline, style)}`);
}

const show = (): Command =>
  new Command('show')
    .description('Show a trade: its sides, what is reserved, and all that happened.')
    .argument('<id>', 'the tradeSessionId')
    .addHelpText(
      'after',
      `
The ids of what happened are taken by "posthorn events show", those of kind report by "posthorn inbound show", those of
kind delivery by "posthorn deliveries show". A step has that of the report or event that caused it. "–" for a side: there
is nothing yet, or nothing that you may see.`,
    )
    .action(
      action<object, [id: string]>(async (options, tradeSessionId) => {
        const { client } = await connect(options);
        const trade = await client.getTrade({ tradeSessionId });
        printOne(
          trade,
          [
            ['trade', trade.tradeSessionId],
            ['offer', trade.offerId],
            ['status', trade.reason === null ? trade.status : `${trade.status}, ${trade.reason}`],
            ['ends unless paid', localTime(trade.expiresAt)],
            ['created', localTime(trade.createdAt)],
            ['changed', localTime(trade.updatedAt)],
          ],
          options,
        );
        if (!options.json) tellParts(trade);
      }),
    );

const cancel = (): Command =>
  new Command('cancel')
    .description('End a trade, as an operator: both sides are told, and what is reserved is given back.')
    .argument('<id>', 'the tradeSessionId')
    .option('--yes', 'do not ask')
    .action(
      action<{ yes?: boolean }, [id: string]>(async (options, tradeSessionId) => {
        const { client } = await connect(options);
        await confirm(`Cancelling trade ${tradeSessionId}`, options);
        const trade = await client.cancelTrade({ tradeSessionId });
        printDone(`Trade ${trade.tradeSessionId} is cancelled; both sides are told.`, trade, options);
      }),
    );

/** `posthorn trades …`. */
export const tradesCommand = (): Command =>
  new Command('trades')
    .description('Trades, how far each is, and what happened to it.')
    .addCommand(list())
    .addCommand(show())
    .addCommand(cancel());
