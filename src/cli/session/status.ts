import { Command } from 'commander';
import { PosthornError, type Reader } from '../../../client/src/index.ts';
import { action } from '../action.ts';
import { connect, type Connection, type GlobalOptions } from '../connection/connect.ts';
import { readHealth } from '../connection/health.ts';
import { VERSION } from '../connection/version.ts';
import { EXIT } from '../exit-codes.ts';
import { printOne } from '../output/print.ts';
import { dimOn, table } from '../output/table.ts';
import { localTime } from '../output/times.ts';

/** Null: the caller may not know. */
async function readersFor({ client, credential }: Connection): Promise<readonly Reader[] | null> {
  if (credential === undefined) return null;
  try {
    return (await client.listReaders()).data;
  } catch (error) {
    const isRefusal = error instanceof PosthornError && ['FORBIDDEN', 'UNAUTHENTICATED'].includes(error.code);
    if (isRefusal) return null;
    throw error;
  }
}

async function tellStatus(options: GlobalOptions): Promise<number> {
  const connection = await connect(options, { anonymous: true });
  const { url } = connection;
  const { version, ready } = await readHealth(url);
  const readers = ready ? await readersFor(connection) : null;
  const lag = readers === null ? null : Math.max(0, ...readers.map((reader) => reader.lag));
  printOne(
    { url, version: version ?? null, program: VERSION, ready, readers },
    [
      ['service', url],
      ['version', version === VERSION ? VERSION : `${version ?? 'older'} (this program: ${VERSION})`],
      ['state', ready ? 'ready' : 'not ready: its database does not answer'],
      ['events not handled yet', lag ?? 'only operators see this'],
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
  return ready ? EXIT.FINE : EXIT.FAILED;
}

/** `posthorn status`. */
export const statusCommand = (): Command =>
  new Command('status')
    .description('Show whether the service is well: health, version, and how far its readers are (operators).')
    .action(action(tellStatus));
