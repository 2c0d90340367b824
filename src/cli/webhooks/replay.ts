import { Command } from 'commander';
import type { Operations } from '../../../client/src/index.ts';
import { action } from '../action.ts';
import { connect } from '../connection/connect.ts';
import { given, positive } from '../output/arguments.ts';
import { printDone } from '../output/print.ts';
import { checkAlone, type ManyOptions, runMany, withMany } from './one-or-many.ts';

type Status = Operations['replayDeliveries']['input']['body']['filter']['status'];

interface Options extends ManyOptions<Status> {
  rate?: number;
  skipReplayed?: boolean;
}

async function replayOne(options: Options, id: string): Promise<void> {
  checkAlone(options, ['rate', 'skipReplayed']);
  const { client } = await connect(options);
  const replay = await client.replayDelivery({ id });
  printDone(`${replay.event} is to be sent again: posthorn deliveries show ${replay.id}`, replay, options);
}

const replayMany = (options: Options): Promise<number> => {
  const { rate: ratePerSecond, skipReplayed } = options;
  return runMany(options, {
    verb: 'Replay',
    nothing: 'nothing is sent',
    ask: (client, { account, filter, dry }) =>
      client.replayDeliveries({ ...account, body: { filter, ...given({ ratePerSecond, skipReplayed }), ...dry } }),
  });
};

/** `posthorn deliveries replay [id]`. */
export const replayCommand = (): Command =>
  withMany(new Command('replay'), ['DEAD', 'PENDING', 'HELD', 'DELIVERED', 'DISCARDED'], (command) =>
    command
      .option('--rate <n>', 'how many a second (default: 50)', positive)
      .option('--skip-replayed', 'leave out what was replayed and arrived or is under way, and replay each event once'),
  )
    .description('Send a delivery again, or all that a filter finds, as a job.')
    .addHelpText(
      'after',
      `
Examples:
  $ posthorn deliveries replay 01a2…
  $ posthorn deliveries replay --status DEAD --endpoint 01a1… --since 24h
  $ posthorn deliveries replay --status PENDING --endpoint 01a1…   (not at their next attempt: now)`,
    )
    .action(
      action<Options, [id?: string]>(async (options, id) =>
        id === undefined ? replayMany(options) : replayOne(options, id),
      ),
    );
