import type { InternalEvent } from '../../contracts/events/index.ts';

/** An event as it is about to be written. */
export interface NewEvent {
  id: string;
  event: InternalEvent;
  data: Record<string, unknown>;
  /** The audience: accounts that may see it and whose endpoints may receive it. */
  accountIds: readonly string[];
  occurredAt: Date;
  requestId: string;
  /** The event that a reaction reacted to. */
  causedBy: string | null;
}

/** An event of the log. */
export interface LoggedEvent extends NewEvent {
  /** Place in the log, ascending, with gaps. */
  position: number;
  recordedAt: Date;
  /** The change stamp (platform/db) when this process wrote it or read it from the log: what was changed before it is in that. */
  stamp?: number;
}
