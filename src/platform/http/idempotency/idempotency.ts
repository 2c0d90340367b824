import { AppError, invalid } from '../../../contracts/errors.ts';
import type { Cipher } from '../../../lib/cipher.ts';
import { gatherTurn } from '../../../lib/gather-turn.ts';
import type { Db, Trx } from '../../db/types.ts';
import { deleteRows, findRows, insertRows, lockKey, type StoredReply } from './store.ts';
import type { IdempotencyClaim, Reply } from '../route.ts';

export { lockKey };

/** Rows removed by one purge step. */
const PURGE_ROWS = 5000;

/** An id means the same in either case, wherever it is in the address: validators.ts brings it to lower case. */
const UUIDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/**
 * The claim of a request's `Idempotency-Key`. The key may be quoted (RFC 8941 string) or bare; 1..255 visible ASCII
 * characters. Its scope is credential + method + route, so keys of two callers never meet. The request is kept as a
 * keyed digest: bodies of sign-ins hold passwords.
 */
export function claimOf(
  header: string,
  scope: { credential: string; method: string; route: string },
  request: { url: string; body: string | undefined },
  cipher: Cipher,
): IdempotencyClaim {
  const key = /^"(.*)"$/s.exec(header)?.[1] ?? header;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw invalid({ path: 'header.idempotency-key', message: 'must be 1 to 255 visible ASCII characters' });
  }
  const url = request.url.replaceAll(UUIDS, (id) => id.toLowerCase());
  const requestHash = cipher.digest(url, request.body ?? '');
  return { scope: `${scope.credential} ${scope.method} ${scope.route}`, key, requestHash };
}

type Part = 'body' | 'headers';

const sealContext = (claim: IdempotencyClaim, part: Part): string =>
  `idempotency:${claim.scope}:${claim.key}${part === 'headers' ? ':headers' : ''}`;

function replay(claim: IdempotencyClaim, stored: StoredReply, cipher: Cipher): Reply {
  if (stored.request_hash !== claim.requestHash) throw new AppError('IDEMPOTENCY_KEY_REUSED');
  const opened = (part: string | null, what: Part): string | null =>
    part?.startsWith('v1.') ? cipher.open(part, sealContext(claim, what)) : part;
  const text = opened(stored.body, 'body');
  return {
    status: stored.status,
    ...(text === null || text === undefined ? {} : { body: JSON.parse(text) as unknown }),
    headers: {
      ...(JSON.parse(opened(stored.headers, 'headers') ?? '{}') as Record<string, string>),
      'idempotency-replayed': 'true',
    },
  };
}

/** The reply that was stored under this key, if there is one. Throws IDEMPOTENCY_KEY_REUSED for another request. */
export async function findReply(
  db: Db | Trx,
  claim: IdempotencyClaim,
  now: Date,
  cipher: Cipher,
): Promise<Reply | null> {
  const [stored] = await findRows(db, [claim], now);
  return stored ? replay(claim, stored, cipher) : null;
}

/** `findReply` for requests: those that arrive in the same turn of the event loop share one query. */
export function replyLookup(db: Db, cipher: Cipher): (claim: IdempotencyClaim, now: Date) => Promise<Reply | null> {
  const find = gatherTurn(async (asked: readonly { claim: IdempotencyClaim; now: Date }[]) => {
    const { now } = asked.at(-1) as { now: Date };
    return findRows(
      db,
      asked.map(({ claim }) => claim),
      now,
    );
  });
  return async (claim, now) => {
    const stored = await find({ claim, now });
    return stored ? replay(claim, stored, cipher) : null;
  };
}

const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

/** Stores the reply in the transaction of its effect; `secret`: body and header fields are sealed. False: another was stored since it was looked for. */
export async function storeReply(
  trx: Trx | Db,
  claim: IdempotencyClaim,
  reply: Reply,
  options: { now: Date; cipher: Cipher; secret: boolean },
): Promise<boolean> {
  const kept = (part: unknown, what: Part): string | null => {
    const text = json(part);
    return text !== null && options.secret ? options.cipher.seal(text, sealContext(claim, what)) : text;
  };
  const { status } = reply;
  const row = { claim, status, body: kept(reply.body, 'body'), headers: kept(reply.headers, 'headers') };
  return (await insertRows(trx, [row], options.now)).size > 0;
}

/** Removes keys older than 24 h, by the database's clock as well. True: there may be more. */
export const purgeIdempotencyKeys = async (db: Db, now: Date): Promise<boolean> =>
  (await deleteRows(db, now, PURGE_ROWS)) === PURGE_ROWS;

/**
 * Stores the replies of a batch in the transaction of its effects, and returns the claims that were free. One that is
 * missing was taken by another node: its effect must not be written, and its stored reply is the answer.
 */
export const claimReplies = (
  trx: Trx,
  items: readonly { claim: IdempotencyClaim; reply: Reply }[],
  now: Date,
): Promise<Set<IdempotencyClaim>> =>
  insertRows(
    trx,
    items.map(({ claim, reply }) => ({
      claim,
      status: reply.status,
      body: json(reply.body),
      headers: json(reply.headers),
    })),
    now,
  );
