import { randomBytes } from 'node:crypto';
import { Command } from 'commander';
import type { Client, Operations } from '../../../client/src/index.ts';
import { action } from '../action.ts';
import { accountId, ownAccount } from '../connection/account.ts';
import { connect, type Connection, type GlobalOptions } from '../connection/connect.ts';
import { Failure, wrongUse } from '../failure.ts';
import { printDone, printList } from '../output/print.ts';
import type { Column } from '../output/table.ts';
import { nearest } from '../../lib/nearest.ts';
import { readSetting, type SetField, withFields } from './set-fields.ts';

type EventType = Operations['listEventTypes']['reply']['data'][number];
type Data = Record<string, unknown>;

interface Options extends GlobalOptions {
  list?: boolean;
  account?: string[];
  set?: SetField[];
}

const COLUMNS: readonly Column<EventType>[] = [
  { title: 'event', of: (t) => t.event },
  {
    title: 'sent to',
    of: (t) => (t.webhook === null ? 'nobody' : t.webhook === 'BUSINESS' ? 'businesses' : 'merchants'),
  },
  { title: 'caused by', of: (t) => t.derivedFrom },
  { title: 'what', of: (t) => t.description, cut: true },
];

/** What an event must hold, so that it also causes the webhook that is derived from it (docs/events.md). */
export const CAUSES: Readonly<Record<string, Data>> = {
  'trade.counterparty_hold_started': { counterpartyCompleted: false },
  'trade.closed_unreciprocated': { reason: 'UNRECIPROCATED' },
  'reservation.failed': { cause: 'UNAVAILABLE' },
};

function find(types: readonly EventType[], name: string): EventType {
  const found = types.find(({ event }) => event === name);
  if (found) return found;
  const close = nearest(
    name,
    types.map(({ event }) => event),
  );
  throw wrongUse(
    `there is no event ${name}${close === null ? '.' : `; did you mean ${close}?`} See "posthorn trigger --list".`,
  );
}

/** Another trade each time: receivers take the same event of the same trade for a repetition (interface.md 6.6.4). */
function anew(data: Data): Data {
  return 'tradeSessionId' in data ? { ...data, tradeSessionId: `ts_${randomBytes(6).toString('base64url')}` } : data;
}

/** The example's data: what is left of the webhook's body. */
function exampleOf({ example }: EventType): Data {
  const { event: _event, timestamp: _timestamp, ...data } = example;
  return data;
}

/** The event to publish, so that a webhook of this name is sent. */
export function eventFor(
  types: readonly EventType[],
  name: string,
  fields: readonly SetField[],
): { event: string; data: Data } {
  const wanted = find(types, name);
  const source = wanted.derivedFrom === null ? wanted : find(types, wanted.derivedFrom);
  const cause = wanted.derivedFrom === null ? {} : (CAUSES[name] ?? {});
  return { event: source.event, data: withFields({ ...anew(exampleOf(source)), ...cause }, fields) };
}

async function audience(connection: Connection, given: readonly string[] | undefined): Promise<string[]> {
  if (given) return Promise.all(given.map((one) => accountId(connection, one)));
  const own = await ownAccount(connection);
  if (own === undefined) throw wrongUse('--account is needed with an API key: who gets the event');
  return [own];
}

async function publish(
  client: Client,
  accountIds: string[],
  options: Options,
  event: { event: string; data: Data },
): Promise<void> {
  const { data } = await client.publishEvents({ body: { ...event, accountIds } });
  const [published] = data;
  if (!published) throw new Failure('the service took the event and told no id');
  printDone(
    `${published.event} is published: posthorn events show ${published.id}`,
    { ...published, ...event, accountIds },
    options,
  );
}

async function trigger(options: Options, name: string | undefined): Promise<void> {
  if (name === undefined && !options.list) throw wrongUse('which event? "posthorn trigger --list" shows them all');
  const connection = await connect(options);
  const { data: types } = await connection.client.listEventTypes();
  if (name === undefined) return printList({ data: types, hasMore: false }, COLUMNS, 'events', options);
  const event = eventFor(types, name, options.set ?? []);
  await publish(connection.client, await audience(connection, options.account), options, event);
}

/** `posthorn trigger <event>`. */
export const triggerCommand = (): Command =>
  new Command('trigger')
    .description('Publish the example of an event, so that its webhooks are sent.')
    .argument('[event]', 'its name, or that of a webhook that another event causes')
    .option('--list', 'show the names')
    .option('--account <account...>', 'who gets it: id or name (default: your only account)')
    .option('--set <path=value...>', 'another value: tradeAmount=12.5, items.0.quantity=2', readSetting)
    .addHelpText(
      'after',
      `
The event is a real one: it stands in the audit trail, and reactions to it happen. Where it is about a trade, it is about
another one each time. "posthorn endpoints test" sends an example to one endpoint only, without an event.

Examples:
  $ posthorn trigger --list
  $ posthorn trigger checkout.started --account "Lamp shop" --set tradeAmount=12.5 currency=USD`,
    )
    .action(action<Options, [event?: string]>(trigger));
