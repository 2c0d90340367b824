import { sql } from 'kysely';
import { asWeWrite, isUuid, spellingsOf } from '../../../lib/ids.ts';
import type { Trx } from '../../../platform/db/index.ts';
import { accountsOf } from './consequences.ts';
import { lockOffers, type StoredTrade } from './trade-store.ts';
import { SIDES, type Trade } from './types.ts';

/** Rows of trade_sides, and how they are given. */
const SIDES_GIVEN = sql`as given (trade text, side text, "userId" text, "merchantAccountId" uuid, items json, "originalPrice" numeric,
  "tradeAmount" numeric, checkout text, "paidAt" timestamptz, fulfillment text, carrier text, "trackingNumber" text,
  "estimatedDeliveryAt" timestamptz, "returnedAt" timestamptz)`;
const SIDE_COLUMNS = sql`trade_session_id, side, user_id, merchant_account_id, items, original_price, trade_amount, checkout_status,
  paid_at, fulfillment_status, carrier, tracking_number, estimated_delivery_at, returned_at`;
const SIDE_VALUES = sql`trade, side, "userId", "merchantAccountId", items, "originalPrice", "tradeAmount", checkout, "paidAt", fulfillment,
  carrier, "trackingNumber", "estimatedDeliveryAt", "returnedAt"`;

const sideRows = ({ id, sides }: Trade, but?: Trade) =>
  SIDES.filter((side) => sides[side] !== but?.sides[side]).map((side) => ({ trade: id, side, ...sides[side] }));

/**
 * Trades, one for each offer, whose offer has no session under another spelling of its UUID. What the unique index finds by itself is left to it;
 * two that open sessions for one offer wait for each other.
 */
async function ofNewOffers(trx: Trx, trades: readonly Trade[]): Promise<readonly Trade[]> {
  await lockOffers(
    trx,
    trades.map(({ offerId }) => offerId),
  );
  const uuids = trades.map(({ offerId }) => offerId).filter(isUuid);
  if (uuids.length === 0) return trades;
  const { rows } = await sql<{ offerId: string }>`
    select offer_id as "offerId" from trade_sessions where offer_id = any(${uuids.flatMap(spellingsOf)}::text[])`.execute(
    trx,
  );
  const taken = new Set(rows.map(({ offerId }) => asWeWrite(offerId)));
  return trades.filter(({ offerId }) => {
    const offer = asWeWrite(offerId);
    if (taken.has(offer)) return false;
    taken.add(offer);
    return true;
  });
}

/** Stores new trade sessions; gives the ids of those that were: of others there is one of the id, or for the offer. */
export async function insertTrades(trx: Trx, given: readonly Trade[], now: Date): Promise<ReadonlySet<string>> {
  const trades = await ofNewOffers(trx, given);
  if (trades.length === 0) return new Set();
  const accounts = trades.flatMap((trade) => accountsOf(trade).map((account) => ({ trade: trade.id, account })));
  const sessions = trades.map(({ id, offerId, status, currency }) => ({ id, offerId, status, currency }));
  const { rows } = await sql<{ id: string }>`
    with opened as (
      insert into trade_sessions (id, offer_id, status, currency, created_at, updated_at)
      select id, "offerId", status, currency, ${now}::timestamptz, ${now}::timestamptz
      from json_to_recordset(${JSON.stringify(sessions)}::json) as given (id text, "offerId" text, status text, currency text)
      on conflict do nothing returning id, number
    ), sides as (
      insert into trade_sides (${SIDE_COLUMNS}) select ${SIDE_VALUES}
      from json_to_recordset(${JSON.stringify(trades.flatMap((trade) => sideRows(trade)))}::json) ${SIDES_GIVEN}
      join opened on opened.id = trade
    ), accounts as (
      insert into trade_accounts (account_id, number) select distinct account, number
      from json_to_recordset(${JSON.stringify(accounts)}::json) as given (trade text, account uuid) join opened on opened.id = trade
    )
    select id from opened`.execute(trx);
  return new Set(rows.map(({ id }) => id));
}

/** Stores a new trade session; false when there is one of its id or for its offer. */
export const insertTrade = async (trx: Trx, trade: Trade, now: Date): Promise<boolean> =>
  (await insertTrades(trx, [trade], now)).has(trade.id);

async function saveAccounts(trx: Trx, trade: Trade, number: number): Promise<void> {
  await sql`
    delete from trade_accounts where number = ${number} and account_id <> all(${accountsOf(trade)}::uuid[])`.execute(
    trx,
  );
  await sql`
    insert into trade_accounts (account_id, number) select id, ${number} from unnest(${accountsOf(trade)}::uuid[]) as id
    on conflict do nothing`.execute(trx);
}

/** What a locked trade was, and has become. `dueEventId`: where a time has begun, the event by which it did. */
export interface Saved {
  before: StoredTrade;
  next: Trade;
  dueEventId: string | null;
}

const hasSameAccounts = ({ before, next }: Saved): boolean => {
  const [had, has] = [before, next].map((trade) => new Set(accountsOf(trade).map((id) => id.toLowerCase())));
  return (had as Set<string>).symmetricDifference(has as Set<string>).size === 0;
};

/** Stores what is remembered of a locked trade that a refusal left as it was. `updatedAt` stays: by it the other side would learn of it. */
export const saveKept = async (trx: Trx, before: StoredTrade, kept: Trade): Promise<void> =>
  saveTrades(trx, [{ before, next: kept, dueEventId: before.dueEventId }], before.updatedAt);

/** Stores what locked trades have become, each of them once. */
export async function saveTrades(trx: Trx, saved: readonly Saved[], now: Date): Promise<void> {
  if (saved.length === 0) return;
  const sessions = saved.map(({ next: { id, status, reason, currency, dueAt }, dueEventId }) => ({
    id,
    status,
    reason,
    currency,
    dueAt,
    dueEventId,
  }));
  const sides = saved.flatMap(({ before, next }) => sideRows(next, before));
  const reservations = saved.flatMap(({ before, next }) =>
    next.reservations.filter((one) => !before.reservations.includes(one)).map((one) => ({ trade: next.id, ...one })),
  );
  await sql`
    with sides as (
      insert into trade_sides (${SIDE_COLUMNS}) select ${SIDE_VALUES}
      from json_to_recordset(${JSON.stringify(sides)}::json) ${SIDES_GIVEN}
      on conflict (trade_session_id, side) do update set items = excluded.items, original_price = excluded.original_price,
        trade_amount = excluded.trade_amount, checkout_status = excluded.checkout_status, paid_at = excluded.paid_at,
        fulfillment_status = excluded.fulfillment_status, carrier = excluded.carrier, tracking_number = excluded.tracking_number,
        estimated_delivery_at = excluded.estimated_delivery_at, returned_at = excluded.returned_at
    ), reservations as (
      insert into trade_reservations (id, trade_session_id, side, merchant_account_id, items, status)
      select id, trade, side, "merchantAccountId", items, status from json_to_recordset(${JSON.stringify(reservations)}::json)
        as given (trade text, id uuid, side text, "merchantAccountId" uuid, items json, status text)
      on conflict (id) do update set status = excluded.status
    )
    update trade_sessions t set status = given.status, reason = given.reason, currency = given.currency, due_at = given."dueAt",
      due_event_id = given."dueEventId", updated_at = ${now}
    from json_to_recordset(${JSON.stringify(sessions)}::json)
      as given (id text, status text, reason text, currency text, "dueAt" timestamptz, "dueEventId" uuid)
    where t.id = given.id`.execute(trx);
  // Its items may be others than when it was opened.
  for (const one of saved) if (!hasSameAccounts(one)) await saveAccounts(trx, one.next, one.before.number);
}
