import { AppError, type ErrorCode, invalid } from '../../../contracts/errors.ts';
import type { Cipher } from '../../../lib/cipher.ts';
import { isDateTime } from '../../../lib/date-time.ts';
import { signatureFault } from '../../../lib/signature-fault.ts';
import type { Db, Env, Trx } from '../../../platform/db/index.ts';
import {
  commitReply,
  envelope,
  type IdempotencyClaim,
  type Reply,
  unauthenticated,
} from '../../../platform/http/index.ts';
import type { Accounts } from '../../accounts/index.ts';
import { applyDecision } from '../lifecycle/apply.ts';
import { decideReport, REPORT_EVENTS, type Report, type ReportEvent } from '../lifecycle/decide-report.ts';
import type { TradeDeps } from '../lifecycle/reactions.ts';
import { concerns } from '../lifecycle/consequences.ts';
import { lockTrade } from '../lifecycle/trade-store.ts';
import { SIDES } from '../lifecycle/types.ts';
import { findAccepted, insertReport, type InboundRow } from './report-store.ts';
import type { ReportBody } from './schemas.ts';

/** How far a merchant's clock may be ahead; as far as its signature may. Milliseconds. */
const AHEAD_MS = 5 * 60_000;

/** What is kept of a body that is no report of the account, or none at all. UTF-16 units. */
const REFUSED_MAX = 4096;

export interface ReceiveDeps extends TradeDeps {
  cipher: Cipher;
  secretsOf: Accounts['secretsOf'];
  /** Bytes of a body that any operation takes. */
  bodyLimit: number;
}

export interface Received {
  accountId: string;
  rawBody: string;
  /** As parsed; fits its schema unless there is a misfit. */
  body: unknown;
  misfit?: AppError;
  signature: string | undefined;
}

const eventOf = (name: unknown): ReportEvent | null =>
  name === 'fulfilled' ? 'fulfillment.completed' : (REPORT_EVENTS.find((event) => event === name) ?? null);

/** What of a body can be told, whether it fits or not. */
function newRow({ accountId, rawBody, body }: Received, env: Env): InboundRow {
  const told = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const { tradeSessionId, side, occurredAt } = told;
  const isId = typeof tradeSessionId === 'string' && /^[!-~]{1,128}$/.test(tradeSessionId);
  return {
    id: env.newId(),
    accountId,
    event: eventOf(told.event),
    tradeSessionId: isId ? tradeSessionId : null,
    side: SIDES.find((one) => one === side) ?? null,
    occurredAt: typeof occurredAt === 'string' && isDateTime(occurredAt) ? new Date(occurredAt) : null,
    // PostgreSQL keeps no NUL; JSON cannot hold one outside of an escape.
    body: rawBody.replaceAll('\0', ''),
    verdict: 'REFUSED',
    errorCode: null,
    message: null,
    eventIds: [],
    repeats: null,
    requestId: env.requestId,
    receivedAt: env.now,
  };
}

/** Why a report is refused whatever the trade: its signature, then its body. */
async function faultOf(deps: ReceiveDeps, received: Received, row: InboundRow, env: Env): Promise<AppError | null> {
  const { signature, rawBody, misfit, accountId } = received;
  const secrets = (await deps.secretsOf(accountId)).map((secret) => secret.key);
  const fault = signatureFault(signature, rawBody, secrets, Math.floor(env.now.getTime() / 1000));
  if (fault !== null) return unauthenticated(`X-Service-Signature: ${fault}.`);
  if (misfit) return misfit;
  if (row.occurredAt && row.occurredAt.getTime() > env.now.getTime() + AHEAD_MS) {
    return invalid({ path: 'body.occurredAt', message: 'is in the future' });
  }
  return null;
}

function reportOf(body: ReportBody, accountId: string, at: Date): Report {
  const { side, amount, currency, carrier, trackingNumber, estimatedDeliveryAt, items } = body;
  return {
    event: eventOf(body.event) as ReportEvent,
    accountId,
    side: side,
    at,
    ...(amount === undefined ? {} : { amount }),
    ...(currency === undefined ? {} : { currency }),
    ...(carrier === undefined ? {} : { carrier }),
    ...(trackingNumber === undefined ? {} : { trackingNumber }),
    ...(estimatedDeliveryAt === undefined ? {} : { estimatedDeliveryAt: new Date(estimatedDeliveryAt) }),
    ...(items === undefined ? {} : { items }),
  };
}

/** The answer to a report, which is recorded with its verdict in the same transaction as what it does. */
async function judge(
  trx: Trx,
  deps: ReceiveDeps,
  { body, row }: { body: ReportBody; row: InboundRow },
  env: Env,
): Promise<Reply> {
  const { accountId, id } = row;
  const report = reportOf(body, accountId, row.occurredAt ?? env.now);
  const { event, side } = report;
  // Given as a reply, not thrown: what is recorded is to be committed.
  const refuse = async (code: ErrorCode, message: string): Promise<Reply> => {
    const error = new AppError(code, { message });
    await insertReport(trx, { ...row, errorCode: code, message });
    return { status: error.status, body: envelope(error, env.requestId) };
  };
  const receipt = (verdict: string, tradeStatus: string): Reply => ({
    status: 200,
    body: { id, verdict, event, tradeSessionId: body.tradeSessionId, side, tradeStatus },
  });

  const trade = await lockTrade(trx, body.tradeSessionId);
  // A trade that is none of this account's business is none.
  if (!trade || !concerns(trade, accountId)) return refuse('NOT_FOUND', 'There is no such trade.');
  const repeats = await findAccepted(trx, { accountId, tradeSessionId: trade.id, side, event });
  if (repeats !== null) {
    await insertReport(trx, { ...row, verdict: 'REPEATED', repeats });
    return receipt('REPEATED', trade.status);
  }
  const decision = decideReport(trade, report, { now: env.now, newId: env.newId, ...deps.times });
  if ('refused' in decision) return refuse(decision.code ?? 'INVALID_STATE', decision.refused);
  const trigger = { cause: event, reportId: id, reporter: accountId, at: report.at };
  const applied = await applyDecision(trx, { trade, decision, trigger }, deps.publish, env);
  await insertReport(trx, { ...row, verdict: 'ACCEPTED', eventIds: applied.events.map((one) => one.id) });
  return receipt('ACCEPTED', applied.trade.status);
}

/**
 * A report of a merchant (interface.md §6.3): signed with a secret of its account, done once however often it comes, and
 * recorded with its verdict whatever becomes of it. Throws UNAUTHENTICATED for a wrong signature, VALIDATION_ERROR for a body
 * that does not fit, NOT_FOUND for a trade that is not the account's, FORBIDDEN for a side that it does not serve,
 * INVALID_STATE for what the trade does not allow now; the last may be sent again later.
 */
export async function receiveReport(
  deps: ReceiveDeps,
  db: Db,
  { received, claim }: { received: Received; claim: IdempotencyClaim | undefined },
  env: Env,
): Promise<Reply> {
  const row = newRow(received, env);
  const fault = await faultOf(deps, received, row, env);
  if (fault) {
    const body = row.body.slice(0, REFUSED_MAX);
    await insertReport(db, { ...row, body, errorCode: fault.code, message: fault.message });
    throw fault;
  }
  return commitReply(db, claim, { env, cipher: deps.cipher, secret: false }, (trx) =>
    judge(trx, deps, { body: received.body as ReportBody, row }, env),
  );
}
