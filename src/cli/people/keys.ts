import { Command, InvalidArgumentError, Option } from 'commander';
import type { ApiKey, Client, IssuedApiKey } from '../../../client/src/index.ts';
import { OVERLAP } from '../../contracts/key-overlap.ts';
import { timeOfUuidv7 } from '../../lib/ids.ts';
import { accountFilter, accountId, ownAccount } from '../connection/account.ts';
import { action } from '../action.ts';
import { connect, type Connection, isKey } from '../connection/connect.ts';
import { serviceNow } from '../connection/service-clock.ts';
import { duration, given, wordsOf } from '../output/arguments.ts';
import { confirm } from '../output/ask.ts';
import { collect, type ListOptions, pageSize, withLimit } from '../output/lists.ts';
import { printDone, printList, printOne, remark } from '../output/print.ts';
import type { Column } from '../output/table.ts';
import { localTime } from '../output/times.ts';
import { type KeysOf, leftWithout } from './last-key.ts';

/** Keys of a page, at most. */
const MOST_A_PAGE = 100;

type Scope = ApiKey['scopes'][number];
const SCOPES = wordsOf<Scope>({
  'blog:read': 1,
  'webhooks:manage': 2,
  'inbound:write': 3,
  'events:publish': 4,
  admin: 5,
});

interface AccountOption {
  account?: string;
}

const stateOf = ({ revokedAt, expiresAt }: ApiKey): string =>
  revokedAt !== null
    ? `revoked ${localTime(revokedAt)}`
    : expiresAt !== null
      ? `${Date.parse(expiresAt) <= serviceNow() ? 'replaced' : 'until'} ${localTime(expiresAt)}`
      : 'valid';

const COLUMNS: readonly Column<ApiKey>[] = [
  { title: 'id', of: (k) => k.id },
  { title: 'key', of: (k) => `${k.hint}…` },
  { title: 'account', of: (k) => k.accountId },
  { title: 'scopes', of: (k) => k.scopes.join(' ') },
  { title: 'state', of: stateOf },
  { title: 'name', of: (k) => k.name, cut: true },
];

/** The operations on keys as the caller may use them: operators on every key, members on those of their account. */
interface KeyCalls {
  /** Those of the account that was given; without one, all that the caller sees. */
  list(limit: number): ReturnType<Client['listApiKeys']>;
  /** All among which a key may be that is to be revoked. */
  every: KeysOf;
  /** The account that was given, where keys of others may be revoked, too. */
  accountId?: string | undefined;
  create(name: string, scopes: Scope[]): Promise<IssuedApiKey>;
  rotate(id: string, overlapSeconds?: number): Promise<IssuedApiKey>;
  revoke(id: string): Promise<unknown>;
}

function overlapTime(text: string): number {
  const seconds = duration(text);
  if (seconds > OVERLAP.most) throw new InvalidArgumentError(`It is at most ${OVERLAP.most / 86_400} days.`);
  return seconds;
}

const overlap = (overlapSeconds: number | undefined) => (overlapSeconds === undefined ? {} : { overlapSeconds });

async function callsOf(connection: Connection, account: string | undefined): Promise<KeyCalls> {
  const { client, credential } = connection;
  const isOperator = isKey(credential) || (await client.getMe()).user.operator;
  if (isOperator) {
    const filter = await accountFilter(connection, account);
    return {
      ...filter,
      list: (limit) => client.listApiKeys({ ...filter, limit }),
      every: (of, call) => client.listApiKeys({ ...given({ accountId: of }), limit: MOST_A_PAGE }, call),
      create: async (name, scopes) =>
        client.createApiKey({
          body: { accountId: filter.accountId ?? ((await ownAccount(connection)) as string), name, scopes },
        }),
      rotate: (id, seconds) => client.rotateApiKey({ id, body: overlap(seconds) }),
      revoke: (id) => client.revokeApiKey({ id }),
    };
  }
  const id = account === undefined ? ((await ownAccount(connection)) as string) : await accountId(connection, account);
  return {
    list: (limit) => client.listAccountApiKeys({ id, limit }),
    every: (_of, call) => client.listAccountApiKeys({ id, limit: MOST_A_PAGE }, call),
    create: (name, scopes) => client.createAccountApiKey({ id, body: { name, scopes: scopes as MemberScope[] } }),
    rotate: (keyId, seconds) => client.rotateAccountApiKey({ id, keyId, body: overlap(seconds) }),
    revoke: (keyId) => client.revokeAccountApiKey({ id, keyId }),
  };
}

/** The service says no to the others, in its own words. */
type MemberScope = 'blog:read' | 'webhooks:manage' | 'inbound:write';

const withAccount = (command: Command): Command =>
  command.option('--account <account>', 'whose: id or name (default: your only account)');

function tellIssued(issued: IssuedApiKey, options: { json?: boolean }): void {
  printOne(
    issued,
    [
      ['id', issued.id],
      ['account', issued.accountId],
      ['name', issued.name],
      ['scopes', issued.scopes.join(' ')],
      ['key', issued.key],
      ['signing secret', issued.signingSecret],
    ],
    options,
  );
  remark('Key and signing secret are shown now and never again.');
}

/** Until when the old key works, by the service's clock, which made the id of the new one: the old key itself may not be able to ask any more. */
function endOfOld({ id }: IssuedApiKey, overlapSeconds: number): string {
  if (overlapSeconds === 0) return 'The old key and its secret do not work any more.';
  const end = new Date(timeOfUuidv7(id) + overlapSeconds * 1000).toISOString();
  return `The old key and its secret work until ${localTime(end)}.`;
}

const list = (): Command =>
  withLimit(withAccount(new Command('list')))
    .description('List API keys.')
    .action(
      action<ListOptions & AccountOption>(async (options) => {
        const calls = await callsOf(await connect(options), options.account);
        printList(await collect(calls.list(pageSize(options)), options), COLUMNS, 'keys', options);
      }),
    );

const create = (): Command =>
  withAccount(new Command('create'))
    .description('Issue an API key, and the signing secret that comes with it.')
    .argument('<name>', 'what it is for')
    .addOption(new Option('--scope <scope...>', 'what it may be used for').choices(SCOPES).makeOptionMandatory())
    .action(
      action<AccountOption & { scope: Scope[] }, [name: string]>(async (options, name) => {
        const calls = await callsOf(await connect(options), options.account);
        tellIssued(await calls.create(name, options.scope), options);
      }),
    );

const rotate = (): Command =>
  withAccount(new Command('rotate'))
    .description('Replace a key and its signing secret; the old ones stay valid for a while.')
    .argument('<id>')
    .option('--overlap <time>', 'how long the old ones stay valid: 30m, 7d, at most 30d (default: 24h)', overlapTime)
    .option('--yes', 'do not ask')
    .action(
      action<AccountOption & { overlap?: number; yes?: boolean }, [id: string]>(async (options, id) => {
        const calls = await callsOf(await connect(options), options.account);
        await confirm(`Rotate key ${id}`, options);
        const issued = await calls.rotate(id, options.overlap);
        tellIssued(issued, options);
        if (!options.json) remark(endOfOld(issued, options.overlap ?? OVERLAP.default));
      }),
    );

const revoke = (): Command =>
  withAccount(new Command('revoke'))
    .description('End a key at once, and its signing secret.')
    .argument('<id>')
    .option('--yes', 'do not ask')
    .action(
      action<AccountOption & { yes?: boolean }, [id: string]>(async (options, id) => {
        const calls = await callsOf(await connect(options), options.account);
        await confirm(`Revoke key ${id}`, options, () => leftWithout(calls.every, { id, accountId: calls.accountId }));
        printDone(`Key ${id} is revoked.`, await calls.revoke(id), options);
      }),
    );

/** `posthorn keys …`. */
export const keysCommand = (): Command =>
  new Command('keys')
    .description('API keys and their signing secrets.')
    .addCommand(list())
    .addCommand(create())
    .addCommand(rotate())
    .addCommand(revoke());
