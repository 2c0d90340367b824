import { EVENTS, type InternalEvent, internalEvents, tradeSessionIdOf } from '../../src/contracts/events/index.ts';

/** A trade from the first offer to its end, as everybody hopes for. Nine of ten events are of these. */
export const FLOW: readonly InternalEvent[] = [
  'offer.created',
  'offer.accepted',
  'trade.created',
  'trade.accepted',
  'checkout.started',
  'checkout.started',
  'reservation.created',
  'reservation.created',
  'checkout.completed',
  'checkout.completed',
  'fulfillment.started',
  'fulfillment.started',
  'fulfillment.completed',
  'fulfillment.completed',
  'trade.completed',
];

/** How many of 10,000 others are what. The rarest is one in 100,000 of all. */
const NAMED: Partial<Record<InternalEvent, number>> = {
  'offer.rejected': 1500,
  'offer.cancelled': 800,
  'offer.expired': 1200,
  'offer.countered': 1500,
  'trade.cancelled': 600,
  'checkout.failed': 400,
  'reservation.expired': 800,
  'listing.created': 1200,
  'listing.updated': 1500,
  'moderation.flagged': 100,
  'fraud_signal.detected': 9,
  'seller.linked': 1,
};
const unnamed = internalEvents.filter((name) => !FLOW.includes(name) && NAMED[name] === undefined);
const named = Object.values(NAMED).reduce((sum, count) => sum + count, 0);
export const OTHERS: readonly [event: InternalEvent, of10k: number][] = [
  ...(Object.entries(NAMED) as [InternalEvent, number][]),
  ...unnamed.map((name, i): [InternalEvent, number] => {
    const each = Math.floor((10_000 - named) / unnamed.length);
    return [name, i > 0 ? each : 10_000 - named - each * (unnamed.length - 1)];
  }),
];
export const RAREST: InternalEvent = 'seller.linked';

/** Ids in the text of `templateOf`: of the trade, of what the event is about, and of the two users. */
export const SLOTS = ['<trade>', '<subject>', '<one>', '<other>'] as const;

/** The data of an event as the catalogue's example tells it, with slots for its ids. */
export function templateOf(event: InternalEvent): string {
  const example = EVENTS[event].example as Record<string, unknown>;
  const data = { ...example, [EVENTS[event].subject]: '<subject>' };
  const text = JSON.stringify('tradeSessionId' in data ? { ...data, tradeSessionId: '<trade>' } : data);
  return text.replaceAll('usr_ines', '<one>').replaceAll('usr_tomas', '<other>').replaceAll('off_4Hd81k', '<subject>');
}

export const hasTrade = (event: InternalEvent): boolean => tradeSessionIdOf(event, EVENTS[event].example) !== null;
/** Whether its trade is what the event is about. */
export const isAboutTrade = (event: InternalEvent): boolean => EVENTS[event].subject === 'tradeSessionId';

export const ACCOUNTS = 2000;
export const accountId = (n: number): string => `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
/** Some take part in much more than others: the first 1 % of them in 10 % of all. `u` from 0 to 1. */
export const pickAccount = (u: number): number => Math.floor(ACCOUNTS * u * u);

/**
 * Bodies to publish, one per line: whole trades, some hundred of them at once, and others between. `@@` in ids is for the
 * round, so that no trade is published twice.
 */
export function bodies(count: number): string[] {
  const made: string[] = [];
  for (let n = 0; made.length < count; n++) {
    const isOther = n % 10 === 9;
    const q = n - Math.floor(n / 10);
    const [block, inBlock] = [Math.floor(q / 3000), q % 3000];
    const trade = isOther ? `other-${n}` : `${block * 200 + (inBlock % 200)}`;
    const event = isOther ? otherAt((n * 7919) % 10_000) : (FLOW[Math.floor(inBlock / 200)] as InternalEvent);
    const ids = [`ts_@@_${trade}`, isAboutTrade(event) ? `ts_@@_${trade}` : `sub_@@_${trade}`];
    const [u, v] = [((q * 2_654_435_761) % 4_294_967_296) / 4_294_967_296, (n % 1000) / 1000];
    const users = [`usr_${pickAccount(u)}`, `usr_${pickAccount(v)}`];
    let data = templateOf(event);
    for (const [i, slot] of SLOTS.entries()) data = data.replaceAll(slot, [...ids, ...users][i] as string);
    const audience = [...new Set([pickAccount(u), pickAccount(v)])].map(accountId);
    made.push(`{"event":"${event}","data":${data},"accountIds":${JSON.stringify(audience)}}`);
  }
  return made;
}

function otherAt(h: number): InternalEvent {
  let sum = 0;
  return (OTHERS.find(([, of10k]) => (sum += of10k) > h) as (typeof OTHERS)[number])[0];
}
