import { Command } from 'commander';
import type { Client, Delivery, ListedDelivery, Operations } from '../../../client/src/index.ts';
import { action } from '../action.ts';
import { accountFilter } from '../connection/account.ts';
import { connect, type GlobalOptions } from '../connection/connect.ts';
import { checkEndpoint, findEndpoint } from '../connection/endpoints.ts';
import { wordsOf } from '../output/arguments.ts';
import { collect, type ListOptions, pageSize, withLimit } from '../output/lists.ts';
import { longText } from '../output/long-text.ts';
import { newer } from '../output/newer.ts';
import { printList, printOne } from '../output/print.ts';
import { printable } from '../output/printable.ts';
import { type Column, dimOn, table } from '../output/table.ts';
import { localTime } from '../output/times.ts';
import { deadCommand } from './dead.ts';
import { type FilterOptions, filterOf, withFilter } from './delivery-filter.ts';
import { jobsCommand } from './delivery-jobs.ts';
import { discardCommand } from './discard.ts';
import { failureText } from './failure-text.ts';
import { heldBecause, heldLine } from './held.ts';
import { replayCommand } from './replay.ts';

type Detail = Operations['getDelivery']['reply'];
type Attempt = Detail['log'][number];

const STATUSES = wordsOf<Delivery['status']>({ PENDING: 1, DELIVERED: 2, DEAD: 3, HELD: 4, DISCARDED: 5 });

const COLUMNS: readonly Column<ListedDelivery>[] = [
  { title: 'id', of: (d) => d.id },
  { title: 'status', of: (d) => d.status },
  { title: 'event', of: (d) => d.event },
  { title: 'attempts', of: (d) => d.attempts },
  { title: 'error', of: (d) => d.errorClass },
  { title: 'replayed', of: (d) => d.lastReplay?.status ?? null },
  { title: 'created', of: (d) => localTime(d.createdAt) },
  { title: 'endpoint', of: (d) => d.endpointId },
];

const list = (): Command =>
  withFilter(withLimit(new Command('list')), STATUSES)
    .description('List deliveries, the newest first.')
    .action(
      action<ListOptions & FilterOptions>(async (options) => {
        const connection = await connect(options);
        const items = connection.client.listDeliveries({
          ...(await accountFilter(connection, options.account)),
          ...filterOf(options),
          ...(options.status === undefined ? {} : { status: options.status }),
          limit: pageSize(options),
        });
        const found = await collect(items, options);
        if (found.data.length === 0) await checkEndpoint(connection.client, options.endpoint);
        printList(found, COLUMNS, 'deliveries', options);
      }),
    );

const ATTEMPTS: readonly Column<Attempt>[] = [
  { title: 'attempt', of: (a) => a.attempt },
  { title: 'at', of: (a) => localTime(a.at) },
  { title: 'took', of: (a) => `${Math.round(a.durationMs)} ms` },
  {
    title: 'answer',
    of: (a) => (a.errorClass?.startsWith('HTTP_') ? a.responseStatus : (a.errorClass ?? a.responseStatus)),
  },
  { title: 'said', of: (a) => a.errorMessage ?? a.responseBody, cut: true },
];

function headersText(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${printable(value)}\n`)
    .join('');
}

/** What came of an attempt, whole: the table cuts it where the terminal is narrow. */
function answerText({ responseStatus, responseHeaders, responseBody, errorClass, errorMessage }: Attempt): string {
  const why = errorMessage === null ? [] : [`${printable(failureText(errorClass, errorMessage))}\n`];
  if (responseStatus === null) return why.join('');
  const body = longText(responseBody ?? '');
  const text = [`HTTP ${responseStatus}\n`, ...why, headersText(responseHeaders ?? {})].join('');
  return body === '' ? text : `${text}\n${body}`;
}

function tellAttempts({ body, log }: Detail): void {
  const { stdout } = process;
  if (log.length > 0) stdout.write(`\n${table(ATTEMPTS, log, { width: stdout.columns, dim: dimOn(stdout) })}`);
  const last = log.at(-1);
  if (last) stdout.write(`\nSENT\n${headersText(last.requestHeaders)}`);
  if (body !== null) stdout.write(`\n${longText(body)}`);
  if (last) stdout.write(`\nANSWER OF ATTEMPT ${last.attempt}\n${answerText(last)}`);
}

/** Its id, and its address, the last one of an endpoint that is deleted. */
function endpointText({ endpointId, url, endpointUrl }: Detail): string {
  const present = newer(url);
  if (present != null) return `${endpointId} ${present}`;
  const last = newer(endpointUrl);
  return last == null ? endpointId : `${endpointId} ${last} (deleted)`;
}

/** What a HELD delivery waits for; nothing of another. */
async function whyHeld(client: Client, delivery: Detail): Promise<string | null> {
  if (delivery.status !== 'HELD') return null;
  const { endpoint } = await findEndpoint(client, delivery.endpointId, 'endpoint');
  return heldBecause(delivery, endpoint);
}

const show = (): Command =>
  new Command('show')
    .description('Show a delivery: what was sent, and what came back, attempt by attempt.')
    .argument('<id>')
    .action(
      action<GlobalOptions, [id: string]>(async (options, id) => {
        const { client } = await connect(options);
        const delivery = await client.getDelivery({ id });
        const held = options.json ? [] : await heldLine(() => whyHeld(client, delivery));
        printOne(
          delivery,
          [
            ['id', delivery.id],
            ['event', `${delivery.event} (${delivery.eventId})`],
            ['endpoint', endpointText(delivery)],
            [
              'status',
              [delivery.status, delivery.errorClass, delivery.discardReason].filter((t) => t != null).join(', '),
            ],
            ...held,
            ['next attempt', localTime(delivery.nextAttemptAt)],
            ['replay of', delivery.replayOf],
            ...(newer(delivery.replays) ?? []).map(({ id: replay, status, createdAt }): [string, string] => [
              'replayed',
              `${localTime(createdAt)} as ${replay}, ${status}`,
            ]),
            ['created', localTime(delivery.createdAt)],
            ['request', delivery.requestId],
          ],
          options,
        );
        if (!options.json) tellAttempts(delivery);
      }),
    );

/** `posthorn deliveries …`. */
export const deliveriesCommand = (): Command =>
  new Command('deliveries')
    .description('What was sent to endpoints, and what became of it.')
    .addCommand(list())
    .addCommand(show())
    .addCommand(deadCommand())
    .addCommand(replayCommand())
    .addCommand(discardCommand())
    .addCommand(jobsCommand());
