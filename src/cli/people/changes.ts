import { Command, Option } from 'commander';
import type { Operations } from '../../../client/src/index.ts';
import { action } from '../action.ts';
import { accountFilter, accountId, ownAccount } from '../connection/account.ts';
import { connect, type Connection, isKey } from '../connection/connect.ts';
import { given, pastInstant, wordsOf } from '../output/arguments.ts';
import { collect, type ListOptions, pageSize, withLimit } from '../output/lists.ts';
import { printList } from '../output/print.ts';
import type { Column } from '../output/table.ts';
import { localTime } from '../output/times.ts';

type Change = NonNullable<Operations['listChanges']['item']>;
type Filter = Omit<Operations['listAccountChanges']['input'], 'id' | 'cursor'>;

const ACTIONS = wordsOf<Change['action']>({
  'account.created': 1,
  'account.renamed': 2,
  'member.added': 3,
  'member.removed': 4,
  'user.created': 5,
  'user.updated': 6,
  'user.disabled': 7,
  'user.enabled': 8,
  'user.password_changed': 9,
  'api_key.created': 10,
  'api_key.rotated': 11,
  'api_key.revoked': 12,
  'endpoint.created': 13,
  'endpoint.updated': 14,
  'endpoint.paused': 15,
  'endpoint.resumed': 16,
  'endpoint.deleted': 17,
  'endpoint.disabled': 18,
  'endpoint.opened': 19,
  'delivery_retention.changed': 20,
  'comment_settings.changed': 21,
});

const byOf = ({ actor: { kind, id, name, hint } }: Change): string => {
  if (kind === 'SERVICE') return 'the service';
  const called = name ?? id ?? '';
  return kind === 'USER' ? called : `key ${called}${hint === null ? '' : ` (${hint}…)`}`;
};

function plain(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (Array.isArray(value)) return value.join(' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** `name: Shop → Lamp shop`; of what was created, what it was created with. */
const fieldsOf = ({ before, after }: Change): string =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((field) =>
      field in before && field in after
        ? `${field}: ${plain(before[field])} → ${plain(after[field])}`
        : `${field}: ${plain(before[field] ?? after[field])}`,
    )
    .join(', ');

const COLUMNS: readonly Column<Change>[] = [
  { title: 'when', of: (c) => localTime(c.at) },
  { title: 'by', of: byOf, cut: true },
  { title: 'action', of: (c) => c.action },
  { title: 'what', of: (c) => c.thing.name, cut: true },
  { title: 'account', of: (c) => c.account?.name ?? null, cut: true },
  { title: 'fields', of: (c) => fieldsOf(c) || null, cut: true },
];

/** How somebody reads changes: operators all of them, members those that concern their account. */
async function listOf(
  connection: Connection,
  account: string | undefined,
): Promise<(filter: Filter) => AsyncIterable<Change>> {
  const { client, credential } = connection;
  if (isKey(credential) || (await client.getMe()).user.operator) {
    const of = await accountFilter(connection, account);
    return (filter) => client.listChanges({ ...of, ...filter });
  }
  const id = account === undefined ? await ownAccount(connection) : await accountId(connection, account);
  return (filter) => client.listAccountChanges({ id: id as string, ...filter });
}

interface Options extends ListOptions {
  account?: string;
  by?: string;
  action?: Change['action'][];
  thing?: string;
  since?: string;
  until?: string;
}

/** `posthorn changes`. */
export const changesCommand = (): Command =>
  withLimit(new Command('changes'))
    .description('List who changed keys, endpoints, users, members and settings, the newest first.')
    .option('--account <account>', 'what concerns it: id or name (members: default your only account)')
    .option('--by <id>', 'made by this user or API key')
    .addOption(new Option('--action <action...>', 'of these kinds').choices(ACTIONS))
    .option('--thing <id>', 'of this account, user, key, endpoint or subscription')
    .option('--since <time>', 'made then or later: 2026-01-31T09:00, 24h', pastInstant)
    .option('--until <time>', 'made before', pastInstant)
    .action(
      action<Options>(async (options) => {
        const { account, by: actorId, action: actions, thing: thingId, since, until } = options;
        const filter = given({ actorId, action: actions, thingId, since, until, limit: pageSize(options) });
        const list = await listOf(await connect(options), account);
        printList(await collect(list(filter), options), COLUMNS, 'changes', options);
      }),
    );
