import { Command, Option } from 'commander';
import type { Operations, User } from '../../../client/src/index.ts';
import { isUuid } from '../../lib/ids.ts';
import { action } from '../action.ts';
import { connect, type Connection } from '../connection/connect.ts';
import { Failure, wrongUse } from '../failure.ts';
import { calledAs } from '../option-names.ts';
import { askPassword, confirm, readStdin } from '../output/ask.ts';
import { collect, type ListOptions, pageSize, withLimit } from '../output/lists.ts';
import { printDone, printList, printOne } from '../output/print.ts';
import type { Column } from '../output/table.ts';
import { localTime } from '../output/times.ts';

type BlogRole = 'AUTHOR' | 'EDITOR';
type Changes = NonNullable<Operations['updateUser']['input']['body']>;

const rolesOf = ({ blogRole, operator, disabled }: User): string =>
  [blogRole, operator ? 'OPERATOR' : null, disabled ? 'disabled' : null].filter((r) => r !== null).join(', ') || '–';

const COLUMNS: readonly Column<User>[] = [
  { title: 'id', of: (u) => u.id },
  { title: 'email', of: (u) => u.email },
  { title: 'roles', of: rolesOf },
  { title: 'created', of: (u) => localTime(u.createdAt) },
  { title: 'name', of: (u) => u.name, cut: true },
];

const fieldsOf = (u: User): [string, string | null][] => [
  ['id', u.id],
  ['name', u.name],
  ['e-mail', u.email],
  ['roles', rolesOf(u)],
  ['created', localTime(u.createdAt)],
];

const roleOption = (): Option =>
  new Option('--role <role>', 'what they may do in the blog').choices(['AUTHOR', 'EDITOR', 'NONE']);

async function idOfEmail({ client }: Connection, email: string): Promise<string | undefined> {
  for await (const user of client.listUsers({ q: email }))
    if (user.email?.toLowerCase() === email.toLowerCase()) return user.id;
  return undefined;
}

/** A user who is given by id or by e-mail. Fails when there is none. */
async function userId(connection: Connection, given: string): Promise<string> {
  const id = isUuid(given) ? given : await calledAs({ 'query.q': 'user' }, idOfEmail(connection, given));
  if (id !== undefined) return id;
  throw new Failure(`there is no user "${given}": see "posthorn users list"`);
}

const list = (): Command =>
  withLimit(new Command('list'))
    .description('List users.')
    .option('--search <text>', 'part of name or e-mail')
    .addOption(roleOption().choices(['AUTHOR', 'EDITOR']))
    .option('--operators', 'operators only')
    .action(
      action<ListOptions & { search?: string; role?: BlogRole; operators?: true }>(async (options) => {
        const { client } = await connect(options);
        const { search: q, role: blogRole, operators: operator } = options;
        const items = client.listUsers({
          ...(q === undefined ? {} : { q }),
          ...(blogRole === undefined ? {} : { blogRole }),
          ...(operator === undefined ? {} : { operator }),
          limit: pageSize(options),
        });
        printList(await collect(items, options), COLUMNS, 'users', options);
      }),
    );

const create = (): Command =>
  new Command('create')
    .description('Create a user; the password is asked for.')
    .argument('<email>')
    .requiredOption('--name <name>', 'as readers see it')
    .addOption(roleOption())
    .option('--operator', 'may do everything')
    .option('--password-stdin', 'read the password from standard input')
    .action(
      action<{ name: string; role?: BlogRole | 'NONE'; operator?: true; passwordStdin?: true }, [email: string]>(
        async (options, email) => {
          const { client } = await connect(options);
          const { name, role, operator } = options;
          const password = options.passwordStdin
            ? await readStdin()
            : await askPassword('Password:', '--password-stdin');
          const user = await client.createUser({
            body: {
              email,
              name,
              password,
              ...(role === undefined ? {} : { blogRole: role === 'NONE' ? null : role }),
              ...(operator === undefined ? {} : { operator }),
            },
          });
          printOne(user, fieldsOf(user), options);
        },
      ),
    );

interface UpdateOptions {
  name?: string;
  role?: BlogRole | 'NONE';
  /** `--operator`, `--no-operator`. */
  operator?: boolean;
}

const update = (): Command =>
  new Command('update')
    .description('Change name or rights of a user; they hold with the next request.')
    .argument('<user>', 'id or e-mail')
    .option('--name <name>', 'as readers see it')
    .addOption(roleOption())
    .option('--operator', 'may do everything')
    .option('--no-operator', 'may not any more')
    .action(
      action<UpdateOptions, [user: string]>(async (options, given) => {
        const { name, role, operator } = options;
        const changes: Changes = {
          ...(name === undefined ? {} : { name }),
          ...(role === undefined ? {} : { blogRole: role === 'NONE' ? null : role }),
          ...(operator === undefined ? {} : { operator }),
        };
        if (Object.keys(changes).length === 0) throw wrongUse('nothing to change: give --name, --role or --operator');
        const connection = await connect(options);
        const user = await connection.client.updateUser({ id: await userId(connection, given), body: changes });
        printOne(user, fieldsOf(user), options);
      }),
    );

const setDisabled = (name: string, disabled: boolean, description: string): Command => {
  const command = new Command(name).description(description).argument('<user>', 'id or e-mail');
  if (disabled) command.option('--yes', 'do not ask');
  return command.action(
    action<{ yes?: boolean }, [user: string]>(async (options, given) => {
      const connection = await connect(options);
      const id = await userId(connection, given);
      if (disabled) await confirm(`Disable ${given}`, options);
      const user = await connection.client.updateUser({ id, body: { disabled } });
      printDone(`${user.email ?? user.id} is ${disabled ? 'disabled' : 'enabled'}.`, user, options);
    }),
  );
};

/** `posthorn users …`. */
export const usersCommand = (): Command =>
  new Command('users')
    .description('Users and their rights (operators).')
    .addCommand(list())
    .addCommand(create())
    .addCommand(update())
    .addCommand(setDisabled('disable', true, 'Let a user in no more; their sessions end at once.'))
    .addCommand(setDisabled('enable', false, 'Let a disabled user in again.'));
