import { Command, Option } from 'commander';
import type { WebhookEndpoint } from '../../../client/src/index.ts';
import { action } from '../action.ts';
import { accountFilter } from '../connection/account.ts';
import { connect } from '../connection/connect.ts';
import { createOfEitherKind, endpointCalls, type EndpointKind, findEndpoint } from '../connection/endpoints.ts';
import { wrongUse } from '../failure.ts';
import { given, positive } from '../output/arguments.ts';
import { printOne } from '../output/print.ts';
import { localTime } from '../output/times.ts';

/** What is told of an endpoint. */
export const fieldsOf = (e: WebhookEndpoint): (readonly [string, string | number | null])[] => [
  ['id', e.id],
  ['account', e.accountId],
  ['url', e.url],
  ['status', e.statusReason === null ? e.status : `${e.status}: ${e.statusReason}`],
  ['events', e.allEvents ? 'all, also those to come' : e.events.join(', ')],
  ['description', e.description || null],
  ['own headers', e.headerNames.join(', ') || null],
  ['at once', e.maxInFlight ?? 'as many as the service allows'],
  ['per second', e.ratePerSecond ?? 'no limit'],
  ['created', localTime(e.createdAt)],
];

/** False is what `--no-…` gives: what there is is taken away. */
interface SettingOptions {
  events?: string[];
  description?: string | false;
  headers?: string[] | false;
  maxInFlight?: number | false;
  rate?: number | false;
}

const withSettings = (command: Command, ofEvents: string): Command =>
  command
    .option('--events <event...>', ofEvents)
    .option('--description <text>', 'what it is, for people')
    .option('--headers <header...>', 'sent along with each request, such as "X-Shop: 7"')
    .option('--max-in-flight <n>', 'requests at once', positive)
    .option('--rate <n>', 'requests a second', positive);

/** RFC 9110, section 5.6.2. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/** Headers by name. No value is told again, nor what may be one: many are secrets. */
function headersOf(lines: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [name = '', ...rest] = line.split(':');
    const [key, value] = [name.trim(), rest.join(':').trim()];
    if (rest.length === 0 || !TOKEN.test(key))
      throw wrongUse('a header of --headers is a name and a value, such as "X-Shop: 7"');
    if (value === '') throw wrongUse(`the header ${key} is empty`);
    if ([...headers.keys()].some((other) => other.toLowerCase() === key.toLowerCase()))
      throw wrongUse(`the header ${key} is given twice`);
    headers.set(key, value);
  }
  return Object.fromEntries(headers);
}

const orNone = (value: number | false | undefined): number | null | undefined => (value === false ? null : value);

/** The settings that were given, as the service takes them. */
const settingsOf = ({ events, description, headers, maxInFlight, rate }: SettingOptions) =>
  given({
    events,
    description: description === false ? '' : description,
    headers: headers === undefined ? undefined : headersOf(headers || []),
    maxInFlight: orNone(maxInFlight),
    ratePerSecond: orNone(rate),
  });

interface CreateOptions extends SettingOptions {
  account?: string;
  kind?: EndpointKind;
}

/** `posthorn endpoints create <url>`. */
export const createCommand = (): Command =>
  withSettings(
    new Command('create')
      .description('Send events to an address from now on.')
      .argument('<url>', 'takes POST')
      .option('--account <account>', 'for whom: id or name (default: your only account)'),
    'only these (default: all of the account’s kind)',
  )
    .addOption(
      new Option('--kind <kind>', 'which events (default: as the account takes)').choices(['MERCHANT', 'BUSINESS']),
    )
    .action(
      action<CreateOptions, [url: string]>(async (options, url) => {
        const body = { url, ...settingsOf(options) };
        const connection = await connect(options);
        const { client } = connection;
        const input = { ...(await accountFilter(connection, options.account)), body };
        const endpoint =
          options.kind === undefined
            ? (await createOfEitherKind(client, input)).endpoint
            : await endpointCalls(client, options.kind).create(input);
        printOne(endpoint, fieldsOf(endpoint), options);
      }),
    );

/** `posthorn endpoints update <id> [url]`. Its address is an argument, as that of a new one is: `--url` is the service's. */
export const updateCommand = (): Command =>
  withSettings(
    new Command('update')
      .description('Change an endpoint; what waits for it goes by the new settings, too.')
      .argument('<id>')
      .argument('[url]', 'its new address, takes POST (--url is the service’s)'),
    'only these',
  )
    .addOption(new Option('--all-events', 'all of the account’s kind, also those to come').conflicts('events'))
    .option('--no-description', 'none any more')
    .option('--no-headers', 'none of its own any more')
    .option('--no-max-in-flight', 'as many at once as the service allows')
    .option('--no-rate', 'no limit of requests a second')
    .addHelpText(
      'after',
      `
--headers takes the place of all headers that there are.

Examples:
  $ posthorn endpoints update 01a1… https://shop.example.com/new-hooks
  $ posthorn endpoints update 01a1… --all-events --rate 20 --no-headers`,
    )
    .action(
      action<SettingOptions & { allEvents?: true }, [id: string, url?: string]>(async (options, id, url) => {
        const changes = { ...given({ url }), ...settingsOf(options), ...(options.allEvents ? { events: null } : {}) };
        if (Object.keys(changes).length === 0)
          throw wrongUse(
            'nothing to change: give the new url behind the id, --events, --all-events, --description, --headers, --max-in-flight or --rate',
          );
        const { calls } = await findEndpoint((await connect(options)).client, id);
        const endpoint = await calls.update(id, changes);
        printOne(endpoint, fieldsOf(endpoint), options);
      }),
    );
