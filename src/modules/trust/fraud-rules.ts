import { currencyDigits, type EventData } from '../../contracts/events/index.ts';
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
  /** Who did it: several by one count once. Absent: it counts by itself. */
  by?: string;
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

const sourceOf = ({ by, eventId }: Happening): string => by ?? eventId;

/**
 * Of the windows of this length that hold the event, the one in which most happened, oldest first; the earliest of
 * several. It looks ahead too: an event may be read after others that happened later. Of those by one only the event or
 * else the first is in it. `happenings` hold the event, in any order.
 */
export function fullestWindow(
  happenings: readonly Happening[],
  eventId: string,
  withinMs: number,
): { window: Happening[]; index: number } {
  const sorted = happenings.toSorted(byTime);
  const index = sorted.findIndex((h) => h.eventId === eventId);
  const at = (i: number): number => (sorted[i] as Happening).at;
  const first = sorted.findIndex((h) => at(index) - h.at <= withinMs);
  /** How many of the window are by each. */
  const sources = new Map<string, number>();
  const add = (i: number, by: 1 | -1): void => {
    const source = sourceOf(sorted[i] as Happening);
    const count = (sources.get(source) ?? 0) + by;
    if (count === 0) sources.delete(source);
    else sources.set(source, count);
  };
  let [from, to, most] = [index, index, 0];
  for (let start = first, end = first - 1; start <= index; start++) {
    if (start > first) add(start - 1, -1);
    while (end + 1 < sorted.length && at(end + 1) - at(start) <= withinMs) add(++end, 1);
    if (sources.size > most) [from, to, most] = [start, end, sources.size];
  }
  const seen = new Set([sourceOf(sorted[index] as Happening)]);
  const window = sorted.slice(from, to + 1).filter((h) => {
    const isFirst = h.eventId === eventId || !seen.has(sourceOf(h));
    seen.add(sourceOf(h));
    return isFirst;
  });
  return { window, index: window.findIndex((h) => h.eventId === eventId) };
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

/** One user flagged again and again: by several readers, or by rules. `flags` hold the event. */
export const repeatedFlags = (flags: readonly Happening[], eventId: string, limit: Limit): Finding | null =>
  tooMany(
    flags,
    eventId,
    limit,
    (count) => `Flagged ${count} times or more within ${limit.withinMs / DAY_MS} days; ${limit.atLeast} are too many.`,
  );

type Terms = EventData<'offer.created'>['initiator'];

/** What a side puts into the trade, its items at their listed prices and the money that it pays, in smallest units: sums of decimals are not exact. */
function valueGiven({ items, tradeAmount }: Terms, unitsPerMajor: number): bigint {
  const units = (amount: number): bigint => BigInt(Math.round(amount * unitsPerMajor));
  return items.reduce((sum, { price, quantity }) => sum + units(price) * BigInt(quantity), units(tradeAmount));
}

/**
 * What one side gives is worth more than `factor` (a whole number) times what it gets. A side gives its items (price ×
 * quantity) and its tradeAmount, and gets what the other side gives. `originalPrice` is not looked at: it tells the price
 * of the other side's items once more, with whatever a checkout adds. Two sides that give nothing are no deviation.
 */
export function priceDeviation(
  { initiator, counterparty, currency }: Pick<EventData<'offer.created'>, 'initiator' | 'counterparty' | 'currency'>,
  eventId: string,
  factor: number,
): Finding | null {
  const unitsPerMajor = 10 ** currencyDigits(currency);
  const [gives, gets] = [valueGiven(initiator, unitsPerMajor), valueGiven(counterparty, unitsPerMajor)];
  const [less, more] = gives < gets ? [gives, gets] : [gets, gives];
  const times = BigInt(factor);
  if (more <= times * less) return null;
  // Rounded up: what is just above the factor must not read as the factor, which is usual.
  const far = less === 0n ? 'for nothing' : `${Number((more * 100n + less - 1n) / less) / 100} times as much`;
  const [given, got] = [gives, gets].map((units) => Number(units) / unitsPerMajor);
  return {
    severity: more > times * times * less ? 'MEDIUM' : 'LOW',
    explanation: `The initiator gives ${given} and gets ${got} ${currency}: ${far}; up to ${factor} times is usual.`,
    eventIds: [eventId],
  };
}
