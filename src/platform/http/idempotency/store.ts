import { type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from '../../db/types.ts';
import type { IdempotencyClaim } from '../route.ts';

/** A stored reply as its row: `body` and `headers` are JSON, `body` sealed where it holds a secret. */
export interface StoredReply {
  status: number;
  body: string | null;
  headers: string | null;
  request_hash: string;
}

/**
 * What was stored until then is over: a key answers again for 24 hours (contract: "Conventions"), by the node's time and by the database's,
 * since one that jumps ahead would let requests be done twice.
 */
const overUntil = (now: Date): RawBuilder<unknown> => sql`(least(${now}::timestamptz, now()) - interval '24 hours')`;

/** The row of each key that is not over, in the order of the claims. */
export async function findRows(
  db: Db | Trx,
  claims: readonly IdempotencyClaim[],
  now: Date,
): Promise<(StoredReply | undefined)[]> {
  const { rows } = await sql<StoredReply & { n: number }>`
    select c.n::integer as n, k.status, k.body, k.headers, k.request_hash
    from unnest(${claims.map((c) => c.scope)}::text[], ${claims.map((c) => c.key)}::text[])
      with ordinality as c (scope, key, n)
    join idempotency_keys k on k.scope = c.scope and k.key = c.key
    where k.created_at > ${overUntil(now)}`.execute(db);
  const found = new Map(rows.map((row) => [row.n, row]));
  return claims.map((_, i) => found.get(i + 1));
}

/**
 * Takes the key for this transaction, so that no other node runs the same request at once. False: another one does.
 * The lock goes with the transaction, however that ends.
 */
export async function lockKey(trx: Trx, claim: IdempotencyClaim): Promise<boolean> {
  const { rows } = await sql<{ got: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`${claim.scope}\n${claim.key}`}, 0)) as got`.execute(trx);
  return rows[0]?.got === true;
}

/** A row to be written. */
export interface NewRow extends Omit<StoredReply, 'request_hash'> {
  claim: IdempotencyClaim;
}

/**
 * Writes rows, taking the place of those that are over, and gives the claims whose place was free. Sorted, so
 * that two batches with the same keys wait for each other instead of deadlocking.
 */
export async function insertRows(db: Db | Trx, rows: readonly NewRow[], now: Date): Promise<Set<IdempotencyClaim>> {
  const sorted = rows.toSorted((a, b) => (idOf(a.claim) < idOf(b.claim) ? -1 : 1));
  const result = await sql<{ scope: string; key: string }>`
    insert into idempotency_keys (scope, key, request_hash, status, body, headers, created_at)
    select k.scope, k.key, k.request_hash, k.status, k.body, k.headers, ${now}::timestamptz
    from unnest(${sorted.map((r) => r.claim.scope)}::text[], ${sorted.map((r) => r.claim.key)}::text[],
      ${sorted.map((r) => r.claim.requestHash)}::text[], ${sorted.map((r) => r.status)}::smallint[],
      ${sorted.map((r) => r.body)}::text[], ${sorted.map((r) => r.headers)}::text[])
      as k (scope, key, request_hash, status, body, headers)
    on conflict (scope, key) do update set request_hash = excluded.request_hash, status = excluded.status,
      body = excluded.body, headers = excluded.headers, created_at = excluded.created_at
    where idempotency_keys.created_at <= ${overUntil(now)}
    returning scope, key`.execute(db);
  const taken = new Set(result.rows.map(idOf));
  return new Set(rows.map((r) => r.claim).filter((c) => taken.has(idOf(c))));
}

const idOf = ({ scope, key }: { scope: string; key: string }): string => `${scope}\n${key}`;

/** Removes at most `limit` rows that are over; how many they were. */
export async function deleteRows(db: Db, now: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from idempotency_keys where (scope, key) in (
      select scope, key from idempotency_keys where created_at <= ${overUntil(now)} limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0);
}
