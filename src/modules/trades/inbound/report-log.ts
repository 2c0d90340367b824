import { BoundedMap } from '../../../lib/bounded-map.ts';
import type { Db, Trx } from '../../../platform/db/index.ts';
import { countFurther, insertReport, type InboundRow } from './report-store.ts';

/** Requests of one account and minute that have a row of their own though they did nothing; per process. */
const OWN_ROWS = 60;
/** Kinds of such requests that are told apart in a minute after that. */
const KINDS = 1000;
/** Accounts whose minute is remembered. */
const ACCOUNTS = 10_000;
const MINUTE_MS = 60_000;

/** What is kept of a body that did nothing. UTF-16 units. */
const EXCERPT_MAX = 4096;
/** What is kept of a sentence that may hold what the caller sent. UTF-16 units. */
const MESSAGE_MAX = 1000;

interface Minute {
  number: number;
  rows: number;
  /** The last row of each kind. */
  lastOf: Map<string, string>;
}

const clip = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, length).toWellFormed();

/** Whether the trade was looked at, so that its id is one that there is. */
const isJudged = ({ verdict, errorCode }: InboundRow): boolean =>
  verdict === 'REPEATED' || errorCode === 'INVALID_STATE' || errorCode === 'FORBIDDEN';

const kindOf = (row: InboundRow, isTold: boolean): string =>
  isTold && isJudged(row)
    ? [row.verdict, row.errorCode, row.tradeSessionId, row.side, row.event].join(' ')
    : `${row.verdict} ${row.errorCode}`;

/**
 * Keeps every request of a merchant with its verdict, in bounded space. What was accepted is kept as it came: there is one
 * for each event of a side of a trade. What did nothing is kept with an excerpt, and from the 61st of an account in a minute
 * on is counted at the last one of its kind (verdict, error, and trade, side and event where these are known), so nobody with
 * a key can fill the disk.
 */
export class ReportLog {
  readonly #minutes = new BoundedMap<string, Minute>(ACCOUNTS);

  /** Records the request in the transaction of what it does, if it does something; the id of its row. */
  async keep(db: Db | Trx, row: InboundRow): Promise<string> {
    if (row.verdict === 'ACCEPTED') {
      await insertReport(db, row);
      return row.id;
    }
    const minute = this.#minuteOf(row);
    const kind = kindOf(row, minute.lastOf.size < KINDS);
    const like = minute.rows >= OWN_ROWS ? minute.lastOf.get(kind) : undefined;
    // Its row is missing when the transaction that wrote it was rolled back.
    if (like !== undefined && (await countFurther(db, like))) return like;
    minute.rows++;
    minute.lastOf.set(kind, row.id);
    const message = row.message === null ? null : clip(row.message, MESSAGE_MAX);
    await insertReport(db, { ...row, body: clip(row.body, EXCERPT_MAX), message });
    return row.id;
  }

  #minuteOf({ accountId, receivedAt }: InboundRow): Minute {
    const number = Math.floor(receivedAt.getTime() / MINUTE_MS);
    let minute = this.#minutes.get(accountId);
    if (minute?.number !== number) {
      minute = { number, rows: 0, lastOf: new Map() };
      this.#minutes.set(accountId, minute);
    }
    return minute;
  }
}
