import type { Caller } from '../../../contracts/caller.ts';
import { AppError } from '../../../contracts/errors.ts';
import { isDateTime } from '../../../lib/date-time.ts';
import { timeOfUuidv7 } from '../../../lib/ids.ts';
import type { Env } from '../../../platform/db/index.ts';
import { REPORT_EVENTS, type ReportEvent } from '../lifecycle/decide-report.ts';
import { SIDES } from '../lifecycle/types.ts';
import type { InboundDeps } from './list-reports.ts';
import type { InboundRow } from './report-store.ts';

/** A request to report something, whether it can be read or not. */
export interface Received {
  accountId: string;
  rawBody: string;
  /** As parsed; fits its schema unless there is a misfit. */
  body: unknown;
  misfit?: AppError;
  /** Why the request was refused before its body was looked at. */
  refusal?: AppError;
  signature: string | undefined;
  contentType: string | undefined;
}

/** The event that a body names; null for none that is known. */
export const eventOf = (name: unknown): ReportEvent | null =>
  name === 'fulfilled' ? 'fulfillment.completed' : (REPORT_EVENTS.find((event) => event === name) ?? null);

/** What is told of a name that is none. UTF-16 units. */
const NAME_MAX = 100;

/** What a body names as its event, as it was sent, where that is none that is known; null where it cannot be read, or names none. */
export function unknownEventOf({ event, body }: Pick<InboundRow, 'event' | 'body'>): string | null {
  if (event !== null) return null;
  try {
    const told = JSON.parse(body) as { event?: unknown } | null;
    const name = told?.event;
    return typeof name === 'string' && name !== '' ? name.slice(0, NAME_MAX).toWellFormed() : null;
  } catch {
    return null;
  }
}

/** What of a body can be told, whether it fits or not. */
export function newRow({ accountId, rawBody, body }: Received, env: Env): InboundRow {
  const told = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const { tradeSessionId, side, occurredAt } = told;
  const id = env.newId();
  const isId = typeof tradeSessionId === 'string' && /^[!-~]{1,128}$/.test(tradeSessionId);
  return {
    id,
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
    further: 0,
    requestId: env.requestId,
    // Lists find a time by ids: what they show must be that time, and not that of the request, which can be some milliseconds before.
    receivedAt: new Date(timeOfUuidv7(id)),
  };
}

/** Whose report it is, and why not, where the caller names another account. Throws for a user whose account is not told. */
export function reporterOf(
  deps: Pick<InboundDeps, 'actingAccount'>,
  caller: Caller,
  query: { accountId?: unknown },
  refusal?: AppError,
): Pick<Received, 'accountId' | 'refusal'> {
  const asked = typeof query.accountId === 'string' ? query.accountId.toLowerCase() : undefined;
  try {
    return {
      accountId: deps.actingAccount(caller, isUuid(asked) ? asked : undefined),
      ...(refusal ? { refusal } : {}),
    };
  } catch (error) {
    if (caller.kind !== 'key' || !(error instanceof AppError)) throw refusal ?? error;
    return { accountId: caller.accountId, refusal: refusal ?? error };
  }
}

const isUuid = (text: string | undefined): boolean =>
  text !== undefined && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
