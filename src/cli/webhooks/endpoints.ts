import { Command } from 'commander';
import type { Client, WebhookEndpoint } from '../../../client/src/index.ts';
import { action } from '../action.ts';
import { accountFilter } from '../connection/account.ts';
import { connect, type GlobalOptions } from '../connection/connect.ts';
import { type EndpointCalls, endpointCalls, findEndpoint } from '../connection/endpoints.ts';
import { confirm } from '../output/ask.ts';
import { collect, type ListOptions, pageSize, withLimit } from '../output/lists.ts';
import { printDone, printList, printOne } from '../output/print.ts';
import type { Column } from '../output/table.ts';
import { localTime } from '../output/times.ts';
import { createCommand, fieldsOf, updateCommand } from './endpoint-settings.ts';
import { heldBecause, heldLine } from './held.ts';

const COLUMNS: readonly Column<WebhookEndpoint>[] = [
  { title: 'id', of: (e) => e.id },
  { title: 'status', of: (e) => e.status },
  { title: 'events', of: (e) => (e.allEvents ? 'all' : e.events.length) },
  { title: 'created', of: (e) => localTime(e.createdAt) },
  { title: 'url', of: (e) => e.url, cut: true },
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

/** Why something is held although the endpoint is open; its status says it of others. */
async function heldOfOpen(client: Client, endpoint: WebhookEndpoint): Promise<string | null> {
  if (endpoint.status !== 'ACTIVE') return null;
  for await (const { id } of client.listDeliveries({ endpointId: endpoint.id, status: 'HELD', limit: 1 }))
    return heldBecause(await client.getDelivery({ id }), endpoint);
  return null;
}

const show = (): Command =>
  new Command('show')
    .description('Show an endpoint, and how it fares.')
    .argument('<id>')
    .action(
      action<GlobalOptions, [id: string]>(async (options, id) => {
        const { client } = await connect(options);
        const { endpoint, calls } = await findEndpoint(client, id);
        const health = await calls.health(id);
        const held = options.json || health.held === 0 ? [] : await heldLine(() => heldOfOpen(client, endpoint));
        const { lastDay, lastFailure } = health;
        printOne(
          { ...endpoint, kind: calls.kind, health },
          [
            ...fieldsOf(endpoint),
            ['attempts in a day', `${lastDay.attempts}, ${lastDay.failures} of them failed`],
            ['last success', localTime(health.lastSuccessAt)],
            ['last failure', lastFailure && `${localTime(lastFailure.at)} ${lastFailure.errorClass ?? ''}`],
            ['waiting', `${health.pending} pending, ${health.held} held, ${health.dead} dead`],
            ...held,
          ],
          options,
        );
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
        printDone(`${delivery.event} is to be sent: posthorn deliveries show ${delivery.id}`, delivery, options);
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
    .addCommand(createCommand())
    .addCommand(updateCommand())
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
