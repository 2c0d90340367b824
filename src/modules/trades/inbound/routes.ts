import { Type } from 'typebox';
import { type AnyRoute, batch, cursorPageOf, IdParams, read, Uuid } from '../../../platform/http/index.ts';
import { getReport, type InboundDeps, listReports } from './list-reports.ts';
import { type ReceiveDeps, receiveReport } from './receive-report.ts';
import { reporterOf, unknownEventOf } from './received.ts';
import type { InboundRow } from './report-store.ts';
import { InboundDetailSchema, InboundQuery, InboundSchema, ReceiptSchema, ReportBody } from './schemas.ts';

const tag = 'Inbound webhooks';
/** A report is kept as it came. Bytes. */
const BODY_LIMIT = 65_536;

function inboundView({ errorCode, message, occurredAt, receivedAt, body, ...row }: InboundRow) {
  return {
    ...row,
    unknownEvent: unknownEventOf({ event: row.event, body }),
    error: errorCode === null ? null : { code: errorCode, message: message ?? '' },
    occurredAt: occurredAt?.toISOString() ?? null,
    receivedAt: receivedAt.toISOString(),
  };
}

export const inboundRoutes = (deps: ReceiveDeps & InboundDeps): AnyRoute[] => [
  batch({
    method: 'POST',
    path: '/v1/webhooks/inbound',
    access: { account: 'inbound:write' },
    operationId: 'receiveReport',
    tag,
    summary: 'Report payment, stock or fulfillment of a trade',
    description:
      'Signed like the webhooks that this service sends: `X-Service-Signature: t=<unix>,v1=<hex>` with a signing secret of the ' +
      'account over the raw body, at most 5 minutes old. The same event for the same trade and side counts once: a repetition is ' +
      'answered with 200 and does nothing. What the trade does not allow yet is refused with INVALID_STATE and may be sent again. ' +
      'Every request of a known caller is recorded with its verdict. Further fields are kept with it and do nothing. ' +
      'An Idempotency-Key gives the same answer again to a report that was accepted; a refusal is not kept under it, so the ' +
      'same report can be sent again with the same key, signed anew.',
    schemas: {
      query: Type.Object({ accountId: Type.Optional(Uuid) }),
      body: ReportBody,
      replies: { 200: ReceiptSchema },
    },
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    bodyLimit: Math.min(deps.bodyLimit, BODY_LIMIT),
    recordsRefusals: true,
    isSigned: true,
    handle(db, { body, rawBody = '', misfit, refusal, caller, query, headers, env }, claim) {
      const received = {
        ...reporterOf(deps, caller, query, refusal),
        rawBody,
        body,
        signature: headers['x-service-signature'],
        contentType: headers['content-type'],
        ...(misfit ? { misfit } : {}),
      };
      return receiveReport(deps, db, { received, claim }, env);
    },
  }),
  read({
    method: 'GET',
    path: '/v1/webhooks/inbound',
    access: { account: 'inbound:write' },
    operationId: 'listReports',
    tag,
    summary: 'Reports that came in, newest first',
    schemas: { query: InboundQuery, replies: { 200: cursorPageOf(InboundSchema) } },
    errors: ['NOT_FOUND'],
    async handle(db, { query, caller }) {
      const { data, nextCursor } = await listReports(deps, db, query, caller);
      return { status: 200, body: { data: data.map(inboundView), nextCursor } };
    },
  }),
  read({
    method: 'GET',
    path: '/v1/webhooks/inbound/{id}',
    access: { account: 'inbound:write' },
    operationId: 'getReport',
    tag,
    summary: 'A report as it came, with its verdict and the events that it caused',
    schemas: { params: IdParams, replies: { 200: InboundDetailSchema } },
    errors: ['NOT_FOUND'],
    async handle(db, { params, caller }) {
      const report = await getReport(deps, db, params.id, caller);
      return { status: 200, body: { ...inboundView(report), body: report.body } };
    },
  }),
];
