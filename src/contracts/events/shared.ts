import { type Static, type TObject, type TProperties, type TSchemaOptions, Type } from 'typebox';
import { MAX_AMOUNT } from './money.ts';

/** Who is called when the event has happened: merchants (interface.md §6.1), businesses (§6.2) or nobody (§6.7.4). */
export type WebhookKind = 'MERCHANT' | 'BUSINESS' | null;

/** One entry of the catalogue. Everything that speaks of an event (types, validation, docs, OpenAPI) is made from it. */
export interface EventEntry<
  N extends string = string,
  P extends TProperties = TProperties,
  W extends WebhookKind = WebhookKind,
  D extends string | null = string | null,
> {
  readonly event: N;
  /** When it is emitted. */
  readonly description: string;
  /** Raised when the meaning of a field changes; a new optional field is no new version. */
  readonly schemaVersion: 1;
  /** The field of `data` that says what the event is about. */
  readonly subject: Extract<keyof P, string>;
  /** Which accounts `accountIds` has to name. */
  readonly audience: string;
  readonly webhook: W;
  /** False for the three webhooks that are derived from another event and are never published themselves. */
  readonly internal: D extends null ? true : false;
  readonly derivedFrom: D;
  readonly data: TObject<P>;
  readonly example: Static<TObject<P>>;
}

interface EventSpec<N extends string, P extends TProperties, W extends WebhookKind, D extends string | null> {
  event: N;
  description: string;
  subject: Extract<keyof NoInfer<P>, string>;
  audience: string;
  webhook: W;
  derivedFrom?: D;
  fields: P;
  /** Further keywords of the data object (`minProperties`, `dependentRequired`). */
  options?: TSchemaOptions;
  example: NoInfer<Static<TObject<P>>>;
}

/** Makes a catalogue entry. Its data schema refuses every field that is not listed, whatever the spec says. */
export function defineEvent<
  const N extends string,
  P extends TProperties,
  const W extends WebhookKind,
  const D extends string | null = null,
>(spec: EventSpec<N, P, W, D>): EventEntry<N, P, W, D> {
  const derivedFrom = (spec.derivedFrom ?? null) as D;
  return {
    event: spec.event,
    description: spec.description,
    schemaVersion: 1,
    subject: spec.subject,
    audience: spec.audience,
    webhook: spec.webhook,
    internal: (derivedFrom === null) as EventEntry<N, P, W, D>['internal'],
    derivedFrom,
    data: Type.Object(spec.fields, { ...spec.options, additionalProperties: false }),
    example: spec.example,
  };
}

/** An object inside an event's data; closed like the data itself. */
export const record = <P extends TProperties>(description: string, fields: P) =>
  Type.Object(fields, { description, additionalProperties: false });

/** An id given out by the marketplace, which need not be a UUID. Visible ASCII, so that it is safe in a URL or a log. */
export const foreignId = (description: string) =>
  Type.String({ description, minLength: 1, maxLength: 128, pattern: '^[!-~]+$' });

/** Whether a `foreignId` can hold it. */
export const isForeignId = (value: string): boolean => /^[!-~]{1,128}$/.test(value);

/** An id of our own: an account or an event. */
export const ownId = (description: string) => Type.String({ description, format: 'uuid' });

/** Free text. NUL and lone surrogates are refused: PostgreSQL cannot store them, and the audit trail keeps what came. */
export const text = (max: number, description: string) =>
  Type.String({ description, minLength: 1, maxLength: max, pattern: '^[^\\u0000\\ud800-\\udfff]*$' });

/** An instant, RFC 3339. */
export const instant = (description: string) => Type.String({ description, format: 'date-time' });

export const oneOf = <const T extends string[]>(values: readonly [...T], description: string) =>
  Type.Enum(values, { type: 'string', description });

/**
 * Money in major units of the `currency` beside it (contract: trades). The only `number` that data may hold; anything
 * else that counts is an integer. `validateEventData` relies on this to check the digits of every amount.
 */
export const amount = (description: string) => Type.Number({ description, minimum: 0, maximum: MAX_AMOUNT });

export const count = (description: string, minimum: number) =>
  Type.Integer({ description, minimum, maximum: 1_000_000 });

export const currency = () =>
  Type.String({ description: 'Currency of every amount in this event, ISO 4217.', pattern: '^[A-Z]{3}$' });

export const side = (description: string) => oneOf(['INITIATOR', 'COUNTERPARTY'], description);

export const tradeSessionId = () =>
  foreignId('The trade session. Receivers deduplicate by this together with `event`.');

export const merchantAccountId = (description = 'Account of the merchant concerned.') => ownId(description);

/** Who and what the examples are about: one trade between two merchants, one business. */
export const EXAMPLE = {
  initiatorAccount: '0198c2a0-3f10-7c5e-8a51-6f0f5f3a1b01',
  counterpartyAccount: '0198c2a0-3f10-7c5e-8a51-6f0f5f3a1b02',
  business: '0198c2a0-3f10-7c5e-8a51-6f0f5f3a1b03',
  event: '0198c2a0-3f10-7c5e-8a51-6f0f5f3a1b04',
  tradeSession: 'ts_7Qm2Xc',
  offer: 'off_4Hd81k',
  initiator: 'usr_ines',
  counterparty: 'usr_tomas',
  currency: 'EUR',
} as const;
