import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { AppError, invalid } from '../../contracts/errors.ts';
import type { Cipher } from '../../lib/cipher.ts';
import type { Db, Trx } from '../db/types.ts';
import type { IdempotencyClaim, Reply } from './route.ts';

/** How long a key answers again (contract: "Conventions"). Milliseconds. */
const KEEP_MS = 24 * 3600 * 1000;
/** Rows removed by one purge step. */
const PURGE_ROWS = 5000;

/**
 * The claim of a request's `Idempotency-Key`, or undefined without one. The key may be quoted (RFC 8941 string) or bare;
 * 1..255 visible ASCII characters. Its scope is credential + method + route, so keys of two callers never meet.
 */
export function claimOf(
  header: string | undefined,
  scope: { credential: string; method: string; route: string },
  request: { url: string; body: string | undefined },
): IdempotencyClaim | undefined {
  if (header === undefined) return undefined;
  const key = /^"(.*)"$/s.exec(header)?.[1] ?? header;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw invalid({ path: 'header.idempotency-key', message: 'must be 1 to 255 visible ASCII characters' });
  }
  const requestHash = createHash('sha256').update(request.url).update('\0').update(request.body ?? '').digest('base64url');
  return { scope: `${scope.credential} ${scope.method} ${scope.route}`, key, requestHash };
}

interface StoredReply {
  status: number;
  body: string | null;
  headers: string | null;
  request_hash: string;
}

const sealContext = (claim: IdempotencyClaim): string => `idempotency:${claim.scope}:${claim.key}`;

function replay(claim: IdempotencyClaim, stored: StoredReply, cipher: Cipher): Reply {
  if (stored.request_hash !== claim.requestHash) throw new AppError('IDEMPOTENCY_KEY_REUSED');
  const text = stored.body?.startsWith('v1.') ? cipher.open(stored.body, sealContext(claim)) : stored.body;
  return {
    status: stored.status,
    ...(text === null || text === undefined ? {} : { body: JSON.parse(text) as unknown }),
    headers: { ...(JSON.parse(stored.headers ?? '{}') as Record<string, string>), 'idempotency-replayed': 'true' },
  };
}

/** The reply that was stored under this key, if there is one. Throws IDEMPOTENCY_KEY_REUSED for another request. */
export async function findReply(db: Db | Trx, claim: IdempotencyClaim, now: Date, cipher: Cipher): Promise<Reply | null> {
  const stored = await db
    .selectFrom('idempotency_keys')
    .select(['status', 'body', 'headers', 'request_hash'])
    .where('scope', '=', claim.scope)
    .where('key', '=', claim.key)
    .where('created_at', '>', new Date(now.getTime() - KEEP_MS))
    .executeTakeFirst();
  return stored ? replay(claim, stored, cipher) : null;
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

/** Stores the reply in the transaction of its effect. */
export async function storeReply(
  trx: Trx | Db,
  claim: IdempotencyClaim,
  reply: Reply,
  options: { now: Date; cipher: Cipher; secret: boolean },
): Promise<void> {
  const text = reply.body === undefined ? null : JSON.stringify(reply.body);
  const body = text !== null && options.secret ? options.cipher.seal(text, sealContext(claim)) : text;
  await sql`
    insert into idempotency_keys (scope, key, request_hash, status, body, headers, created_at)
    values (${claim.scope}, ${claim.key}, ${claim.requestHash}, ${reply.status}, ${body},
            ${reply.headers ? JSON.stringify(reply.headers) : null}, ${options.now})
    on conflict (scope, key) do update set request_hash = excluded.request_hash, status = excluded.status,
      body = excluded.body, headers = excluded.headers, created_at = excluded.created_at
    where idempotency_keys.created_at <= ${new Date(options.now.getTime() - KEEP_MS)}`.execute(trx);
}

/** Removes keys older than 24 h. True: there may be more. */
export async function purgeIdempotencyKeys(db: Db, now: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from idempotency_keys where (scope, key) in (
      select scope, key from idempotency_keys where created_at <= ${new Date(now.getTime() - KEEP_MS)}
      limit ${PURGE_ROWS})`.execute(db);
  return Number(numAffectedRows ?? 0) === PURGE_ROWS;
}

/**
 * Stores the replies of a batch in the transaction of its effects, and returns the claims that were free. One that is
 * missing was taken by another node: its effect must not be written, and its stored reply is the answer.
 */
export async function claimReplies(
  trx: Trx,
  items: readonly { claim: IdempotencyClaim; reply: Reply }[],
  now: Date,
): Promise<Set<IdempotencyClaim>> {
  const sorted = items.toSorted((a, b) => (a.claim.scope + a.claim.key < b.claim.scope + b.claim.key ? -1 : 1));
  const { rows } = await sql<{ scope: string; key: string }>`
    insert into idempotency_keys (scope, key, request_hash, status, body, created_at)
    select k.scope, k.key, k.request_hash, k.status, k.body, ${now}::timestamptz
    from unnest(${sorted.map((i) => i.claim.scope)}::text[], ${sorted.map((i) => i.claim.key)}::text[],
      ${sorted.map((i) => i.claim.requestHash)}::text[], ${sorted.map((i) => i.reply.status)}::smallint[],
      ${sorted.map((i) => JSON.stringify(i.reply.body))}::text[]) as k (scope, key, request_hash, status, body)
    on conflict (scope, key) do update set request_hash = excluded.request_hash, status = excluded.status,
      body = excluded.body, headers = excluded.headers, created_at = excluded.created_at
    where idempotency_keys.created_at <= ${new Date(now.getTime() - KEEP_MS)}
    returning scope, key`.execute(trx);
  const taken = new Set(rows.map((r) => `${r.scope}\n${r.key}`));
  return new Set(items.map((i) => i.claim).filter((c) => taken.has(`${c.scope}\n${c.key}`)));
}
