import { Type } from 'typebox';
import { amount, count, currency, defineEvent, EXAMPLE, foreignId, merchantAccountId, oneOf, text } from './shared.ts';

const OWNER = 'The merchant account that holds the listing (`merchantAccountId`).';

const ids = () => ({
  listingId: foreignId('The listing.'),
  merchantAccountId: merchantAccountId('Account of the merchant that holds the item.'),
});
const title = () => text(300, 'What is listed.');
const price = () => amount('Listed price of one piece.');
const quantity = () => count('Pieces that can still be had.', 0);
const status = () => oneOf(['AVAILABLE', 'RESERVED', 'SOLD', 'UNAVAILABLE'], 'Whether it can be had.');
const sellerUserId = () => foreignId('The user who sells it.');
const url = () => Type.String({ description: 'Page of the listing.', maxLength: 2000, pattern: '^https?://[!-~]+$' });

const listingCreated = defineEvent({
  event: 'listing.created',
  description: 'An item is listed for trade.',
  subject: 'listingId',
  audience: OWNER,
  webhook: 'MERCHANT',
  fields: {
    ...ids(),
    title: title(),
    price: price(),
    currency: currency(),
    quantity: quantity(),
    status: status(),
    sellerUserId: Type.Optional(sellerUserId()),
    url: Type.Optional(url()),
  },
  example: {
    listingId: 'lst_lamp',
    merchantAccountId: EXAMPLE.initiatorAccount,
    title: 'Desk lamp, brass, 1962',
    price: 120,
    currency: EXAMPLE.currency,
    quantity: 1,
    status: 'AVAILABLE',
    sellerUserId: EXAMPLE.initiator,
    url: 'https://shop.example/listings/lamp',
  },
});

const listingUpdated = defineEvent({
  event: 'listing.updated',
  description: 'A listing changes, also because its item was sold or became unavailable. Has only the changed fields.',
  subject: 'listingId',
  audience: OWNER,
  webhook: 'MERCHANT',
  fields: {
    ...ids(),
    title: Type.Optional(title()),
    price: Type.Optional(price()),
    currency: Type.Optional(currency()),
    quantity: Type.Optional(quantity()),
    status: Type.Optional(status()),
    sellerUserId: Type.Optional(sellerUserId()),
    url: Type.Optional(url()),
  },
  // Two ids and at least one change; an amount means nothing without its currency.
  options: { minProperties: 3, dependentRequired: { price: ['currency'] } },
  example: { listingId: 'lst_lamp', merchantAccountId: EXAMPLE.initiatorAccount, quantity: 0, status: 'SOLD' },
});

export const LISTING_EVENTS = { 'listing.created': listingCreated, 'listing.updated': listingUpdated };
