import type { EventData } from '../../contracts/events/index.ts';
import type { Config } from '../../platform/config/index.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** What `eventIds` of fraud_signal.detected holds at most. */
const MAX_EVENT_IDS = 100;

export const RULES = ['offer_velocity', 'price_deviation', 'repeated_flags'] as const;
export type Rule = (typeof RULES)[number];

/** What a rule found: what fraud_signal.detected says besides the user. */
export type Finding = Pick<EventData<'fraud_signal.detected'>, 'severity' | 'explanation' | 'eventIds'>;

/** When something happened that is counted, in milliseconds since 1970. */
export interface Happening {
  eventId: string;
  at: number;
}

/** So many within so long, both ends included, are a finding. */
export interface Limit {
  atLeast: number;
  withinMs: number;
}

export interface FraudLimits {
  offers: Limit;
  flags: Limit;
  priceFactor: number;
}

/** The thresholds as the settings say. */
export const fraudLimits = (config: Config): FraudLimits => ({
  offers: { atLeast: config.FRAUD_OFFER_MAX + 1, withinMs: config.FRAUD_OFFER_MINUTES * MINUTE_MS },
  flags: { atLeast: config.FRAUD_FLAG_MIN, withinMs: config.FRAUD_FLAG_DAYS * DAY_MS },
  priceFactor: config.FRAUD_PRICE_FACTOR,
});

const byTime = (a: Happening, b: Happening): number => a.at - b.at || (a.eventId < b.eventId ? -1 : 1);

/**
 * Of the windows of this length that hold the event, the one in which most happened, oldest first; the earliest of
 * several. It looks ahead too: an event may be read after others that happened later. `happenings` hold the event, in any order.
 */
export function fullestWindow(
  happenings: readonly Happening[],
  eventId: string,
  withinMs: number,
): { window: Happening[]; index: number } {
  const sorted = happenings.toSorted(byTime);
  const index = sorted.findIndex((h) => h.eventId === eventId);
  const at = (i: number): number => (sorted[i] as Happening).at;
  let [from, to] = [index, index];
  for (let start = 0, end = index; start <= index; start++) {
    if (at(index) - at(start) > withinMs) continue;
    while (end + 1 < sorted.length && at(end + 1) - at(start) <= withinMs) end++;
    if (end - start > to - from) [from, to] = [start, end];
  }
  return { window: sorted.slice(from, to + 1), index: index - from };
}

/** Whether the event makes too many of its kind; `explain` says so with the count. */
function tooMany(
  happenings: readonly Happening[],
  eventId: string,
  { atLeast, withinMs }: Limit,
  explain: (count: number) => string,
): Finding | null {
  const { window, index } = fullestWindow(happenings, eventId, withinMs);
  if (window.length < atLeast) return null;
  // The event itself is among those that are named.
  const first = Math.max(0, index + 1 - MAX_EVENT_IDS);
  return {
    severity: window.length >= 2 * atLeast ? 'HIGH' : 'MEDIUM',
    explanation: explain(window.length),
    eventIds: window.slice(first, first + MAX_EVENT_IDS).map((h) => h.eventId),
  };
}

/** More offers of one initiator, counter-offers included, than are usual within so long. `offers` hold the event. */
export const offerVelocity = (offers: readonly Happening[], eventId: string, limit: Limit): Finding | null =>
  tooMany(
    offers,
    eventId,
    limit,
    (count) =>
      `${count} offers or more within ${limit.withinMs / MINUTE_MS} minutes; up to ${limit.atLeast - 1} are usual.`,
  );

/** One user flagged again and again. `flags` hold the event. */
export const repeatedFlags = (flags: readonly Happening[], eventId: string, limit: Limit): Finding | null =>
  tooMany(
    flags,
    eventId,
    limit,
    (count) => `Flagged ${count} times or more within ${limit.withinMs / DAY_MS} days; ${limit.atLeast} are too many.`,
  );

type Terms = EventData<'offer.created'>['initiator'];

/** What a side puts into the trade: its items at their listed prices, and the money that it pays. */
const valueGiven = ({ items, tradeAmount }: Terms): number =>
  items.reduce((sum, { price, quantity }) => sum + price * quantity, tradeAmount);

/** To a hundredth: sums of decimals have no more meaning. */
const figure = (value: number): string => String(Math.round(value * 100) / 100);

/**
 * What one side gives is worth more than `factor` times what it gets. A side gives its items (price × quantity) and its
 * tradeAmount, and gets what the other side gives. `originalPrice` is not looked at: it tells the price of the other side's
 * items once more, with whatever a checkout adds. Two sides that give nothing are no deviation.
 */
export function priceDeviation(
  { initiator, counterparty, currency }: Pick<EventData<'offer.created'>, 'initiator' | 'counterparty' | 'currency'>,
  eventId: string,
  factor: number,
): Finding | null {
  const [gives, gets] = [valueGiven(initiator), valueGiven(counterparty)];
  const [less, more] = gives < gets ? [gives, gets] : [gets, gives];
  if (more <= factor * less) return null;
  const far = less === 0 ? 'for nothing' : `${figure(more / less)} times as much`;
  return {
    severity: more > factor * factor * less ? 'MEDIUM' : 'LOW',
    explanation: `The initiator gives ${figure(gives)} and gets ${figure(gets)} ${currency}: ${far}; up to ${factor} times is usual.`,
    eventIds: [eventId],
  };
}
