import type { Static } from 'typebox';
import type { Caller } from '../../../contracts/caller.ts';
import { AppError, noSuch } from '../../../contracts/errors.ts';
import { webhookBody } from '../../../contracts/events/index.ts';
import { type Db, inTransaction, type Trx } from '../../../platform/db/index.ts';
import { findEvents } from '../../events/index.ts';
import { type Address, selectAddresses } from '../endpoints/former-store.ts';
import { nameView } from '../endpoints/schemas.ts';
import { selectNames } from '../endpoints/store.ts';
import { headersOf } from '../engine/attempt.ts';
import type { EngineEndpoint } from '../engine/types.ts';
import { outOfSight } from '../storage/out-of-sight.ts';
import { mayBeHidden } from '../storage/taking-off-store.ts';
import { type DeliveryDetailSchema, deliveryView } from './schemas.ts';
import { selectDelivery, selectReplays } from './store.ts';

export interface DeliveryDeps {
  visibleAccounts(caller: Caller): 'all' | readonly string[];
  findEndpoint(id: string): Promise<EngineEndpoint | undefined>;
  /** Whether the account has a secret with which deliveries can be signed. */
  canSign(accountId: string): Promise<boolean>;
  userAgent: string;
  /** How long deliveries are kept where an account has nothing of its own; 0: for ever. Days. */
  retentionDays: number;
}

/** In the transaction that there is, or in one of its own. */
const together = <T>(db: Db | Trx, fn: (trx: Trx) => Promise<T>): Promise<T> =>
  db.isTransaction ? fn(db as Trx) : inTransaction(db, fn);

type Stored = NonNullable<Awaited<ReturnType<typeof selectDelivery>>>;

/** The delivery if the caller may see it, else NOT_FOUND; UNAVAILABLE where it may be out of sight. */
export async function findDelivery(
  deps: Pick<DeliveryDeps, 'visibleAccounts' | 'retentionDays'>,
  db: Db | Trx,
  caller: Caller,
  id: string,
): Promise<Stored> {
  const select = (from: Db | Trx): Promise<Stored | null> => selectDelivery(from, id, deps.retentionDays);
  // That there is none is sure only where none is hidden, and was not when it was looked for.
  const row =
    (await select(db)) ??
    (await together(db, async (trx) => ((await mayBeHidden(trx, id)) ? outOfSight() : select(trx))));
  if (row instanceof AppError) throw row;
  const accounts = deps.visibleAccounts(caller);
  if (!row || (accounts !== 'all' && !accounts.includes(row.account_id))) throw noSuch('delivery', id);
  return row;
}

/** The text that this delivery sends. */
export async function bodyOf(db: Db | Trx, row: Stored): Promise<string | null> {
  if (row.event_position === null) return row.body;
  const [event] = await findEvents(db, [row.event_position]);
  return event ? webhookBody(row.webhook, event.data, event.occurredAt) : null;
}

type Logged = Stored['attempt_log'][number];

/** Where an attempt went, with the names of the endpoint's own headers. */
interface SentTo {
  /** null: not known. */
  url: string | null;
  /** As far as they are known. */
  names: readonly string[];
}

/** Where each attempt of a delivery went. */
async function sentTo(db: Db, row: Stored, endpoint: EngineEndpoint | undefined): Promise<SentTo[]> {
  const isKept = ({ url }: Logged): boolean => url !== undefined;
  const at = row.attempt_log.filter((record) => !isKept(record)).map((record) => Date.parse(record.at));
  const addresses = (await selectAddresses(db, row.endpoint_id, at)).values();
  const present = endpoint?.headers.filter((_, i) => i % 2 === 0) ?? [];
  const found = (address: Address | undefined): SentTo => ({
    url: address?.url ?? null,
    names: address?.isPresent ? present : [],
  });
  return row.attempt_log.map((record) =>
    isKept(record) ? { url: record.url ?? null, names: record.headerNames ?? [] } : found(addresses.next().value),
  );
}

/** The headers that an attempt sent; custom ones by name only, since they may hold credentials. */
function sentHeaders(
  deps: DeliveryDeps,
  row: Stored,
  record: Logged,
  custom: readonly string[],
): Record<string, string> {
  const heading = {
    webhook: row.webhook,
    eventId: row.event_id,
    deliveryId: row.id,
    attempt: record.attempt,
    isReplay: row.replay_of !== null,
    isTest: row.event_position === null,
  };
  const signatures = { service: record.signature, standard: record.standardSignature };
  const flat = headersOf(heading, Math.floor(Date.parse(record.at) / 1000), signatures, deps.userAgent);
  const headers: Record<string, string> = {};
  for (let i = 0; i < flat.length; i += 2) headers[flat[i] as string] = flat[i + 1] as string;
  for (const name of custom) headers[name] = '[redacted]';
  return headers;
}

/** Replays that are told of a delivery. */
const REPLAYS = 10;

type Detail = Static<typeof DeliveryDetailSchema>;

/** All that keeps it, while the engine meets only the first: whoever mends that one would meet the next. */
async function heldBy(
  deps: DeliveryDeps,
  row: Stored,
  endpoint: EngineEndpoint | undefined,
): Promise<Detail['heldBy']> {
  if (row.status !== 'HELD' || !endpoint) return [];
  return [
    ...(endpoint.status === 'ACTIVE' ? [] : [`ENDPOINT_${endpoint.status}` as const]),
    ...((await deps.canSign(endpoint.accountId)) ? [] : ['NO_SIGNING_SECRET' as const]),
    ...(endpoint.isSealed ? ['UNREADABLE_HEADERS' as const] : []),
  ];
}

/** A delivery with everything that was sent and came back. */
export async function getDelivery(deps: DeliveryDeps, db: Db, caller: Caller, id: string): Promise<Detail> {
  const row = await findDelivery(deps, db, caller, id);
  const endpoint = await deps.findEndpoint(row.endpoint_id);
  const to = await sentTo(db, row, endpoint);
  const replays = await selectReplays(db, row, REPLAYS);
  return {
    ...deliveryView(row),
    ...nameView((await selectNames(db, [row.endpoint_id])).get(row.endpoint_id)),
    heldBy: await heldBy(deps, row, endpoint),
    replays: replays.map((replay) => ({
      id: replay.id,
      status: replay.status,
      createdAt: replay.created_at.toISOString(),
    })),
    url: endpoint?.url ?? null,
    body: await bodyOf(db, row),
    log: row.attempt_log.map((logged, i) => {
      const { signature: _s, standardSignature: _w, headerNames: _n, ...record } = logged;
      return {
        ...record,
        connectMs: record.connectMs ?? null,
        firstByteMs: record.firstByteMs ?? null,
        url: to[i]?.url ?? null,
        requestHeaders: sentHeaders(deps, row, logged, to[i]?.names ?? []),
      };
    }),
  };
}
