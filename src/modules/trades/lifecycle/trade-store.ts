import { sql } from 'kysely';
import type { Db, Trx } from '../../../platform/db/index.ts';
import { accountsOf } from './consequences.ts';
import type { Reservation, Side, Trade, TradeSide } from './types.ts';

/** A trade as it is kept, with what is kept beside it. */
export interface StoredTrade extends Trade {
  /** Place among all trades, in the order in which they were opened. */
  readonly number: number;
  /** The event by which the time began that ends at `dueAt`. */
  readonly dueEventId: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

type SessionRow = Omit<StoredTrade, 'sides' | 'reservations'>;

const SESSION = sql`id, number, offer_id as "offerId", status, reason, currency, due_at as "dueAt", due_event_id as "dueEventId",
  created_at as "createdAt", updated_at as "updatedAt"`;

type SideRow = Omit<TradeSide, 'originalPrice' | 'tradeAmount'> & {
  trade: string;
  side: Side;
  // numeric comes as text, and at most 15 significant digits go through a double unchanged (contracts/events/money.ts).
  originalPrice: string;
  tradeAmount: string;
};

async function complete(db: Db | Trx, sessions: readonly SessionRow[]): Promise<StoredTrade[]> {
  if (sessions.length === 0) return [];
  const ids = sessions.map((session) => session.id);
  const { rows: sides } = await sql<SideRow>`
    select trade_session_id as trade, side, user_id as "userId", merchant_account_id as "merchantAccountId", items,
      original_price::text as "originalPrice", trade_amount::text as "tradeAmount", checkout_status as checkout,
      paid_at as "paidAt", fulfillment_status as fulfillment, carrier, tracking_number as "trackingNumber",
      estimated_delivery_at as "estimatedDeliveryAt", returned_at as "returnedAt"
    from trade_sides where trade_session_id = any(${ids}::text[])`.execute(db);
  const { rows: reservations } = await sql<Reservation & { trade: string }>`
    select trade_session_id as trade, id, side, merchant_account_id as "merchantAccountId", items, status
    from trade_reservations where trade_session_id = any(${ids}::text[]) order by id`.execute(db);
  const sideOf = (trade: string, wanted: Side): TradeSide => {
    const row = sides.find((one) => one.trade === trade && one.side === wanted) as SideRow;
    const { trade: _trade, side: _side, originalPrice, tradeAmount, ...rest } = row;
    return { ...rest, originalPrice: Number(originalPrice), tradeAmount: Number(tradeAmount) };
  };
  return sessions.map((session) => ({
    ...session,
    sides: { INITIATOR: sideOf(session.id, 'INITIATOR'), COUNTERPARTY: sideOf(session.id, 'COUNTERPARTY') },
    reservations: reservations
      .filter((one) => one.trade === session.id)
      .map(({ trade: _trade, ...reservation }) => reservation),
  }));
}

/** Keeps others from the id of a session that is not there yet, until the end of the transaction. */
export async function lockSessionId(trx: Trx, id: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`trade:${id}`}, 0))`.execute(trx);
}

/**
 * A trade, locked until the end of the transaction. It is read after the lock is had, so as the last change left it.
 * `skipLocked`: null where somebody else has the lock.
 */
export async function lockTrade(trx: Trx, id: string, { skipLocked = false } = {}): Promise<StoredTrade | null> {
  const { rows } = await sql<SessionRow>`
    select ${SESSION} from trade_sessions where id = ${id} for update ${skipLocked ? sql`skip locked` : sql``}`.execute(
    trx,
  );
  return (await complete(trx, rows))[0] ?? null;
}

export async function selectTrade(db: Db, id: string): Promise<StoredTrade | null> {
  const { rows } = await sql<SessionRow>`select ${SESSION} from trade_sessions where id = ${id}`.execute(db);
  return (await complete(db, rows))[0] ?? null;
}

/** The trade session of an offer; null: there is none. */
export async function tradeOfOffer(db: Db | Trx, offerId: string): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`select id from trade_sessions where offer_id = ${offerId}`.execute(db);
  return rows[0]?.id ?? null;
}

/** Stores a new trade session; false when there is one of its id or for its offer. */
export async function insertTrade(trx: Trx, trade: Trade, now: Date): Promise<boolean> {
  const { rows } = await sql<{ number: number }>`
    insert into trade_sessions (id, offer_id, status, currency, created_at, updated_at)
    values (${trade.id}, ${trade.offerId}, ${trade.status}, ${trade.currency}, ${now}, ${now})
    on conflict do nothing returning number`.execute(trx);
  const number = rows[0]?.number;
  if (number === undefined) return false;
  await saveSides(trx, trade);
  await saveAccounts(trx, trade, number);
  return true;
}

async function saveAccounts(trx: Trx, trade: Trade, number: number): Promise<void> {
  await sql`
    delete from trade_accounts where number = ${number} and account_id <> all(${accountsOf(trade)}::uuid[])`.execute(
    trx,
  );
  await sql`
    insert into trade_accounts (account_id, number) select id, ${number} from unnest(${accountsOf(trade)}::uuid[]) as id
    on conflict do nothing`.execute(trx);
}

async function saveSides(trx: Trx, trade: Trade): Promise<void> {
  const rows = Object.entries(trade.sides).map(([side, { items, ...rest }]) => ({ side, items, ...rest }));
  await sql`
    insert into trade_sides (trade_session_id, side, user_id, merchant_account_id, items, original_price, trade_amount,
      checkout_status, paid_at, fulfillment_status, carrier, tracking_number, estimated_delivery_at, returned_at)
    select ${trade.id}, side, "userId", "merchantAccountId", items, "originalPrice", "tradeAmount", checkout, "paidAt", fulfillment,
      carrier, "trackingNumber", "estimatedDeliveryAt", "returnedAt"
    from json_to_recordset(${JSON.stringify(rows)}::json) as side_row (side text, "userId" text, "merchantAccountId" uuid, items json,
      "originalPrice" numeric, "tradeAmount" numeric, checkout text, "paidAt" timestamptz, fulfillment text, carrier text,
      "trackingNumber" text, "estimatedDeliveryAt" timestamptz, "returnedAt" timestamptz)
    on conflict (trade_session_id, side) do update set items = excluded.items, original_price = excluded.original_price,
      trade_amount = excluded.trade_amount, checkout_status = excluded.checkout_status, paid_at = excluded.paid_at,
      fulfillment_status = excluded.fulfillment_status, carrier = excluded.carrier, tracking_number = excluded.tracking_number,
      estimated_delivery_at = excluded.estimated_delivery_at, returned_at = excluded.returned_at`.execute(trx);
}

async function saveReservations(trx: Trx, { id, reservations }: Trade): Promise<void> {
  if (reservations.length === 0) return;
  await sql`
    insert into trade_reservations (id, trade_session_id, side, merchant_account_id, items, status)
    select id, ${id}, side, "merchantAccountId", items, status
    from json_to_recordset(${JSON.stringify(reservations)}::json)
      as one (id uuid, side text, "merchantAccountId" uuid, items json, status text)
    on conflict (id) do update set status = excluded.status`.execute(trx);
}

/** Stores what a locked trade has become. `dueEventId`: where a time has begun, the event by which it did. */
export async function saveTrade(
  trx: Trx,
  trade: Trade,
  { number, now, dueEventId }: { number: number; now: Date; dueEventId: string | null },
): Promise<void> {
  await sql`
    update trade_sessions set status = ${trade.status}, reason = ${trade.reason}, currency = ${trade.currency}, due_at = ${trade.dueAt},
      due_event_id = ${dueEventId}, updated_at = ${now}
    where id = ${trade.id}`.execute(trx);
  await saveSides(trx, trade);
  await saveReservations(trx, trade);
  // Its items may be others than when it was opened.
  if (trade.status === 'CHECKOUT') await saveAccounts(trx, trade, number);
}

/** Trades whose time has run out, longest first. */
export async function selectDue(db: Db, now: Date, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from trade_sessions where due_at <= ${now} order by due_at limit ${limit}`.execute(db);
  return rows.map((row) => row.id);
}

/** The last position of the log that is of before this service kept trades. */
export async function originPosition(db: Db | Trx): Promise<number> {
  const { rows } = await sql<{ position: number }>`select position from trade_origin`.execute(db);
  return rows[0]?.position ?? 0;
}

/** Trades by their numbers, newest first. */
export async function selectByNumbers(db: Db, numbers: readonly number[]): Promise<StoredTrade[]> {
  const { rows } = await sql<SessionRow>`
    select ${SESSION} from trade_sessions where number = any(${[...numbers]}::bigint[]) order by number desc`.execute(
    db,
  );
  return complete(db, rows);
}
