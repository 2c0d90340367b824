import type { CheckoutStatus, FulfillmentStatus, ReservationStatus, TradeStatus } from './types.ts';

type Moves<S extends string> = Readonly<Record<string, Readonly<Partial<Record<S, S>>>>>;

/**
 * Every change of state that there is: by what is changed and by what happens, from → to. What is not here is refused.
 * The only place that knows (contract, "Trade session"); docs/trades.md lists it and tests take it for their oracle.
 */
export const TRANSITIONS = {
  trade: {
    accept: { CREATED: 'ACCEPTED' },
    openCheckouts: { ACCEPTED: 'CHECKOUT' },
    /** One side has paid. */
    hold: { CHECKOUT: 'HOLD' },
    /** Both have. */
    fulfill: { HOLD: 'FULFILLMENT' },
    complete: { FULFILLMENT: 'COMPLETED' },
    cancel: {
      CREATED: 'CANCELLED',
      ACCEPTED: 'CANCELLED',
      CHECKOUT: 'CANCELLED',
      HOLD: 'CANCELLED',
      FULFILLMENT: 'CANCELLED',
    },
  } satisfies Moves<TradeStatus>,
  checkout: {
    complete: { OPEN: 'COMPLETED' },
    fail: { OPEN: 'FAILED' },
  } satisfies Moves<CheckoutStatus>,
  reservation: {
    confirm: { RESERVED: 'CONFIRMED' },
    sell: { RESERVED: 'SOLD', CONFIRMED: 'SOLD' },
    release: { RESERVED: 'RELEASED', CONFIRMED: 'RELEASED' },
    /** The trade ends: what its holder has taken for sold is not, unless it is handed over. Nothing else does this. */
    takeBack: { SOLD: 'RELEASED' },
    expire: { RESERVED: 'EXPIRED', CONFIRMED: 'EXPIRED' },
    // Also when the holder has let go of it, or taken it for sold: the trade goes on, and waits for items that are not there.
    fail: { RESERVED: 'UNAVAILABLE', CONFIRMED: 'UNAVAILABLE', SOLD: 'UNAVAILABLE', RELEASED: 'UNAVAILABLE' },
  } satisfies Moves<ReservationStatus>,
  fulfillment: {
    start: { PENDING: 'STARTED' },
    // A merchant need not say that it has begun.
    complete: { PENDING: 'COMPLETED', STARTED: 'COMPLETED' },
  } satisfies Moves<FulfillmentStatus>,
} as const;

type Table = typeof TRANSITIONS;
type States = {
  trade: TradeStatus;
  checkout: CheckoutStatus;
  reservation: ReservationStatus;
  fulfillment: FulfillmentStatus;
};

/** The state after it; null where that cannot happen. `from` null: there is nothing yet that could change. */
export function after<K extends keyof Table>(kind: K, what: keyof Table[K], from: States[K] | null): States[K] | null {
  const moves = TRANSITIONS[kind][what] as Partial<Record<string, States[K]>>;
  return from === null ? null : (moves[from] ?? null);
}
