import { Command, Option } from 'commander';
import type { Account, Client, Operations } from '../../../client/src/index.ts';
import { action } from '../action.ts';
import { accountId } from '../connection/account.ts';
import { connect, isKey } from '../connection/connect.ts';
import { wordsOf } from '../output/arguments.ts';
import { collect, type ListOptions, pageSize, withLimit } from '../output/lists.ts';
import { printList, printOne, remark } from '../output/print.ts';
import type { Column } from '../output/table.ts';

type Type = Account['type'];
const TYPES = wordsOf<Type>({ MERCHANT: 1, BUSINESS: 2, SITE: 3, PLATFORM: 4 });

const COLUMNS: readonly Column<Account>[] = [
  { title: 'id', of: (a) => a.id },
  { title: 'type', of: (a) => a.type },
  { title: 'name', of: (a) => a.name, cut: true },
];

const typeOption = (): Option => new Option('--type <type>', 'what it is').choices(TYPES);

const list = (): Command =>
  withLimit(new Command('list'))
    .description('List accounts: all of them for operators, else your own.')
    .option('--search <text>', 'part of the name')
    .addOption(typeOption())
    .action(
      action<ListOptions & { search?: string; type?: Type }>(async (options) => {
        const { client, credential } = await connect(options);
        const me = isKey(credential) ? null : await client.getMe();
        const { search: q, type } = options;
        const filter = { ...(q === undefined ? {} : { q }), ...(type === undefined ? {} : { type }) };
        if (me === null || me.user.operator) {
          const items = client.listAccounts({ ...filter, limit: pageSize(options) });
          return printList(await collect(items, options), COLUMNS, 'accounts', options);
        }
        const fits = (a: Account): boolean =>
          (type === undefined || a.type === type) &&
          (q === undefined || a.name.toLowerCase().includes(q.toLowerCase()));
        printList({ data: me.accounts.filter(fits), hasMore: false }, COLUMNS, 'accounts', options);
      }),
    );

const create = (): Command =>
  new Command('create')
    .description('Create an account: whoever has keys, endpoints or a blog (operators).')
    .argument('<name>')
    .addOption(typeOption().makeOptionMandatory())
    .action(
      action<{ type: Type }, [name: string]>(async (options, name) => {
        const { client } = await connect(options);
        const account = await client.createAccount({ body: { name, type: options.type } });
        printOne(account, fieldsOf(account), options);
        await tellNamesakes(client, account);
      }),
    );

const rename = (): Command =>
  new Command('rename')
    .description('Give an account another name (operators).')
    .argument('<account>', 'id or name')
    .argument('<name>', 'the new one')
    .action(
      action<object, [account: string, name: string]>(async (options, given, name) => {
        const connection = await connect(options);
        const id = await accountId(connection, given);
        const account = await connection.client.updateAccount({ id, body: { name } });
        printOne(account, fieldsOf(account), options);
      }),
    );

/** Names are no keys, so two accounts may have the same: whoever made the second by mistake learns it now. */
async function tellNamesakes(client: Client, { id, name }: Account): Promise<void> {
  // It is made by now: that they cannot be asked for is no failure of it.
  const found = await Array.fromAsync(client.listAccounts({ q: name })).catch(() => []);
  const others = found.filter((one) => one.id !== id && one.name.toLowerCase() === name.toLowerCase());
  if (others.length === 0) return;
  const ids = others.map((one) => one.id).join(', ');
  remark(`Another account has this name: ${ids}. Where a command takes a name, give the id of the one that is meant.`);
}

const fieldsOf = ({ id, name, type }: Account): [string, string][] => [
  ['id', id],
  ['name', name],
  ['type', type],
];

type Member = NonNullable<Operations['listMembers']['item']>;

const show = (): Command =>
  new Command('show')
    .description('Show an account and its members (operators).')
    .argument('<account>', 'id or name')
    .action(
      action<object, [account: string]>(async (options, given) => {
        const connection = await connect(options);
        const id = await accountId(connection, given);
        const account = await connection.client.getAccount({ id });
        const members: Member[] = await Array.fromAsync(connection.client.listMembers({ id }));
        const told = members.map(
          (m) => ['member', `${m.id}  ${m.name} <${m.email ?? 'no e-mail'}>`] as [string, string],
        );
        printOne({ ...account, members }, [...fieldsOf(account), ...told], options);
      }),
    );

/** `posthorn accounts …`. */
export const accountsCommand = (): Command =>
  new Command('accounts')
    .description('Accounts: whoever has keys and endpoints.')
    .addCommand(list())
    .addCommand(show())
    .addCommand(create())
    .addCommand(rename());
