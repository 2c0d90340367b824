import { Command } from 'commander';
import { keyHint } from '../../lib/credentials.ts';
import { action } from '../action.ts';
import { connect, type Connection, type GlobalOptions, isKey } from '../connection/connect.ts';
import { printOne } from '../output/print.ts';
import { localTime } from '../output/times.ts';

async function tellKey(
  { client, url, credential = '', profileName }: Connection,
  options: GlobalOptions,
): Promise<void> {
  await client.listEventTypes();
  const hint = keyHint(credential);
  printOne(
    { url, profile: profileName, kind: 'key', hint },
    [
      ['service', url],
      ['profile', profileName],
      ['API key', `${hint}… (the service takes it, and does not tell whose it is)`],
    ],
    options,
  );
}

async function whoAmI(options: GlobalOptions): Promise<void> {
  const connection = await connect(options);
  const { client, url, credential, profile, profileName } = connection;
  if (isKey(credential)) return tellKey(connection, options);
  const { user, accounts } = await client.getMe();
  const expiresAt = profile && profile.credential === credential ? (profile.expiresAt ?? null) : null;
  const roles = [user.blogRole, user.operator ? 'OPERATOR' : null].filter((role) => role !== null);
  printOne(
    { url, profile: profileName, kind: 'session', expiresAt, user, accounts },
    [
      ['service', url],
      ['profile', profileName],
      ['user', `${user.name} <${user.email ?? 'no e-mail'}>`],
      ['id', user.id],
      ['roles', roles.length === 0 ? 'none' : roles.join(', ')],
      ...accounts.map(({ id, name, type }) => ['account', `${id}  ${name} (${type})`] as const),
      ['signed in until', localTime(expiresAt)],
    ],
    options,
  );
}

/** `posthorn whoami`. */
export const whoamiCommand = (): Command =>
  new Command('whoami').description('Show the service, and who you are there.').action(action(whoAmI));
