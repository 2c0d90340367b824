import { Type } from 'typebox';
import { amount, count, EXAMPLE, foreignId, merchantAccountId, record } from './shared.ts';

/** What both offers and trades say about their sides. */

const item = () =>
  record('One item that a side brings into the trade.', {
    listingId: foreignId('The listing of the item.'),
    merchantAccountId: merchantAccountId('Account of the merchant that holds the item; gets its reservation events.'),
    price: amount('Listed price of one piece.'),
    quantity: count('Pieces.', 1),
  });

/** Who stands on a side. */
export const party = (description: string) =>
  record(description, {
    userId: foreignId('The user of the marketplace.'),
    merchantAccountId: merchantAccountId('Account of the merchant whose checkout and fulfillment serve this side.'),
  });

/** A side with all that is needed to open a trade session, its checkout and its reservations. */
export const sideTerms = (description: string) =>
  record(description, {
    userId: foreignId('The user of the marketplace.'),
    merchantAccountId: merchantAccountId('Account of the merchant whose checkout and fulfillment serve this side.'),
    items: Type.Array(item(), {
      description: 'Items that this side brings; empty when it brings money only.',
      maxItems: 50,
    }),
    originalPrice: amount("What this side's checkout would cost without the trade."),
    tradeAmount: amount('What this side pays in its checkout.'),
  });

export const BOTH_ACCOUNTS = 'The merchant accounts of both sides, and the merchant account of every item.';
export const BOTH_SIDES = 'The merchant accounts of both sides.';

export const EXAMPLE_INITIATOR = {
  userId: EXAMPLE.initiator,
  merchantAccountId: EXAMPLE.initiatorAccount,
  items: [{ listingId: 'lst_lamp', merchantAccountId: EXAMPLE.initiatorAccount, price: 120, quantity: 1 }],
  originalPrice: 149.9,
  tradeAmount: 29.9,
};
export const EXAMPLE_COUNTERPARTY = {
  userId: EXAMPLE.counterparty,
  merchantAccountId: EXAMPLE.counterpartyAccount,
  items: [{ listingId: 'lst_chair', merchantAccountId: EXAMPLE.counterpartyAccount, price: 149.9, quantity: 1 }],
  originalPrice: 120,
  tradeAmount: 0,
};
export const EXAMPLE_PARTIES = {
  initiator: { userId: EXAMPLE.initiator, merchantAccountId: EXAMPLE.initiatorAccount },
  counterparty: { userId: EXAMPLE.counterparty, merchantAccountId: EXAMPLE.counterpartyAccount },
};
