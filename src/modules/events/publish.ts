import type { EventData, InternalEvent } from '../../contracts/events/index.ts';
import { validateEventData } from '../../contracts/events/index.ts';
import { afterCommit, type Env, type Trx } from '../../platform/db/index.ts';
import { insertEvents } from './store.ts';
import type { LoggedEvent } from './types.ts';

export interface PublishOptions {
  /** The audience (interface.md §6.7, contract: "An account sees and receives only events whose audience names it"). */
  accountIds: readonly string[];
  /** Default: now. */
  occurredAt?: Date;
  /** The event that this one is a consequence of. */
  causedBy?: string;
}

/** Publishes within the caller's transaction: the event exists exactly if the change that caused it does. */
export type Publish = <N extends InternalEvent>(
  trx: Trx,
  event: N,
  data: EventData<N>,
  options: PublishOptions,
  env: Env,
) => Promise<LoggedEvent>;

/** `onCommitted` is called after the commit, to wake the readers. */
export const createPublish =
  (onCommitted: (events: readonly LoggedEvent[]) => void): Publish =>
  async (trx, event, data, options, env) => {
    const faults = validateEventData(event, data);
    // Our own code made the payload, so a misfit is our fault, not the caller's.
    if (faults.length > 0) throw new Error(`payload of ${event} does not fit its schema: ${JSON.stringify(faults)}`);
    const logged = await insertEvents(
      trx,
      [
        {
          id: env.newId(),
          event,
          data,
          // As the database writes them, and each once: readers in memory compare text.
          accountIds: [...new Set(options.accountIds.map((id) => id.toLowerCase()))],
          occurredAt: options.occurredAt ?? env.now,
          requestId: env.requestId,
          causedBy: options.causedBy ?? null,
        },
      ],
      env.now,
    );
    afterCommit(trx, () => onCommitted(logged));
    return logged[0] as LoggedEvent;
  };
