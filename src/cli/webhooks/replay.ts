import { Command } from 'commander';
import type { DeliveryJob, DeliveryJobPreview, Operations } from '../../../client/src/index.ts';
import { action } from '../action.ts';
import { accountFilter } from '../connection/account.ts';
import { connect, type GlobalOptions } from '../connection/connect.ts';
import { wrongUse } from '../failure.ts';
import { given, positive } from '../output/arguments.ts';
import { confirm } from '../output/ask.ts';
import { printDone } from '../output/print.ts';
import { awaitJob, tellJob } from './delivery-jobs.ts';
import { type FilterOptions, filterOf, withFilter } from './delivery-filter.ts';

type Status = Operations['replayDeliveries']['input']['body']['filter']['status'];

interface Options extends GlobalOptions, Omit<FilterOptions, 'status'> {
  status?: Status;
  rate?: number;
  skipReplayed?: boolean;
  dryRun?: boolean;
  detach?: boolean;
  yes?: boolean;
}

/** What says which deliveries of many are meant, or how a job sends them: it has no meaning beside the id of one. */
const OF_MANY = [
  'status',
  'event',
  'endpoint',
  'error',
  'trade',
  'since',
  'until',
  'account',
  'rate',
  'skipReplayed',
  'dryRun',
] as const satisfies readonly (keyof Options)[];

const flagOf = (name: string): string => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Fails when anything is said that this would not heed: what it sends cannot be taken back. */
function checkAlone(options: Options): void {
  const said = OF_MANY.filter((name) => options[name] !== undefined).map(flagOf);
  if (said.length > 0)
    throw wrongUse(`${said.join(', ')} beside the id of a delivery: give either the id, or a filter`);
}

async function replayOne(options: Options, id: string): Promise<void> {
  const { client } = await connect(options);
  const replay = await client.replayDelivery({ id });
  printDone(`${replay.event} is sent again: posthorn deliveries show ${replay.id}`, replay, options);
}

async function replayMany(options: Options): Promise<number> {
  const { status, rate: ratePerSecond, skipReplayed } = options;
  if (status === undefined) throw wrongUse('give the id of a delivery, or a filter that begins with --status');
  const connection = await connect(options, { patient: true });
  const { client } = connection;
  const body = { filter: { status, ...filterOf(options) }, ...given({ ratePerSecond, skipReplayed }) };
  const account = await accountFilter(connection, options.account);
  const preview = (await client.replayDeliveries({
    ...account,
    body: { ...body, dryRun: true },
  })) as DeliveryJobPreview;
  const count = `${preview.countIsExact ? '' : 'more than '}${preview.count}`;
  if (options.dryRun || preview.count === 0) {
    printDone(
      `${count} deliveries fit${options.dryRun ? ' (dry run: nothing is sent)' : '; nothing is sent'}.`,
      preview,
      options,
    );
    return 0;
  }
  await confirm(`Replay ${count} deliveries`, options);
  const job = (await client.replayDeliveries({ ...account, body })) as DeliveryJob;
  return tellJob(options.detach ? job : await awaitJob(client, job), options);
}

/** `posthorn deliveries replay [id]`. */
export const replayCommand = (): Command =>
  withFilter(new Command('replay'), ['DEAD', 'DELIVERED', 'HELD', 'DISCARDED'])
    .description('Send a delivery again, or all that a filter finds, as a job.')
    .argument('[id]', 'one delivery')
    .option('--rate <n>', 'how many a second (default: 50)', positive)
    .option('--skip-replayed', 'leave out what was replayed and arrived or is under way, and replay each event once')
    .option('--dry-run', 'only say how many there are')
    .option('--detach', 'do not wait for the end')
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      `
Examples:
  $ posthorn deliveries replay 01a2…
  $ posthorn deliveries replay --status DEAD --endpoint 01a1… --since 24h`,
    )
    .action(
      action<Options, [id?: string]>(async (options, id) => {
        if (id === undefined) return replayMany(options);
        checkAlone(options);
        return replayOne(options, id);
      }),
    );
