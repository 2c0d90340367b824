import type { KeyObject } from 'node:crypto';
import { AppError, type ErrorCode, invalid } from '../../../contracts/errors.ts';
import type { Cipher } from '../../../lib/cipher.ts';
import { OUTSIDE_WINDOW, signatureFault } from '../../../lib/signature-fault.ts';
import type { Db, Env, Trx } from '../../../platform/db/index.ts';
import type { Platform } from '../../../platform/platform.ts';
import {
  commitReply,
  envelope,
  type IdempotencyClaim,
  type Reply,
  unauthenticated,
} from '../../../platform/http/index.ts';
import type { Accounts } from '../../accounts/index.ts';
import { applyDecision, aroundNow, type TradeDeps } from '../lifecycle/apply.ts';
import { decideReport, type Report, type ReportEvent } from '../lifecycle/decide-report.ts';
import { concerns } from '../lifecycle/consequences.ts';
import { saveKept } from '../lifecycle/save-store.ts';
import { lockTrade, tradeIdOf } from '../lifecycle/trade-store.ts';
import { eventOf, newRow, type Received } from './received.ts';
import type { ReportLog } from './report-log.ts';
import { findAccepted, type InboundRow } from './report-store.ts';
import type { ReportBody } from './schemas.ts';

/** How far a merchant's clock may be ahead; as far as its signature may. Milliseconds. */
const AHEAD_MS = 5 * 60_000;

export interface ReceiveDeps extends TradeDeps {
  cipher: Cipher;
  secretsOf: Accounts['secretsOf'];
  ownClock: Platform['ownClock'];
  /** Bytes of a body that any operation takes. */
  bodyLimit: number;
  log: ReportLog;
}

interface Fault {
  error: AppError;
  /** By another clock there may be none. */
  isOfClock: boolean;
}

/** What is wrong with a report at this time: its signature, then its body. Milliseconds. */
function faultAt(
  now: number,
  { signature, rawBody, misfit, body }: Received,
  { occurredAt }: InboundRow,
  secrets: readonly KeyObject[],
): Fault | null {
  const signed = signatureFault(signature, rawBody, secrets, Math.floor(now / 1000));
  if (signed !== null) {
    return { error: unauthenticated(`X-Service-Signature: ${signed}.`), isOfClock: signed === OUTSIDE_WINDOW };
  }
  if (misfit) return { error: misfit, isOfClock: false };
  if (occurredAt && occurredAt.getTime() > now + AHEAD_MS) {
    return { error: invalid({ path: 'body.occurredAt', message: 'is in the future' }), isOfClock: true };
  }
  const error = namedTwice(body as ReportBody);
  return error && { error, isOfClock: false };
}

/**
 * Why a report is refused whatever the trade: what the platform found, its signature, then its body. Where the time of the service finds
 * a fault, all is judged by the clock of this machine: a database whose clock is wrong would refuse every merchant.
 */
async function faultOf(deps: ReceiveDeps, received: Received, row: InboundRow, env: Env): Promise<AppError | null> {
  const { refusal, accountId } = received;
  if (refusal) return refusal;
  const secrets = (await deps.secretsOf(accountId)).map((secret) => secret.key);
  const found = faultAt(env.now.getTime(), received, row, secrets);
  const fault = found?.isOfClock ? faultAt(deps.ownClock.now(), received, row, secrets) : found;
  return fault?.error ?? null;
}

/** Of two quantities of one listing neither can be known to be the right one. */
function namedTwice({ items = [] }: ReportBody): AppError | null {
  const ids = items.map(({ listingId }) => listingId);
  const second = ids.findIndex((id, i) => ids.indexOf(id) < i);
  if (second >= 0) return invalid({ path: `body.items.${second}.listingId`, message: 'is named twice' });
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
  { body, row: told }: { body: ReportBody; row: InboundRow },
  env: Env,
): Promise<Reply> {
  const tradeSessionId = await tradeIdOf(trx, body.tradeSessionId);
  const row = { ...told, tradeSessionId };
  const { accountId } = row;
  const report = reportOf(body, accountId, row.occurredAt ?? env.now);
  const { event, side } = report;
  // Given as a reply, not thrown: what is recorded is to be committed.
  const refuse = async (code: ErrorCode, message: string, as: InboundRow = row): Promise<Reply> => {
    const error = new AppError(code, { message });
    await deps.log.keep(trx, { ...as, errorCode: code, message });
    return { status: error.status, body: envelope(error, env.requestId) };
  };
  const receipt = (id: string, verdict: string, tradeStatus: string): Reply => ({
    status: 200,
    body: { id, verdict, event, tradeSessionId, side, tradeStatus },
  });

  const trade = await lockTrade(trx, tradeSessionId);
  // A trade that is none of this account's business is none: its log does not show how the id is written really, either.
  if (!trade || !concerns(trade, accountId)) return refuse('NOT_FOUND', 'There is no such trade.', told);
  const repeats = await findAccepted(trx, { accountId, tradeSessionId: trade.id, side, event });
  if (repeats !== null) {
    return receipt(await deps.log.keep(trx, { ...row, verdict: 'REPEATED', repeats }), 'REPEATED', trade.status);
  }
  const decision = decideReport(trade, report, await aroundNow(deps, trx, env));
  if ('refused' in decision) {
    if (decision.kept) await saveKept(trx, trade, decision.kept);
    return refuse(decision.code ?? 'INVALID_STATE', decision.refused);
  }
  const trigger = { cause: event, reportId: row.id, reporter: accountId, at: report.at };
  const applied = await applyDecision(trx, { trade, decision, trigger }, deps.publishAll, env);
  const eventIds = applied.events.map((one) => one.id);
  return receipt(await deps.log.keep(trx, { ...row, verdict: 'ACCEPTED', eventIds }), 'ACCEPTED', applied.trade.status);
}

/** Records why the request was refused, and throws it. */
async function keepRefusal(
  deps: ReceiveDeps,
  db: Db,
  { row, contentType }: { row: InboundRow; contentType: string | undefined },
  fault: AppError,
): Promise<never> {
  const isOther = fault.code === 'UNSUPPORTED_MEDIA_TYPE';
  const message = isOther ? `${fault.message} It came as: ${contentType ?? 'nothing'}.` : fault.message;
  await deps.log.keep(db, { ...row, verdict: 'REFUSED', errorCode: fault.code, message });
  throw fault;
}

/** Runs `judge`, or gives the answer that was stored for the same request under its key; that is recorded, too. */
async function answer(
  deps: ReceiveDeps,
  db: Db,
  { received, row, claim }: { received: Received; row: InboundRow; claim: IdempotencyClaim | undefined },
  env: Env,
): Promise<Reply> {
  // A refusal did nothing that could be done twice, and what is refused today may be in order tomorrow.
  const options = { env, cipher: deps.cipher, secret: false, isKept: (reply: Reply) => reply.status === 200 };
  try {
    const reply = await commitReply(db, claim, options, (trx) =>
      judge(trx, deps, { body: received.body as ReportBody, row }, env),
    );
    if (reply.headers?.['idempotency-replayed'] !== undefined) {
      await deps.log.keep(db, { ...row, verdict: 'REPEATED', repeats: (reply.body as { id: string }).id });
    }
    return reply;
  } catch (error) {
    if (!(error instanceof AppError) || !error.code.startsWith('IDEMPOTENCY')) throw error;
    return keepRefusal(deps, db, { row, contentType: received.contentType }, error);
  }
}

/**
 * A report of a merchant (interface.md §6.3): signed with a secret of its account, done once however often it comes, and
 * recorded with its verdict whatever becomes of it, as is a request that is none. Throws the refusal of the platform,
 * UNAUTHENTICATED for a wrong signature (also where an answer is stored under its Idempotency-Key), VALIDATION_ERROR for a body
 * that does not fit, NOT_FOUND for a trade that is not the account's, FORBIDDEN for a side that it does not serve,
 * INVALID_STATE for what the trade does not allow now; the last may be sent again later, under the same key as well.
 */
export async function receiveReport(
  deps: ReceiveDeps,
  db: Db,
  { received, claim }: { received: Received; claim: IdempotencyClaim | undefined },
  env: Env,
): Promise<Reply> {
  const row = newRow(received, env);
  const fault = await faultOf(deps, received, row, env);
  if (fault) return keepRefusal(deps, db, { row, contentType: received.contentType }, fault);
  return answer(deps, db, { received, row, claim }, env);
}
