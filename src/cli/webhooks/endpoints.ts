import { Command, Option } from 'commander';
import type { WebhookEndpoint } from '../../../client/src/index.ts';
import { action } from '../action.ts';
import { accountFilter } from '../connection/account.ts';
import { connect, type GlobalOptions } from '../connection/connect.ts';
import {
  createOfEitherKind,
  type EndpointCalls,
  endpointCalls,
  type EndpointKind,
  findEndpoint,
} from '../connection/endpoints.ts';
import { given, positive } from '../output/arguments.ts';
import { confirm } from '../output/ask.ts';
import { collect, type ListOptions, pageSize, withLimit } from '../output/lists.ts';
import { printDone, printList, printOne } from '../output/print.ts';
import type { Column } from '../output/table.ts';
import { localTime } from '../output/times.ts';

const COLUMNS: readonly Column<WebhookEndpoint>[] = [
  { title: 'id', of: (e) => e.id },
  { title: 'status', of: (e) => e.status },
  { title: 'events', of: (e) => (e.allEvents ? 'all' : e.events.length) },
  { title: 'created', of: (e) => localTime(e.createdAt) },
  { title: 'url', of: (e) => e.url, cut: true },
];

type Fields = (readonly [string, string | number | null])[];

const fieldsOf = (e: WebhookEndpoint): Fields => [
  ['id', e.id],
  ['account', e.accountId],
  ['url', e.url],
  ['status', e.statusReason === null ? e.status : `${e.status}: ${e.statusReason}`],
  ['events', e.allEvents ? 'all, also those to come' : e.events.join(', ')],
  ['description', e.description || null],
  ['own headers', e.headerNames.join(', ') || null],
  ['created', localTime(e.createdAt)],
];

const list = (): Command =>
  withLimit(new Command('list'))
    .description('List endpoints, those for trades and those for space bookings.')
    .option('--account <account>', 'id or name')
    .action(
      action<ListOptions & { account?: string }>(async (options) => {
        const connection = await connect(options);
        const filter = await accountFilter(connection, options.account);
        async function* both() {
          for (const kind of ['MERCHANT', 'BUSINESS'] as const)
            yield* endpointCalls(connection.client, kind).list({ ...filter, limit: pageSize(options) });
        }
        printList(await collect(both(), options), COLUMNS, 'endpoints', options);
      }),
    );

const show = (): Command =>
  new Command('show')
    .description('Show an endpoint, and how it fares.')
    .argument('<id>')
    .action(
      action<object, [id: string]>(async (options, id) => {
        const { endpoint, calls } = await findEndpoint((await connect(options)).client, id);
        const health = await calls.health(id);
        const { lastDay, lastFailure } = health;
        printOne(
          { ...endpoint, kind: calls.kind, health },
          [
            ...fieldsOf(endpoint),
            ['attempts in a day', `${lastDay.attempts}, ${lastDay.failures} of them failed`],
            ['last success', localTime(health.lastSuccessAt)],
            ['last failure', lastFailure && `${localTime(lastFailure.at)} ${lastFailure.errorClass ?? ''}`],
            ['waiting', `${health.pending} pending, ${health.held} held, ${health.dead} dead`],
          ],
          options,
        );
      }),
    );

interface CreateOptions {
  account?: string;
  events?: string[];
  description?: string;
  maxInFlight?: number;
  rate?: number;
  kind?: EndpointKind;
}

const create = (): Command =>
  new Command('create')
    .description('Send events to an address from now on.')
    .argument('<url>', 'takes POST')
    .option('--account <account>', 'for whom: id or name (default: your only account)')
    .option('--events <event...>', 'only these (default: all of the account’s kind)')
    .option('--description <text>', 'what it is, for people')
    .option('--max-in-flight <n>', 'requests at once', positive)
    .option('--rate <n>', 'requests a second', positive)
    .addOption(
      new Option('--kind <kind>', 'which events (default: as the account takes)').choices(['MERCHANT', 'BUSINESS']),
    )
    .action(
      action<CreateOptions, [url: string]>(async (options, url) => {
        const connection = await connect(options);
        const { client } = connection;
        const { events, description, maxInFlight, rate: ratePerSecond, kind } = options;
        const body = { url, ...given({ events, description, maxInFlight, ratePerSecond }) };
        const input = { ...(await accountFilter(connection, options.account)), body };
        const endpoint =
          kind === undefined
            ? (await createOfEitherKind(client, input)).endpoint
            : await endpointCalls(client, kind).create(input);
        printOne(endpoint, fieldsOf(endpoint), options);
      }),
    );

const test = (): Command =>
  new Command('test')
    .description('Send the example of an event to an endpoint.')
    .argument('<id>')
    .option('--event <event>', 'which one')
    .action(
      action<{ event?: string }, [id: string]>(async (options, id) => {
        const { calls } = await findEndpoint((await connect(options)).client, id);
        const delivery = await calls.test(id, options.event);
        printDone(`${delivery.event} is on its way: posthorn deliveries show ${delivery.id}`, delivery, options);
      }),
    );

/** A verb that takes an endpoint's id, and what is said when it is done. */
const verb = <T>(
  name: string,
  description: string,
  run: (calls: EndpointCalls, id: string, options: GlobalOptions & { yes?: boolean }) => Promise<T>,
  done: (id: string, reply: T) => string,
): Command =>
  new Command(name)
    .description(description)
    .argument('<id>')
    .action(
      action<{ yes?: boolean }, [id: string]>(async (options, id) => {
        const { calls } = await findEndpoint((await connect(options)).client, id);
        const reply = await run(calls, id, options);
        printDone(done(id, reply), reply, options);
      }),
    );

const remove = async (calls: EndpointCalls, id: string, options: { yes?: boolean }): Promise<unknown> => {
  await confirm(`Delete endpoint ${id}`, options);
  return calls.remove(id);
};

/** `posthorn endpoints …`. */
export const endpointsCommand = (): Command =>
  new Command('endpoints')
    .description('Where webhooks are sent.')
    .addCommand(list())
    .addCommand(show())
    .addCommand(create())
    .addCommand(test())
    .addCommand(
      verb(
        'pause',
        'Hold what would be sent, until a resume.',
        (calls, id) => calls.pause(id),
        (id) => `Endpoint ${id} is paused.`,
      ),
    )
    .addCommand(
      verb(
        'resume',
        'Send again, what was held first.',
        (calls, id) => calls.resume(id),
        (id, { isProbing }) =>
          isProbing
            ? `Endpoint ${id} is disabled, and is tried with one held delivery: it is open once that has arrived.`
            : `Endpoint ${id} is active.`,
      ),
    )
    .addCommand(
      verb('delete', 'Send nothing there any more.', remove, (id) => `Endpoint ${id} is deleted.`).option(
        '--yes',
        'do not ask',
      ),
    );
