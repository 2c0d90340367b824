import { type Command, Option } from 'commander';
import { readClientVariables } from '../../platform/config/client-variables.ts';
import { connect, connectedAs, type Connection, type GlobalOptions } from '../connection/connect.ts';
import { failureOfSignIn, wrongUse } from '../failure.ts';
import { askLine, askPassword, readStdin } from '../output/ask.ts';

/** Options of commands that move the posts of a blog; those of their own are older than "posthorn login". */
export interface EditorOptions extends GlobalOptions {
  token?: string;
  email?: string;
  password?: string;
  passwordStdin?: boolean;
}

export const withEditor = (command: Command): Command =>
  command
    .option('--token <token>', "an editor's access token; as --key")
    .option('--email <email>', 'sign in as this editor, for this command only; the password is asked for')
    .option('--password-stdin', 'read the password from standard input')
    .addOption(
      new Option('--password <password>', 'the password, where other users of the machine may see it').conflicts(
        'passwordStdin',
      ),
    );

const isSaid = (value: unknown): boolean => value !== undefined;

/** Whether options give a password: whoever does means it, and no credential. */
const hasPassword = ({ password, passwordStdin }: EditorOptions): boolean => [password, passwordStdin].some(isSaid);

function checkOne(options: EditorOptions): void {
  const [credential] = (['token', 'key'] as const).filter((name) => isSaid(options[name]));
  if (credential !== undefined && (isSaid(options.email) || hasPassword(options)))
    throw wrongUse(`give either --${credential}, or --email with a password`);
}

/**
 * Who the editor is: as options say, else as they say for every command, else as the older variables of the environment do
 * (PH_URL, PH_TOKEN, PH_EMAIL, PH_PASSWORD).
 */
function editorOf(options: EditorOptions): EditorOptions {
  const { url, key, old } = readClientVariables();
  const isOpen = ![options.token, options.email, options.key, options.profile, key].some(isSaid);
  const orOld = (name: 'token' | 'email' | 'password', mayBeOld: boolean): EditorOptions => {
    const value = options[name] ?? (mayBeOld ? old[name] : undefined);
    return value === undefined ? {} : { [name]: value };
  };
  const isPlaced = [options.url, url, options.profile].some(isSaid);
  return {
    ...options,
    ...(isPlaced || old.url === undefined ? {} : { url: old.url }),
    ...orOld('token', isOpen && !hasPassword(options)),
    ...orOld('email', isOpen),
    ...orOld('password', true),
  };
}

/** Whoever signs in for this command; what of it is not said is asked for. Fails where nobody can be asked. */
async function askPerson({ email, password, passwordStdin }: EditorOptions) {
  return {
    email: email ?? (await askLine('E-mail:', '--email')),
    password: passwordStdin ? await readStdin() : (password ?? (await askPassword('Password:', '--password-stdin'))),
  };
}

/**
 * The service as an editor, who is signed in for this command or was before. An e-mail or a password that is given is
 * never left aside for who was. Goes on over a restart of the service.
 */
export async function connectAsEditor(options: EditorOptions): Promise<Connection> {
  checkOne(options);
  const editor = editorOf(options);
  const { token, email, password: _password, passwordStdin: _passwordStdin, ...rest } = editor;
  const given = { ...rest, ...(token === undefined ? {} : { key: token }) };
  if (token !== undefined || (email === undefined && !hasPassword(options))) return connect(given, { patient: true });
  const connection = await connect(given, { anonymous: true, withoutKeyOfShell: true });
  const body = await askPerson(editor);
  const { accessToken } = await connection.client.signIn({ body }).catch((error: unknown) => {
    throw failureOfSignIn(error);
  });
  return connectedAs(connection, accessToken, true);
}
