import { type Command, Option } from 'commander';
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
    .addOption(new Option('--token <token>', "an editor's access token; as --key").env('PH_TOKEN'))
    .addOption(new Option('--email <email>', 'sign in as this editor, for this command only').env('PH_EMAIL'))
    .addOption(new Option('--password <password>', 'with this password').env('PH_PASSWORD'));

/** The service as an editor, who is signed in for this command or was before. Goes on over a restart of the service. */
export async function connectAsEditor(options: EditorOptions): Promise<Connection> {
  const { token, email, password, ...rest } = options;
  const url = rest.url ?? readClientVariables().oldUrl;
  const given = { ...rest, ...(url === undefined ? {} : { url }), ...(token === undefined ? {} : { key: token }) };
  if (token !== undefined || email === undefined || password === undefined) return connect(given, { patient: true });
  const connection = await connect(given, { anonymous: true });
  const { accessToken } = await connection.client.signIn({ body: { email, password } });
  return connectedAs(connection, accessToken, true);
}
