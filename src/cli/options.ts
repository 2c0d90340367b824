import { type Command, Option } from 'commander';
import { Service, signIn } from './service.ts';

/** Options of every command that speaks to the service. */
export interface ServiceOptions {
  url: string;
  token?: string;
  email?: string;
  password?: string;
}

export const withService = (command: Command): Command =>
  command
    .addOption(new Option('--url <address>', 'address of the service').default('http://127.0.0.1:3000').env('PH_URL'))
    .addOption(new Option('--token <token>', "an editor's access token").env('PH_TOKEN'))
    .addOption(new Option('--email <email>', 'sign in as this editor').env('PH_EMAIL'))
    .addOption(new Option('--password <password>', 'with this password').env('PH_PASSWORD'));

/** The service as the options say. Ends the command as wrongly used when they hold no credential. */
export async function serviceOf(command: Command, { url, token, email, password }: ServiceOptions): Promise<Service> {
  if (token !== undefined) return new Service(url, token);
  if (email === undefined || password === undefined) {
    command.error('error: --token, or --email and --password of an editor, are needed');
  }
  return signIn(url, email, password);
}

/** Names of files come from elsewhere: control characters would reach the terminal. */
export const printable = (text: string): string => text.replaceAll(/\p{Cc}/gu, '?');

/** Rewrites one line of a terminal; says nothing where stderr is none. */
export function progressLine(
  what: string,
  total?: number,
): {
  show: (done: number) => void;
  end: () => void;
} {
  const shows = process.stderr.isTTY;
  let last = -1;
  return {
    show(done) {
      // A terminal is slower than the work.
      if (!shows || (done - last < 10 && done !== total)) return;
      last = done;
      process.stderr.write(`\r${done}${total === undefined ? '' : ` of ${total}`} ${what}`);
    },
    end() {
      if (shows && last >= 0) process.stderr.write('\r\u001b[K');
    },
  };
}
