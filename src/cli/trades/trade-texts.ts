import type { Trade, TradeDetail, TradeSide } from '../../../client/src/index.ts';
import type { Column } from '../output/table.ts';
import { localTime } from '../output/times.ts';

export type Entry = TradeDetail['timeline'][number];

const CHECKOUTS: Readonly<Record<NonNullable<TradeSide['checkout']>['status'], string>> = {
  OPEN: 'to pay',
  COMPLETED: 'paid',
  FAILED: 'not paid',
};

const checkoutOf = ({ status, paidAt }: NonNullable<TradeSide['checkout']>): string =>
  status === 'FAILED' && paidAt ? 'paid too late' : CHECKOUTS[status];

const FULFILLMENTS: Readonly<Record<NonNullable<TradeSide['fulfillment']>['status'], string | null>> = {
  NOT_NEEDED: null,
  PENDING: 'to hand over',
  STARTED: 'on its way',
  COMPLETED: 'handed over',
};

/** How far a side is, of a cancelled trade how far it got; null where there is nothing yet, or nothing that the caller may see. */
export function stateOf({ checkout, fulfillment }: TradeSide, status: Trade['status']): string | null {
  const isOver = status === 'CANCELLED';
  const parts = [
    checkout && (isOver && checkout.status === 'OPEN' ? 'not paid' : checkoutOf(checkout)),
    checkout?.refundDue ? 'refund due' : null,
    fulfillment && (isOver && fulfillment.status === 'PENDING' ? 'not handed over' : FULFILLMENTS[fulfillment.status]),
    fulfillment?.returnedAt ? 'returned' : null,
  ];
  return parts.filter((part) => part !== null).join(', ') || null;
}

const itemsOf = (items: readonly { listingId: string; quantity: number }[]): string | null =>
  items.map(({ listingId, quantity }) => `${quantity} × ${listingId}`).join(', ') || null;

const parcelOf = ({ fulfillment }: TradeSide): string | null =>
  [fulfillment?.carrier, fulfillment?.trackingNumber].filter((part) => part != null).join(' ') || null;

/** A side with its name, as a row. */
export interface NamedSide {
  name: string;
  side: TradeSide;
  currency: string;
  status: Trade['status'];
}

export const sidesOf = ({ initiator, counterparty, currency, status }: Trade | TradeDetail): NamedSide[] => [
  { name: 'INITIATOR', side: initiator, currency, status },
  { name: 'COUNTERPARTY', side: counterparty, currency, status },
];

export const SIDES: readonly Column<NamedSide>[] = [
  { title: 'side', of: ({ name }) => name },
  { title: 'merchant', of: ({ side }) => side.merchantAccountId },
  { title: 'user', of: ({ side }) => side.userId },
  { title: 'pays', of: ({ side, currency }) => `${side.tradeAmount} ${currency}` },
  { title: 'state', of: ({ side, status }) => stateOf(side, status) },
  { title: 'paid', of: ({ side }) => localTime(side.checkout?.paidAt) },
  { title: 'parcel', of: ({ side }) => parcelOf(side), cut: true },
  { title: 'brings', of: ({ side }) => itemsOf(side.items), cut: true },
];

export const RESERVATIONS: readonly Column<Trade['reservations'][number]>[] = [
  { title: 'reserved of', of: (r) => r.side },
  { title: 'merchant', of: (r) => r.merchantAccountId },
  { title: 'status', of: (r) => r.status },
  { title: 'items', of: (r) => itemsOf(r.items), cut: true },
];

interface Told {
  what: string | null;
  /** What has more of it. */
  id: string | null;
  more: string | null;
}

const joined = (...parts: (string | null)[]): string | null => parts.filter((part) => part !== null).join(', ') || null;

/** What an entry of the timeline says. */
export function toldOf(entry: Entry): Told {
  switch (entry.kind) {
    case 'EVENT':
      return { what: entry.event, id: entry.eventId, more: entry.causedBy && `caused by ${entry.causedBy}` };
    case 'REPORT':
      return { what: entry.event, id: entry.reportId, more: joined(entry.side, entry.verdict, entry.message) };
    case 'STEP':
      return {
        what: entry.refused === null ? `now ${entry.status}` : 'refused',
        id: entry.reportId ?? entry.eventId,
        more: joined(`by ${entry.cause}`, entry.refused),
      };
    case 'NOTIFICATION':
      return { what: `${entry.userId} told`, id: entry.eventId, more: entry.text };
    case 'REPUTATION':
      return {
        what: `${entry.userId} ${entry.delta > 0 ? '+' : ''}${entry.delta}`,
        id: entry.eventId,
        more: entry.reason,
      };
    case 'DELIVERY':
      return {
        what: entry.event,
        id: entry.deliveryId,
        more: joined(
          entry.status,
          `to ${entry.accountId}`,
          entry.attempts > 1 ? `${entry.attempts} attempts` : null,
          entry.replayOf && `replay of ${entry.replayOf}`,
        ),
      };
    default:
      // Of a service that is newer than this program.
      return { what: null, id: null, more: 'in --json' };
  }
}

export const TIMELINE: readonly Column<Entry>[] = [
  { title: 'at', of: ({ at }) => localTime(at) },
  { title: 'kind', of: ({ kind }) => kind.toLowerCase() },
  { title: 'what', of: (entry) => toldOf(entry).what },
  { title: 'id', of: (entry) => toldOf(entry).id },
  { title: 'more', of: (entry) => toldOf(entry).more, cut: true },
];
