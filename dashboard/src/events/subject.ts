/** Fields that name what an event is about, the most telling first. */
const NAMES = [
  'tradeSessionId',
  'offerId',
  'listingId',
  'bookingId',
  'reservationId',
  'commentId',
  'userId',
  'sellerId',
] as const;

/** "trade ts_17": what an event is about, from its data; empty where it cannot be told. */
export function subjectOf(data: Readonly<Record<string, unknown>>): string {
  for (const name of NAMES) {
    const value = data[name];
    if (typeof value === 'string') return `${name.replace(/(Session)?Id$/, '')} ${value}`;
  }
  return '';
}
