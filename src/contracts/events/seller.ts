import { Type } from 'typebox';
import { defineEvent, EXAMPLE, foreignId, merchantAccountId } from './shared.ts';

const sellerLinked = defineEvent({
  event: 'seller.linked',
  description: 'A user of the marketplace is linked as a seller to a merchant.',
  subject: 'sellerUserId',
  audience: 'The merchant account the seller is linked to (`merchantAccountId`).',
  webhook: 'MERCHANT',
  fields: {
    sellerUserId: foreignId('The user who sells.'),
    merchantAccountId: merchantAccountId('Account of the merchant.'),
    merchantSellerId: Type.Optional(foreignId("The seller's id in the merchant's own system.")),
  },
  example: {
    sellerUserId: EXAMPLE.initiator,
    merchantAccountId: EXAMPLE.initiatorAccount,
    merchantSellerId: 'S-1042',
  },
});

export const SELLER_EVENTS = { 'seller.linked': sellerLinked };
