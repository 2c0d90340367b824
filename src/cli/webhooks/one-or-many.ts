import type { Command } from 'commander';
import type { Client, Delivery, DeliveryJob, DeliveryJobPreview } from '../../../client/src/index.ts';
import { accountFilter } from '../connection/account.ts';
import { connect, type GlobalOptions } from '../connection/connect.ts';
import { wrongUse } from '../failure.ts';
import { confirm } from '../output/ask.ts';
import { printDone } from '../output/print.ts';
import { awaitJob, begunJob, tellJob } from './delivery-jobs.ts';
import { type FilterOptions, filterOf, withFilter } from './delivery-filter.ts';

type Status = Delivery['status'];

/** Options of a command that takes the id of a delivery, or a filter for a job. */
export interface ManyOptions<S extends Status> extends GlobalOptions, Omit<FilterOptions, 'status'> {
  status?: S;
  dryRun?: boolean;
  detach?: boolean;
  yes?: boolean;
}

/** The same at a command; `own` adds what only this one has. */
export const withMany = (
  command: Command,
  statuses: readonly Status[],
  own: (command: Command) => Command = (c) => c,
): Command =>
  own(withFilter(command, statuses).argument('[id]', 'one delivery'))
    .option('--dry-run', 'only say how many there are')
    .option('--detach', 'do not wait for the end')
    .option('--yes', 'do not ask');

/** What says which deliveries of many are meant, or that none is to be touched: it has no meaning beside the id of one. */
const OF_MANY = [
  'status',
  'event',
  'eventId',
  'endpoint',
  'error',
  'trade',
  'since',
  'until',
  'account',
  'dryRun',
] as const satisfies readonly (keyof ManyOptions<Status>)[];

const flagOf = (name: string): string => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Fails when anything is said that one delivery would not heed, `own` of the command's job too: what is done cannot be taken back. */
export function checkAlone<O extends ManyOptions<Status>>(options: O, own: readonly (keyof O & string)[] = []): void {
  const said = [...OF_MANY, ...own].filter((name) => options[name] !== undefined).map(flagOf);
  if (said.length > 0)
    throw wrongUse(`${said.join(', ')} beside the id of a delivery: give either the id, or a filter`);
}

/** What is asked of the service, as a job or only to count. */
interface Asked<S extends Status> {
  account: { accountId?: string };
  filter: { status: S } & ReturnType<typeof filterOf>;
  dry: { dryRun?: true };
}

interface Deed<S extends Status> {
  /** In front of "so many deliveries". */
  verb: string;
  /** Said where nothing happens. */
  nothing: string;
  ask: (client: Client, asked: Asked<S>) => Promise<DeliveryJob | DeliveryJobPreview>;
}

/** Says how many a filter finds, asks, and does it as a job; gives the exit code. */
export async function runMany<S extends Status>(
  options: ManyOptions<S>,
  { verb, nothing, ask }: Deed<S>,
): Promise<number> {
  const { status } = options;
  if (status === undefined) throw wrongUse('give the id of a delivery, or a filter that begins with --status');
  const connection = await connect(options, { patient: true });
  const { client } = connection;
  const asked = { account: await accountFilter(connection, options.account), filter: { status, ...filterOf(options) } };
  const preview = (await ask(client, { ...asked, dry: { dryRun: true } })) as DeliveryJobPreview;
  const count = `${preview.countIsExact ? '' : 'at least '}${preview.count}`;
  if (options.dryRun || (preview.count === 0 && preview.countIsExact)) {
    printDone(
      `${count} deliveries fit${options.dryRun ? ` (dry run: ${nothing})` : `; ${nothing}`}.`,
      preview,
      options,
    );
    return 0;
  }
  await confirm(`${verb} ${count} deliveries`, options);
  const job = begunJob(await ask(client, { ...asked, dry: {} }));
  return tellJob(options.detach ? job : await awaitJob(client, job), options);
}
