import type { Client } from 'pg';
import { ACCOUNTS, accountId, RAREST } from './mix.ts';
import { START, yearOf } from './data.ts';

/** What is asked, by its name: each path for something else. */
export type Queries = readonly (readonly [name: string, paths: string[]])[];

interface Row {
  position: number;
  id: string;
  event: string;
  subject: string | null;
  trade: string | null;
  cause: string | null;
  request: string;
}

const HOUR_MS = 3_600_000;
const cursorAt = (position: number): string => Buffer.from(`p${Math.floor(position)}`).toString('base64url');
/** Always the same numbers from 0 to 1. */
const fraction = (i: number): number => ((i + 1) * 0.618_033_988_749_895) % 1;

/** The queries of an audit on a log of so many events; `count` paths of each. Deep pages begin anywhere in the log. */
export async function auditQueries(client: Client, events: number, count: number): Promise<Queries> {
  const at = Array.from({ length: count }, (_, i) => 1 + Math.floor(fraction(i) * (events - 1)));
  const { rows } = await client.query<Row>(
    `select position::float8 as position, id, event, subject_id as subject, trade_session_id as trade, caused_by as cause, request_id as request
     from events where position = any($1::bigint[])`,
    [at.flatMap((p) => Array.from({ length: 20 }, (_, i) => Math.min(events, p + i)))],
  );
  const some = (fits: (row: Row) => boolean): Row[] => {
    const found = rows.filter(fits).toSorted((a, b) => fraction(a.position) - fraction(b.position));
    return Array.from({ length: count }, (_, i) => found[i % found.length] as Row);
  };
  const list = (query: Record<string, string>): string => `/v1/events?${new URLSearchParams(query).toString()}`;
  const hour = (position: number): Record<string, string> => {
    const since = START + position * yearOf(events);
    return { since: new Date(since).toISOString(), until: new Date(since + HOUR_MS).toISOString() };
  };
  const deep = (i: number): Record<string, string> => ({ cursor: cursorAt((at[i] as number) + 1) });
  const account = (i: number): Record<string, string> => ({
    accountId: accountId(Math.floor(fraction(i * 7) * ACCOUNTS)),
  });
  const each = <T>(values: readonly T[], query: (value: T, i: number) => Record<string, string>): string[] =>
    values.map((value, i) => list(query(value, i)));

  const trades = some((row) => row.trade !== null);
  const subjects = some((row) => row.subject !== null && row.subject !== row.trade && row.subject.startsWith('sub_'));
  const offers = some((row) => row.subject?.startsWith('off_') === true);
  return [
    ['everything', each(at, () => ({ limit: '20' }))],
    ['everything, deep', each(at, (_, i) => deep(i))],
    [
      'event',
      each(
        some(() => true),
        (row) => ({ event: row.event }),
      ),
    ],
    [
      'event, deep',
      each(
        some(() => true),
        (row, i) => ({ event: row.event, ...deep(i) }),
      ),
    ],
    ['the rarest event', each(at, () => ({ event: RAREST }))],
    ['the rarest event, deep', each(at, (_, i) => ({ event: RAREST, ...deep(i) }))],
    ['subject: a listing of thousands of events', each(subjects, ({ subject }) => ({ subjectId: String(subject) }))],
    ['subject: that, deep', each(subjects, ({ subject }, i) => ({ subjectId: String(subject), ...deep(i) }))],
    ['subject: an offer', each(offers, ({ subject }) => ({ subjectId: String(subject) }))],
    ['subject: a trade', each(trades, ({ trade }) => ({ subjectId: String(trade) }))],
    ['trade', each(trades, ({ trade }) => ({ tradeSessionId: String(trade) }))],
    [
      'trade, second page',
      each(trades, ({ trade, position }) => ({
        tradeSessionId: String(trade),
        limit: '5',
        cursor: cursorAt(position),
      })),
    ],
    ['account', each(at, (_, i) => account(i))],
    ['account, deep', each(at, (_, i) => ({ ...account(i), ...deep(i) }))],
    [
      'account and event',
      each(
        some(() => true),
        (row, i) => ({ ...account(i), event: row.event }),
      ),
    ],
    ['account, an hour', each(at, (p, i) => ({ ...account(i), ...hour(p) }))],
    [
      'cause',
      each(
        some((row) => row.cause !== null),
        ({ cause }) => ({ causedBy: String(cause) }),
      ),
    ],
    [
      'request',
      each(
        some(() => true),
        ({ request }) => ({ requestId: request }),
      ),
    ],
    ['an hour', each(at, (p) => hour(p))],
    ['an hour, deep', each(at, (p) => ({ ...hour(p), cursor: cursorAt(p + HOUR_MS / yearOf(events) / 2) }))],
    [
      'an hour and event',
      each(
        some(() => true),
        (row) => ({ ...hour(row.position), event: row.event }),
      ),
    ],
    ['the rarest event, half a year', each(at, (p) => ({ event: RAREST, until: hour(p).since as string }))],
    ['by id', some(() => true).map(({ id }) => `/v1/events/${id}`)],
  ];
}
