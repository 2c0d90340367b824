import { Command } from 'commander';
import { PosthornError, type Reader } from '../../../client/src/index.ts';
import { action } from '../action.ts';
import { connect, type Connection, type GlobalOptions } from '../connection/connect.ts';
import { readHealth } from '../connection/health.ts';
import { VERSION } from '../connection/version.ts';
import { EXIT } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { printOne } from '../output/print.ts';
import { dimOn, table } from '../output/table.ts';
import { localTime } from '../output/times.ts';

/** The readers, or why they are not shown: only operators may see them, or the credential is none any more. */
async function readersFor({ client, credential }: Connection): Promise<readonly Reader[] | 'NOT_ALLOWED' | 'OVER'> {
  if (credential === undefined) return 'NOT_ALLOWED';
  try {
    return (await client.listReaders()).data;
  } catch (error) {
    const code = error instanceof PosthornError ? error.code : null;
    if (code === 'FORBIDDEN') return 'NOT_ALLOWED';
    if (code === 'UNAUTHENTICATED') return 'OVER';
    throw error;
  }
}

/** Of a credential that the service does not take, as a kept one or a given one. */
const overOf = ({ credential, profile }: Connection): string =>
  profile?.credential === credential
    ? `the sign-in${profile?.email === undefined ? '' : ` of ${profile.email}`} is over: run "posthorn login"`
    : 'the service does not take the key or token that was given: it is revoked, expired, or another';

async function tellStatus(options: GlobalOptions): Promise<number> {
  const connection = await connect(options, { anonymous: true });
  const { url } = connection;
  const { version, ready } = await readHealth(url);
  const found = ready ? await readersFor(connection) : 'NOT_ALLOWED';
  const readers = typeof found === 'string' ? null : found;
  const lag = readers === null ? null : Math.max(0, ...readers.map((reader) => reader.lag));
  printOne(
    { url, version: version ?? null, program: VERSION, ready, readers },
    [
      ['service', url],
      ['version', version === VERSION ? VERSION : `${version ?? 'older'} (this program: ${VERSION})`],
      ['state', ready ? 'ready' : 'not ready: its database does not answer'],
      ['events not handled yet', lag ?? (found === 'OVER' ? 'not shown' : 'only operators see this')],
    ],
    options,
  );
  if (!options.json && readers !== null) {
    const { stdout } = process;
    const columns = [
      { title: 'reader', of: (r: Reader) => r.name },
      { title: 'lag', of: (r: Reader) => r.lag },
      { title: 'runs', of: (r: Reader) => (r.active ? 'yes' : 'no') },
      { title: 'retrying', of: (r: Reader) => r.retrying },
      { title: 'set aside', of: (r: Reader) => r.setAside },
      { title: 'updated', of: (r: Reader) => localTime(r.updatedAt) },
    ];
    stdout.write(`\n${table(columns, readers, { width: stdout.columns, dim: dimOn(stdout) })}`);
  }
  if (found === 'OVER') throw new Failure(overOf(connection), EXIT.NOT_ALLOWED);
  return ready ? EXIT.FINE : EXIT.FAILED;
}

/** `posthorn status`. */
export const statusCommand = (): Command =>
  new Command('status')
    .description('Show whether the service is well: health, version, and how far its readers are (operators).')
    .action(action(tellStatus));
