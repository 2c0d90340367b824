import { Command } from 'commander';
import type { AuditEvent, RoutedEndpoint } from '../../../client/src/index.ts';
import { action } from '../action.ts';
import { accountFilter } from '../connection/account.ts';
import { connect } from '../connection/connect.ts';
import { given, pastInstant } from '../output/arguments.ts';
import { collect, type ListOptions, pageSize, withLimit } from '../output/lists.ts';
import { printList, printOne } from '../output/print.ts';
import { type Column, dimOn, table } from '../output/table.ts';
import { localTime } from '../output/times.ts';
import { publishCommand } from './publish-events.ts';
import { resendCommand } from './resend.ts';
import { subjectOf } from './subject.ts';
import { tailCommand } from './tail-events.ts';

const COLUMNS: readonly Column<AuditEvent>[] = [
  { title: 'id', of: (e) => e.id },
  { title: 'event', of: (e) => e.event },
  { title: 'recorded', of: (e) => localTime(e.recordedAt) },
  { title: 'about', of: subjectOf, cut: true },
];

interface Filter {
  event?: string;
  trade?: string;
  subject?: string;
  since?: string;
  until?: string;
  account?: string;
}

const list = (): Command =>
  withLimit(new Command('list'))
    .description('List events of the audit trail, the newest first.')
    .option('--event <event>', 'of this name')
    .option('--trade <id>', 'of this trade session')
    .option('--subject <id>', 'about this trade, offer, listing, booking or user')
    .option('--since <time>', 'recorded then or later: 2026-01-31T09:00, 24h', pastInstant)
    .option('--until <time>', 'recorded before', pastInstant)
    .option('--account <account>', 'for whom: id or name')
    .action(
      action<ListOptions & Filter>(async (options) => {
        const connection = await connect(options);
        const { event, trade: tradeSessionId, subject: subjectId, since, until } = options;
        const items = connection.client.listEvents({
          ...(await accountFilter(connection, options.account)),
          ...given({ event, tradeSessionId, subjectId, since, until }),
          limit: pageSize(options),
        });
        printList(await collect(items, options), COLUMNS, 'events', options);
      }),
    );

interface Route {
  endpoint: string | null;
  webhook: string | null;
  code: string;
  message: string;
}

const ROUTES: readonly Column<Route>[] = [
  { title: 'endpoint', of: (r) => r.endpoint },
  { title: 'webhook', of: (r) => r.webhook },
  { title: 'outcome', of: (r) => r.code },
  { title: 'why', of: (r) => r.message, cut: true },
];

const routesOf = (routed: readonly RoutedEndpoint[]): Route[] =>
  routed.flatMap(({ endpointId: endpoint, verdicts }) =>
    verdicts.map(({ webhook, code, message }) => ({ endpoint, webhook, code, message })),
  );

const show = (): Command =>
  new Command('show')
    .description('Show an event, to which endpoints it went, and why not to others.')
    .argument('<id>')
    .action(
      action<object, [id: string]>(async (options, id) => {
        const { client } = await connect(options);
        const event = await client.getEvent({ id });
        const routing: RoutedEndpoint[] = await Array.fromAsync(client.explainRouting({ id }));
        printOne(
          { ...event, routing },
          [
            ['id', event.id],
            ['event', event.event],
            ['occurred', localTime(event.occurredAt)],
            ['recorded', localTime(event.recordedAt)],
            ['for', event.accountIds.join(', ') || null],
            ['caused by', event.causedBy],
            ['request', event.requestId],
            ['data', JSON.stringify(event.data)],
          ],
          options,
        );
        if (options.json) return;
        const { stdout } = process;
        stdout.write(`\n${table(ROUTES, routesOf(routing), { width: stdout.columns, dim: dimOn(stdout) })}`);
      }),
    );

/** `posthorn events …`. */
export const eventsCommand = (): Command =>
  new Command('events')
    .description('What happened: the audit trail.')
    .addCommand(list())
    .addCommand(show())
    .addCommand(publishCommand())
    .addCommand(resendCommand())
    .addCommand(tailCommand());
