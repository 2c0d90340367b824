import { Command } from 'commander';
import type { Operations } from '../../../client/src/index.ts';
import { action } from '../action.ts';
import { connect } from '../connection/connect.ts';
import { printDone } from '../output/print.ts';
import { checkAlone, type ManyOptions, runMany, withMany } from './one-or-many.ts';

type Status = Operations['discardDeliveries']['input']['body']['filter']['status'];

interface Options extends ManyOptions<Status> {
  reason: string;
}

async function discardOne(options: Options, id: string): Promise<void> {
  checkAlone(options);
  const { client } = await connect(options);
  const delivery = await client.discardDelivery({ id, body: { reason: options.reason } });
  printDone(`${delivery.event} is discarded: posthorn deliveries show ${delivery.id}`, delivery, options);
}

const discardMany = (options: Options): Promise<number> =>
  runMany(options, {
    verb: 'Discard',
    nothing: 'nothing is discarded',
    ask: (client, { account, filter, dry }) =>
      client.discardDeliveries({ ...account, body: { filter, reason: options.reason, ...dry } }),
  });

/** `posthorn deliveries discard [id]`. */
export const discardCommand = (): Command =>
  withMany(new Command('discard'), ['DEAD', 'HELD', 'PENDING'], (command) =>
    command.requiredOption('--reason <text>', 'why; kept and shown with each'),
  )
    .description('End a delivery that did not arrive and is not wanted any more, or all that a filter finds, as a job.')
    .addHelpText(
      'after',
      `
Examples:
  $ posthorn deliveries discard 01a2… --reason "Entered by hand."
  $ posthorn deliveries discard --status DEAD --endpoint 01a1… --reason "Entered by hand."`,
    )
    .action(
      action<Options, [id?: string]>(async (options, id) =>
        id === undefined ? discardMany(options) : discardOne(options, id),
      ),
    );
