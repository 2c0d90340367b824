import { type Static, Type } from 'typebox';
import { CursorQuery, DateTime, Nullable, Uuid } from '../../../platform/http/index.ts';
import { REPORT_EVENTS } from '../lifecycle/decide-report.ts';
import { SIDES, TRADE_STATUSES } from '../lifecycle/types.ts';

/** Ids of the marketplace: visible ASCII, as in events. */
export const TradeSessionId = Type.String({ minLength: 1, maxLength: 128, pattern: '^[!-~]+$' });
export const SideSchema = Type.Enum(SIDES, { type: 'string' });
const shipment = (what: string) =>
  Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\u0000\\ud800-\\udfff]*$', description: what });

/** What a merchant sends in; further fields are kept with the report and do nothing. */
export const ReportBody = Type.Object(
  {
    event: Type.Enum([...REPORT_EVENTS, 'fulfilled'], {
      type: 'string',
      description: 'What happened; `fulfilled` is `fulfillment.completed`.',
    }),
    tradeSessionId: TradeSessionId,
    side: Type.Enum(SIDES, { type: 'string', description: 'The side of the trade that it is about.' }),
    occurredAt: Type.Optional(
      Type.String({ format: 'date-time', description: 'When it happened; default: now. Not later than in 5 minutes.' }),
    ),
    amount: Type.Optional(
      Type.Number({ minimum: 0, description: 'payment.completed: what was paid. It must be what was to be paid.' }),
    ),
    currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$', description: 'Of `amount`, ISO 4217.' })),
    carrier: Type.Optional(shipment('fulfillment.*: who carries the items.')),
    trackingNumber: Type.Optional(shipment("fulfillment.*: the carrier's number.")),
    estimatedDeliveryAt: Type.Optional(
      Type.String({ format: 'date-time', description: 'fulfillment.started: when the items are expected to arrive.' }),
    ),
    items: Type.Optional(
      Type.Array(
        Type.Object(
          {
            listingId: TradeSessionId,
            quantity: Type.Optional(
              Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Pieces that can still be had.' }),
            ),
          },
          { additionalProperties: false },
        ),
        {
          minItems: 1,
          maxItems: 50,
          description:
            'item.sold: what is left of each listing. item.unavailable: which listings, and what is left of them; default: all that are reserved.',
        },
      ),
    ),
  },
  { title: 'Report' },
);
export type ReportBody = Static<typeof ReportBody>;

export const VERDICTS = ['ACCEPTED', 'REPEATED', 'REFUSED'] as const;
export type Verdict = (typeof VERDICTS)[number];
const VerdictSchema = Type.Enum(VERDICTS, {
  type: 'string',
  description: 'REPEATED: the same was accepted before, and this one did nothing. REFUSED: see `error`.',
});

/** The answer to a report. */
export const ReceiptSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Of the report as it was recorded.' }),
    verdict: Type.Enum(['ACCEPTED', 'REPEATED'], { type: 'string' }),
    event: Type.Enum(REPORT_EVENTS, { type: 'string' }),
    tradeSessionId: Type.String(),
    side: SideSchema,
    tradeStatus: Type.Enum(TRADE_STATUSES, { type: 'string', description: 'Of the trade, after it.' }),
  },
  { title: 'ReportReceipt' },
);

const inbound = {
  id: Uuid,
  accountId: Uuid,
  event: Nullable(Type.String({ description: 'Null where the body named none that is known.' })),
  unknownEvent: Nullable(
    Type.String({
      description: 'What the body named as the event, where that is none that is known; its first 100 characters.',
    }),
  ),
  tradeSessionId: Nullable(Type.String()),
  side: Nullable(SideSchema),
  verdict: VerdictSchema,
  error: Nullable(Type.Object({ code: Type.String(), message: Type.String() }, { title: 'ReportError' })),
  repeats: Nullable(Type.String({ format: 'uuid', description: 'The report that it repeats.' })),
  further: Type.Integer({
    minimum: 0,
    description:
      'Requests with the same verdict and error that came later in the same minute and have no entry of their own.',
  }),
  occurredAt: Nullable(DateTime),
  receivedAt: DateTime,
  requestId: Type.String(),
  eventIds: Type.Array(Uuid, { description: 'The events that it caused.' }),
};
export const InboundSchema = Type.Object(inbound, { title: 'InboundReport' });
export const InboundDetailSchema = Type.Object(
  {
    ...inbound,
    body: Type.String({
      description: 'As it came; of what was not accepted the first 4096 characters. Empty where it could not be read.',
    }),
  },
  { title: 'InboundReportDetail' },
);

export const InboundQuery = Type.Object({
  accountId: Type.Optional(Uuid),
  tradeSessionId: Type.Optional(TradeSessionId),
  verdict: Type.Optional(Type.Enum(VERDICTS, { type: 'string' })),
  event: Type.Optional(
    Type.Enum(REPORT_EVENTS, { type: 'string', description: '`fulfilled` is recorded as `fulfillment.completed`.' }),
  ),
  since: Type.Optional(Type.Unsafe<string>({ ...DateTime, description: 'Received at this time or later.' })),
  until: Type.Optional(Type.Unsafe<string>({ ...DateTime, description: 'Received before this time.' })),
  ...CursorQuery,
});
export type InboundQuery = Static<typeof InboundQuery>;
