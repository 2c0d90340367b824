import { Command, Option } from 'commander';
import type { InboundReport, ReportReceipt } from '../../../client/src/index.ts';
import { action } from '../action.ts';
import { accountFilter } from '../connection/account.ts';
import { connect } from '../connection/connect.ts';
import { given, pastInstant, wordsOf } from '../output/arguments.ts';
import { collect, type ListOptions, pageSize, withLimit } from '../output/lists.ts';
import { longText } from '../output/long-text.ts';
import { newer } from '../output/newer.ts';
import { printList, printOne } from '../output/print.ts';
import type { Column } from '../output/table.ts';
import { localTime } from '../output/times.ts';

type Verdict = InboundReport['verdict'];
type ReportEvent = ReportReceipt['event'];

const VERDICTS = wordsOf<Verdict>({ ACCEPTED: 1, REPEATED: 2, REFUSED: 3 });

const EVENTS = wordsOf<ReportEvent>({
  'payment.completed': 1,
  'payment.failed': 2,
  'item.reserved': 3,
  'item.unreserved': 4,
  'item.sold': 5,
  'item.unavailable': 6,
  'fulfillment.started': 7,
  'fulfillment.completed': 8,
  returned: 9,
  cancelled: 10,
});

const whyOf = ({ error }: InboundReport): string | null => error && `${error.code}: ${error.message}`;

/** Also one that is none, as it was sent; an earlier service does not tell it. */
const eventOf = ({ event, unknownEvent }: InboundReport): string | null =>
  event ?? (newer(unknownEvent) == null ? null : `unknown: ${unknownEvent}`);

const COLUMNS: readonly Column<InboundReport>[] = [
  { title: 'id', of: (r) => r.id },
  { title: 'received', of: (r) => localTime(r.receivedAt) },
  { title: 'verdict', of: (r) => (r.further === 0 ? r.verdict : `${r.verdict}, and ${r.further} more`) },
  { title: 'event', of: eventOf },
  { title: 'side', of: (r) => r.side },
  { title: 'trade', of: (r) => r.tradeSessionId },
  { title: 'why', of: whyOf, cut: true },
];

interface Filter {
  verdict?: Verdict;
  event?: ReportEvent;
  since?: string;
  until?: string;
  trade?: string;
  account?: string;
}

const list = (): Command =>
  withLimit(new Command('list'))
    .description('List reports of merchants, the newest first: what was accepted, and what was refused and why.')
    .addOption(new Option('--verdict <verdict>', 'only these').choices(VERDICTS))
    .addOption(new Option('--event <event>', 'what was reported').choices(EVENTS))
    .option('--trade <id>', 'of this trade session')
    .option('--since <time>', 'received then or later: 2026-01-31T09:00, 24h', pastInstant)
    .option('--until <time>', 'received before', pastInstant)
    .option('--account <account>', 'of whom: id or name')
    .action(
      action<ListOptions & Filter>(async (options) => {
        const connection = await connect(options);
        const { verdict, event, trade: tradeSessionId, since, until } = options;
        const items = connection.client.listReports({
          ...(await accountFilter(connection, options.account)),
          ...given({ verdict, event, tradeSessionId, since, until }),
          limit: pageSize(options),
        });
        printList(await collect(items, options), COLUMNS, 'reports', options);
      }),
    );

const show = (): Command =>
  new Command('show')
    .description('Show a report as it came, its verdict, and the events that it caused.')
    .argument('<id>')
    .action(
      action<object, [id: string]>(async (options, id) => {
        const { client } = await connect(options);
        const report = await client.getReport({ id });
        printOne(
          report,
          [
            ['id', report.id],
            ['event', eventOf(report)],
            ['trade', report.tradeSessionId],
            ['side', report.side],
            ['verdict', report.verdict],
            ['why', whyOf(report)],
            ['repeats', report.repeats],
            ['more like it', report.further === 0 ? null : `${report.further} within the same minute`],
            ['from', report.accountId],
            ['occurred', localTime(report.occurredAt)],
            ['received', localTime(report.receivedAt)],
            ['caused', report.eventIds.join(', ') || null],
            ['request', report.requestId],
          ],
          options,
        );
        if (!options.json && report.body !== '') process.stdout.write(`\n${longText(report.body)}`);
      }),
    );

/** `posthorn inbound …`. */
export const inboundCommand = (): Command =>
  new Command('inbound')
    .description('Webhooks that came in: what merchants reported of trades, and what became of it.')
    .addCommand(list())
    .addCommand(show());
