import { Command } from 'commander';
import type { Delivery, WebhookEndpoint } from '../../../client/src/index.ts';
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

/**
 * Its delivery is an ordinary one, which waits for an endpoint that is not open, or a replay, which does not. Neither is promised to go out: an
 * account without a key that can be used has it held.
 */
const whatNow = ({ status }: WebhookEndpoint, { replayOf }: Delivery): string =>
  status === 'ACTIVE' || replayOf !== null ? 'is to be sent' : `is held while the endpoint is ${status}`;

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
        const { calls, endpoint: to } = await findEndpoint((await connect(options)).client, endpoint, 'endpoint');
        const delivery = await calledAs(
          { 'body.eventId': 'id', 'body.event': 'webhook', 'path.id': 'endpoint' },
          calls.send(endpoint, { eventId, ...given({ event: webhook }) }),
        );
        printDone(
          `${delivery.event} ${whatNow(to, delivery)}: posthorn deliveries show ${delivery.id}`,
          delivery,
          options,
        );
      }),
    );
