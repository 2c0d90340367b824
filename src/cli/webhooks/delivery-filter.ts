import { type Command, Option } from 'commander';
import type { Delivery, DeliveryErrorClass } from '../../../client/src/index.ts';
import { given, pastInstant } from '../output/arguments.ts';

/** Which deliveries are meant, as options say it. */
export interface FilterOptions {
  status?: Delivery['status'];
  event?: string;
  eventId?: string;
  endpoint?: string;
  /** As it was typed: the service names the classes when it is none. */
  error?: DeliveryErrorClass;
  trade?: string;
  since?: string;
  until?: string;
  account?: string;
}

const timesAndAccount = (command: Command): Command =>
  command
    .option('--since <time>', 'made then or later: 2026-01-31T09:00, 24h', pastInstant)
    .option('--until <time>', 'made before', pastInstant)
    .option('--account <account>', 'of whom: id or name');

const eventAndCause = (command: Command): Command =>
  command
    .option('--event <event>', 'name of the webhook')
    .option('--endpoint <id>', 'where they were sent')
    .option('--error <class>', 'why they failed, such as HTTP_5XX or TIMEOUT');

/** Options of a command on many deliveries. */
export const withFilter = (command: Command, statuses: readonly Delivery['status'][]): Command =>
  timesAndAccount(
    eventAndCause(command.addOption(new Option('--status <status>', 'what became of them').choices(statuses)))
      .option('--event-id <id>', 'of this event of the audit trail')
      .option('--trade <id>', 'of this trade session'),
  );

/** Those of a command on dead letters. */
export const withDeadFilter = (command: Command): Command => timesAndAccount(eventAndCause(command));

/** The same as the service takes it; the account is a parameter of its own. */
export const filterOf = ({ event, eventId, endpoint, error, trade, since, until }: FilterOptions) =>
  given({ event, eventId, endpointId: endpoint, errorClass: error, tradeSessionId: trade, since, until });
