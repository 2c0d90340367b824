import { Command } from 'commander';
import { action } from '../action.ts';
import { connect } from '../connection/connect.ts';
import { findEndpoint } from '../connection/endpoints.ts';
import { calledAs } from '../option-names.ts';
import { given } from '../output/arguments.ts';
import { printDone } from '../output/print.ts';

interface Options {
  endpoint: string;
  webhook?: string;
}

/** `posthorn events resend <id>`: an event of the past, to one endpoint. */
export const resendCommand = (): Command =>
  new Command('resend')
    .description('Send an event of the past to one endpoint, also to one that is newer or did not subscribe to it.')
    .argument('<id>')
    .requiredOption('--endpoint <id>', 'where to')
    .option('--webhook <name>', 'which, where the event causes two (default: that of its own name)')
    .action(
      action<Options, [id: string]>(async (options, eventId) => {
        const { endpoint, webhook } = options;
        const { calls } = await findEndpoint((await connect(options)).client, endpoint, 'endpoint');
        const delivery = await calledAs(
          { 'body.eventId': 'id', 'body.event': 'webhook', 'path.id': 'endpoint' },
          calls.send(endpoint, { eventId, ...given({ event: webhook }) }),
        );
        const done = delivery.status === 'HELD' ? 'is held until the endpoint is resumed' : 'is on its way';
        printDone(`${delivery.event} ${done}: posthorn deliveries show ${delivery.id}`, delivery, options);
      }),
    );
