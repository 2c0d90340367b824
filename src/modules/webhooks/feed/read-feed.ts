import {
  EVENTS,
  isInternalEvent,
  type WebhookName,
  webhookBody,
  webhooksFor,
} from '../../../contracts/events/index.ts';
import type { AccountLog, EventHead, LoggedEvent } from '../../events/index.ts';
import { mismatch } from '../engine/rules.ts';
import { encodeCursor, type Place } from './feed-cursor.ts';

/** Events of the account that are looked at together, and how often for one page. */
const PORTION = 500;
const PORTIONS = 10;

/** To whom it is read: the endpoint as it is now. */
export interface Listener {
  accountId: string;
  events: ReadonlySet<WebhookName>;
  afterPosition: number;
}

/** A webhook as it would be sent, but for its signature. */
export interface Read {
  cursor: string;
  eventId: string;
  event: WebhookName;
  occurredAt: Date;
  body: string;
}

export interface FeedPage {
  items: Read[];
  /** Where the next page begins. */
  place: Place;
  /** False: there is more already. */
  isEnd: boolean;
}

/** The cursor of a place. */
export const cursorAt = ({ eventId, webhooks }: Place): string =>
  encodeCursor(eventId === null ? null : { eventId, webhooks });

/** The webhooks that an event causes for a listener, behind `skip` of all that it causes; with the place behind each. */
function webhooksOf(event: LoggedEvent, listener: Listener, skip: number): (Read & { place: Place })[] {
  if (!isInternalEvent(event.event)) return [];
  const caused = webhooksFor(event.event, event.data);
  return caused.flatMap((webhook, i) => {
    if (i < skip || mismatch(listener, webhook, event.position) !== null) return [];
    const isLast = i === caused.length - 1;
    const place = isLast
      ? { eventId: event.id, position: event.position, webhooks: 0 }
      : { eventId: event.id, position: event.position - 1, webhooks: i + 1 };
    const { id: eventId, occurredAt } = event;
    const body = webhookBody(webhook, event.data, occurredAt);
    return [{ cursor: cursorAt(place), eventId, event: webhook, occurredAt, body, place }];
  });
}

const behind = ({ id, position }: EventHead): Place => ({ eventId: id, position, webhooks: 0 });

/**
 * The webhooks behind a place that the listener takes, in the order of the log. It neither skips nor repeats one, whatever
 * commits late, and reads no row of a delivery. A page ends early when what it holds is large, or when much was passed over;
 * then it is not the end.
 */
export async function readFeed(log: AccountLog, listener: Listener, from: Place, limit: number): Promise<FeedPage> {
  const upTo = await log.settled();
  const page: FeedPage = { items: [], place: from, isEnd: false };
  // Whatever is before it is not for this endpoint.
  let above = Math.max(from.position, listener.afterPosition);
  for (let portion = 0; portion < PORTIONS; portion++) {
    const heads = await log.heads(listener.accountId, { above, upTo }, PORTION);
    const isFull = await readPortion({ log, listener, from, limit, page }, heads);
    if (isFull) return page;
    const last = heads.at(-1);
    if (last) page.place = behind(last);
    if (heads.length < PORTION) return { ...page, isEnd: true };
    above = page.place.position;
  }
  return page;
}

interface Reading {
  log: AccountLog;
  listener: Listener;
  from: Place;
  limit: number;
  page: FeedPage;
}

/** Whether an event of this name may cause one of the listener's webhooks. */
const concerns = ({ event }: EventHead, { events }: Listener): boolean =>
  [...events].some((webhook) => webhook === event || EVENTS[webhook].derivedFrom === event);

/** True when the page holds all that it can. */
async function readPortion({ log, listener, from, limit, page }: Reading, heads: EventHead[]): Promise<boolean> {
  let wanted = heads.filter((head) => concerns(head, listener));
  while (wanted.length > 0 && page.items.length < limit) {
    const asked = wanted.slice(0, limit - page.items.length);
    const events = await log.load(asked);
    for (const event of events) {
      const skip = event.id === from.eventId ? from.webhooks : 0;
      for (const { place, ...read } of webhooksOf(event, listener, skip)) {
        if (page.items.length >= limit) return true;
        page.items.push(read);
        page.place = place;
      }
      page.place = behind(event);
    }
    wanted = wanted.slice(events.length);
    // More of them would be too much for memory.
    if (events.length < asked.length && page.items.length > 0) return true;
  }
  return page.items.length >= limit;
}
