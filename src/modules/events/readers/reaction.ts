import type { InternalEvent } from '../../../contracts/events/index.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import type { LoggedEvent } from '../types.ts';

/** What one of the service's own components does about events (interface.md §6.7.6). See docs/adr/0018. */
export interface Reaction {
  /** Name of its cursor; never changes. */
  name: string;
  /** For operators: what it does. */
  description: string;
  /** It is given these, and no others. */
  events: readonly InternalEvent[];
  /**
   * The effect of one event, in the transaction that moves the cursor past it, so it happens exactly once. Events come in
   * the order of the log, but for one that failed: it comes again later. An effect is keyed by its event, so that reading the log
   * again from its start does nothing twice. What it publishes names the event as its cause (`causedBy`).
   */
  react: (trx: Trx, event: LoggedEvent, env: Env) => Promise<void>;
  /**
   * What `react` of one after another would do, with fewer statements: for a reaction to events that are many. When it throws,
   * nothing of it is kept, and each is given to `react`.
   */
  reactToAll?: (trx: Trx, events: readonly LoggedEvent[], env: Omit<Env, 'requestId'>) => Promise<void>;
  /** It publishes, so fewer events are one transaction: what is published holds up other readers of the log until it commits. */
  publishes?: true;
  /** Forgets what was computed, before the log is read again from its start. Absent: nothing has to be forgotten. */
  reset?: (trx: Trx) => Promise<void>;
}
