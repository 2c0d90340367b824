import { afterCommit, type Trx } from '../../platform/db/index.ts';
import { insertNotifications } from './store.ts';

/** An endpoint of an account. */
export interface ToldEndpoint {
  id: string;
  accountId: string;
}

export interface DirectNotice {
  /** What it tells of, as noun.past_tense_verb. */
  about: string;
  endpoint: ToldEndpoint;
  text: string;
  now: Date;
  newId: () => string;
  /** Called after the commit when there are e-mails to send; without it there are none. */
  mailsQueued?: () => void;
}

/**
 * Tells each of these users of something that is no event of the log, in the transaction in which it happens: so they are
 * told once, or not at all if it does not happen. What they are told of gets an id of its own in place of the event's.
 */
export async function tellUsers(
  trx: Trx,
  users: readonly string[],
  { about, endpoint, text, now, newId, mailsQueued }: DirectNotice,
): Promise<void> {
  const eventId = newId();
  const rows = users.map((userId) => ({
    id: newId(),
    userId,
    eventId,
    event: about,
    offerId: null,
    tradeSessionId: null,
    accountId: endpoint.accountId,
    endpointId: endpoint.id,
    text,
    createdAt: now,
    readAt: null,
  }));
  const mails = await insertNotifications(trx, rows, mailsQueued ? now : null);
  if (mailsQueued && mails > 0) afterCommit(trx, mailsQueued);
}
