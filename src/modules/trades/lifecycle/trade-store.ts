import { sql } from 'kysely';
import { asWeWrite, spellingsOf } from '../../../lib/ids.ts';
import type { Db, Trx } from '../../../platform/db/index.ts';
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
  const sidesOf = Map.groupBy(sides, ({ trade }) => trade);
  const reservationsOf = await findReservations(db, sessions);
  const sideOf = (trade: string, wanted: Side): TradeSide => {
    const row = sidesOf.get(trade)?.find((one) => one.side === wanted) as SideRow;
    const { trade: _trade, side: _side, originalPrice, tradeAmount, ...rest } = row;
    return { ...rest, originalPrice: Number(originalPrice), tradeAmount: Number(tradeAmount) };
  };
  return sessions.map((session) => ({
    ...session,
    sides: { INITIATOR: sideOf(session.id, 'INITIATOR'), COUNTERPARTY: sideOf(session.id, 'COUNTERPARTY') },
    reservations: (reservationsOf.get(session.id) ?? []).map(({ trade: _trade, ...reservation }) => reservation),
  }));
}

type ReservationRow = Reservation & { trade: string };

/** By trade. Nothing is reserved before a trade is accepted. */
async function findReservations(db: Db | Trx, sessions: readonly SessionRow[]): Promise<Map<string, ReservationRow[]>> {
  const ids = sessions.filter(({ status }) => status !== 'CREATED').map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const { rows } = await sql<ReservationRow>`
    select trade_session_id as trade, id, side, merchant_account_id as "merchantAccountId", items, status
    from trade_reservations where trade_session_id = any(${ids}::text[]) order by id`.execute(db);
  return Map.groupBy(rows, ({ trade }) => trade);
}

/** Keeps others from the id of a session that is not there yet, however they write it, until the end of the transaction. */
export async function lockSessionId(trx: Trx, id: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`trade:${asWeWrite(id)}`}, 0))`.execute(trx);
}

/**
 * Keeps others from opening a session for these offers, however they write them, until the end of the transaction. Who locks offers and
 * trades takes those of offers first, and all of a kind at once: they are taken in one order, so that no two wait for each other.
 */
export async function lockOffers(trx: Trx, offerIds: readonly string[]): Promise<void> {
  const offers = [...new Set(offerIds.map(asWeWrite))].toSorted();
  await sql`
    select pg_advisory_xact_lock(hashtextextended('trade offer:' || offer, 0))
    from unnest(${offers}::text[]) with ordinality as given (offer, n) order by n`.execute(trx);
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

/**
 * Those of these trades, and of the trades of these offers, that there are, locked as by `lockTrade`, in the order of their ids, so that two
 * who lock several do not deadlock.
 */
async function lockTrades(trx: Trx, ids: readonly string[], offerIds: readonly string[]): Promise<StoredTrade[]> {
  if (ids.length + offerIds.length === 0) return [];
  const { rows } = await sql<SessionRow>`
    select ${SESSION} from trade_sessions where id = any(${[...ids]}::text[]
      ${offerIds.length === 0 ? sql`` : sql`|| array(select id from trade_sessions where offer_id = any(${[...offerIds]}::text[]))`})
    order by id for update`.execute(trx);
  return complete(trx, rows);
}

/**
 * Trades as the marketplace names them, locked as by `lockTrades` with those of the offers; gives the trade of a name. A UUID may be written in
 * the other case: one that is a trade as it was given is that trade.
 */
export async function lockNamed(
  trx: Trx,
  names: readonly string[],
  offerIds: readonly string[] = [],
): Promise<(name: string) => StoredTrade | null> {
  const [ids, offers] = [names, offerIds].map((given) => [...new Set(given.flatMap(spellingsOf))]);
  const trades = await lockTrades(trx, ids as string[], offers as string[]);
  const byId = new Map(trades.map((trade) => [trade.id, trade]));
  return (name) => spellingsOf(name).flatMap((id) => byId.get(id) ?? [])[0] ?? null;
}

export async function selectTrade(db: Db, id: string): Promise<StoredTrade | null> {
  const { rows } = await sql<SessionRow>`select ${SESSION} from trade_sessions where id = ${id}`.execute(db);
  return (await complete(db, rows))[0] ?? null;
}

/**
 * The id of the trade that somebody names: a UUID in either case. A session that the marketplace opened has the id that it was given, also
 * in capitals. Without such a trade what was given.
 */
export async function tradeIdOf(db: Db | Trx, given: string): Promise<string> {
  const spelt = spellingsOf(given);
  if (spelt.length === 1) return given;
  const { rows } = await sql<{ id: string }>`
    select id from trade_sessions where id = any(${spelt}::text[]) order by id = ${given} desc limit 1`.execute(db);
  return rows[0]?.id ?? given;
}

/** The trade session of an offer, in whichever case its UUID is written; null: there is none. */
export async function tradeOfOffer(db: Db | Trx, offerId: string): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select id from trade_sessions where offer_id = any(${spellingsOf(offerId)}::text[])
    order by offer_id = ${offerId} desc limit 1`.execute(db);
  return rows[0]?.id ?? null;
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
