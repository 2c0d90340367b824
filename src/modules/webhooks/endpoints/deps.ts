import { isDeepStrictEqual } from 'node:util';
import type { AccountType, Caller } from '../../../contracts/caller.ts';
import { invalid, noSuch } from '../../../contracts/errors.ts';
import type { Cipher } from '../../../lib/cipher.ts';
import type { Log } from '../../../platform/log/log.ts';
import { afterCommit, bumpVersion, type Db, type Trx } from '../../../platform/db/index.ts';
import { type OutboundPolicy, parseTargetUrl } from '../../../platform/outbound/index.ts';
import { ENDPOINTS_VERSION } from '../engine/registry.ts';
import type { EndpointKind } from './schemas.ts';
import { type EndpointRow, selectEndpoint } from './store.ts';

/** What the use cases of endpoints need. */
export interface EndpointDeps {
  cipher: Cipher;
  log: Log;
  policy: OutboundPolicy;
  maxEndpoints: number;
  /** The account a caller acts for; throws when it may not. */
  actingAccount(caller: Caller, requested?: string): string;
  visibleAccounts(caller: Caller): 'all' | readonly string[];
  accountType(db: Db | Trx, id: string): Promise<AccountType | null>;
  /** The account has at least one valid signing secret. */
  hasSecret(trx: Trx, accountId: string, now: Date): Promise<boolean>;
  /** An endpoint was changed: what is queued must go by it. Resolves when here it does; never rejects. */
  changed(): Promise<void>;
  /** So long may nothing but failures come back before an endpoint is disabled. Milliseconds. */
  disableAfterMs: number;
  /** Deliveries of this endpoint became due. */
  wakeClaims(): void;
}

/** Throws VALIDATION_ERROR on an address that may not be called (contract: "Safety"). */
export function checkUrl(deps: EndpointDeps, url: string): void {
  const parsed = parseTargetUrl(url, deps.policy);
  if (!parsed.ok) throw invalid({ path: 'body.url', message: parsed.reason });
}

/**
 * The change version for this transaction's writes of endpoints. It locks the topic until the commit, so changes of
 * endpoints are one after another.
 */
export function newVersion(deps: Pick<EndpointDeps, 'changed'>, trx: Trx): Promise<number> {
  afterCommit(trx, () => deps.changed());
  return bumpVersion(trx, ENDPOINTS_VERSION);
}

/** The endpoint if the caller may manage it, else NOT_FOUND. */
export async function findManaged(
  deps: Pick<EndpointDeps, 'visibleAccounts'>,
  db: Db | Trx,
  caller: Caller,
  id: string,
  kind: EndpointKind,
): Promise<EndpointRow> {
  const row = await selectEndpoint(db, id, kind);
  const accounts = deps.visibleAccounts(caller);
  if (!row || (accounts !== 'all' && !accounts.includes(row.account_id)))
    throw noSuch(kind === 'MERCHANT' ? 'endpoint' : 'business subscription', id);
  return row;
}

const context = (endpointId: string): string => `endpoint-headers:${endpointId}`;

export const sealHeaders = (
  deps: EndpointDeps,
  id: string,
  headers: Record<string, string> | undefined,
): string | null =>
  headers === undefined || Object.keys(headers).length === 0
    ? null
    : deps.cipher.seal(JSON.stringify(headers), context(id));

/** These headers for an endpoint that is there: as they are stored where they are the same. Sealed anew they would look like others to the database. */
export function resealHeaders(
  deps: EndpointDeps,
  row: Pick<EndpointRow, 'id' | 'headers_sealed'>,
  headers: Record<string, string>,
): string | null {
  const isSame = isDeepStrictEqual(openHeaders(deps, row), { ...headers });
  return isSame ? row.headers_sealed : sealHeaders(deps, row.id, headers);
}

/** The custom headers of a stored endpoint; null where this master key does not open them, which the log then says. */
export function openHeaders(
  { cipher, log }: Pick<EndpointDeps, 'cipher' | 'log'>,
  row: Pick<EndpointRow, 'id' | 'headers_sealed'>,
): Record<string, string> | null {
  if (row.headers_sealed === null) return {};
  try {
    return JSON.parse(cipher.open(row.headers_sealed, context(row.id))) as Record<string, string>;
  } catch (err) {
    log.error(
      { err, endpointId: row.id },
      'this master key does not open the custom headers of an endpoint: nothing can be sent to it',
    );
    return null;
  }
}

export const wakeAfter = (deps: EndpointDeps, trx: Trx): void => afterCommit(trx, () => deps.wakeClaims());
