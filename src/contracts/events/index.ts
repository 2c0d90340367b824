export {
  type AnyEventData,
  type BusinessWebhook,
  businessWebhooks,
  type DerivedWebhook,
  EVENTS,
  type EventData,
  type EventName,
  entryOf,
  type InternalEvent,
  internalEvents,
  isInternalEvent,
  isWebhookName,
  type MerchantWebhook,
  merchantWebhooks,
  subjectOf,
  tradeSessionIdOf,
  type WebhookName,
} from './catalogue.ts';
export { currencyDigits, fitsCurrency, MAX_AMOUNT } from './money.ts';
export type { EventEntry, WebhookKind } from './shared.ts';
export { validateEventData } from './validate.ts';
export { derivedData, exampleBody, webhookBody, webhookBodySchema, webhooksFor } from './webhooks.ts';
