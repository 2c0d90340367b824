export {
  type AnyEventData,
  businessWebhooks,
  EVENTS,
  type EventData,
  type EventName,
  entryOf,
  type InternalEvent,
  internalEvents,
  isInternalEvent,
  isWebhookName,
  merchantWebhooks,
  subjectOf,
  tradeSessionIdOf,
  type WebhookName,
} from './catalogue.ts';
export { currencyDigits } from './money.ts';
export { isForeignId } from './shared.ts';
export { validateEventData } from './validate.ts';
export {
  derivedData,
  eventFault,
  exampleBody,
  webhookBody,
  webhookBodySchema,
  webhookFault,
  webhooksFor,
} from './webhooks.ts';
export { TRADE_CANCELLED_REASONS } from './trades.ts';
