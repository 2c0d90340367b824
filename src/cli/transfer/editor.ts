import type { Command } from 'commander';
import { readClientVariables } from '../../platform/config/client-variables.ts';
import { connect, connectedAs, type Connection, type GlobalOptions } from '../connection/connect.ts';

/** Options of commands that move the posts of a blog; those of their own are older than "posthorn login". */
export interface EditorOptions extends GlobalOptions {
  token?: string;
  email?: string;
  password?: string;
}

export const withEditor = (command: Command): Command =>
  command
    .option('--token <token>', "an editor's access token; as --key")
    .option('--email <email>', 'sign in as this editor, for this command only')
    .option('--password <password>', 'with this password');

/**
 * Who the editor is: as options say, else as they say for every command, else as the older variables of the environment do
 * (PH_URL, PH_TOKEN, PH_EMAIL, PH_PASSWORD).
 */
function editorOf(options: EditorOptions): EditorOptions {
  const { url, key, old } = readClientVariables();
  const isSaid = [options.token, options.email, options.key, options.profile, key].some((said) => said !== undefined);
  const orOld = (name: 'token' | 'email' | 'password', isOpen: boolean): EditorOptions => {
    const value = options[name] ?? (isOpen ? old[name] : undefined);
    return value === undefined ? {} : { [name]: value };
  };
  const isPlaced = [options.url, url, options.profile].some((said) => said !== undefined);
  return {
    ...options,
    ...(isPlaced || old.url === undefined ? {} : { url: old.url }),
    ...orOld('token', !isSaid),
    ...orOld('email', !isSaid),
    ...orOld('password', true),
  };
}

/** The service as an editor, who is signed in for this command or was before. Goes on over a restart of the service. */
export async function connectAsEditor(options: EditorOptions): Promise<Connection> {
  const { token, email, password, ...rest } = editorOf(options);
  const given = { ...rest, ...(token === undefined ? {} : { key: token }) };
  if (token !== undefined || email === undefined || password === undefined) return connect(given, { patient: true });
  const connection = await connect(given, { anonymous: true });
  const { accessToken } = await connection.client.signIn({ body: { email, password } });
  return connectedAs(connection, accessToken, true);
}
