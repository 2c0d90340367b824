import type { EventData, InternalEvent } from '../../contracts/events/index.ts';
import { validateEventData } from '../../contracts/events/index.ts';
import { afterCommit, type Env, type Trx } from '../../platform/db/index.ts';
import { insertEvents } from './store.ts';
import type { LoggedEvent, NewEvent } from './types.ts';

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

/** Publishes several as `Publish` does one, in their order and by one statement; each has its id already, so that others can name it. */
export type PublishAll = (
  trx: Trx,
  events: readonly NewEvent[],
  env: Pick<Env, 'now'>,
) => Promise<readonly LoggedEvent[]>;

function checked(event: NewEvent): NewEvent {
  const faults = validateEventData(event.event, event.data);
  // Our own code made the payload, so a misfit is our fault, not the caller's.
  if (faults.length > 0)
    throw new Error(`payload of ${event.event} does not fit its schema: ${JSON.stringify(faults)}`);
  // As the database writes them, and each once: readers in memory compare text.
  return { ...event, accountIds: [...new Set(event.accountIds.map((id) => id.toLowerCase()))] };
}

/** `onCommitted` is called after the commit, to wake the readers. */
export const createPublishAll =
  (onCommitted: (events: readonly LoggedEvent[]) => void): PublishAll =>
  async (trx, events, env) => {
    if (events.length === 0) return [];
    const logged = await insertEvents(trx, events.map(checked), env.now);
    afterCommit(trx, () => onCommitted(logged));
    return logged;
  };

/** `createPublishAll` for one event. */
export function createPublish(onCommitted: (events: readonly LoggedEvent[]) => void): Publish {
  const publishAll = createPublishAll(onCommitted);
  return async (trx, event, data, options, env) => {
    const { accountIds, occurredAt = env.now, causedBy = null } = options;
    const [logged] = await publishAll(
      trx,
      [{ id: env.newId(), event, data, accountIds, occurredAt, requestId: env.requestId, causedBy }],
      env,
    );
    return logged as LoggedEvent;
  };
}
