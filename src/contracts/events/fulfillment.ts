import { Type } from 'typebox';
import { defineEvent, EXAMPLE, foreignId, instant, merchantAccountId, side, text, tradeSessionId } from './shared.ts';

const THAT_SIDE = 'The merchant account of that side (`merchantAccountId`), not that of the other.';

const fulfillment = () => ({
  tradeSessionId: tradeSessionId(),
  side: side('The side whose items are handed over.'),
  merchantAccountId: merchantAccountId('Account of the merchant that fulfils.'),
  userId: foreignId('The user of that side.'),
  recipientUserId: foreignId('The user of the other side, who gets the items.'),
  carrier: Type.Optional(text(100, 'Who carries the items.')),
  trackingNumber: Type.Optional(text(100, "The carrier's number.")),
});

const EXAMPLE_FULFILLMENT = {
  tradeSessionId: EXAMPLE.tradeSession,
  side: 'INITIATOR' as const,
  merchantAccountId: EXAMPLE.initiatorAccount,
  userId: EXAMPLE.initiator,
  recipientUserId: EXAMPLE.counterparty,
  carrier: 'DHL',
  trackingNumber: '00340434161094042557',
};

const fulfillmentStarted = defineEvent({
  event: 'fulfillment.started',
  description: "The merchant of one side starts to hand over that side's items.",
  subject: 'tradeSessionId',
  audience: THAT_SIDE,
  webhook: 'MERCHANT',
  fields: { ...fulfillment(), estimatedDeliveryAt: Type.Optional(instant('When the items are expected to arrive.')) },
  example: { ...EXAMPLE_FULFILLMENT, estimatedDeliveryAt: '2026-03-05T12:00:00.000Z' },
});

const fulfillmentCompleted = defineEvent({
  event: 'fulfillment.completed',
  description: "One side's items have been handed over. When both have, `trade.completed` follows.",
  subject: 'tradeSessionId',
  audience: THAT_SIDE,
  webhook: 'MERCHANT',
  fields: fulfillment(),
  example: EXAMPLE_FULFILLMENT,
});

export const FULFILLMENT_EVENTS = {
  'fulfillment.started': fulfillmentStarted,
  'fulfillment.completed': fulfillmentCompleted,
};
