import type { Caller } from '../../../contracts/caller.ts';
import { AppError } from '../../../contracts/errors.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import type { EndpointStatus } from '../engine/types.ts';
import { hasHeld } from '../recovery/store.ts';
import { outOfSight } from '../storage/out-of-sight.ts';
import { areSomeHidden } from '../storage/taking-off-store.ts';
import { checkUrl, type EndpointDeps, findManaged, newVersion, resealHeaders } from './deps.ts';
import { recordAct, recordUpdated } from './record-endpoint.ts';
import { changedAt, checkHeaders } from './rules.ts';
import type { EndpointChange, EndpointKind } from './schemas.ts';
import { type EndpointRow, OPEN, updateEndpointRow } from './store.ts';

interface Which {
  id: string;
  caller: Caller;
  kind: EndpointKind;
}

async function change(
  trx: Trx,
  row: EndpointRow,
  set: Partial<EndpointRow>,
  version: number,
  env: Env,
): Promise<EndpointRow> {
  const full = { ...set, version, updated_at: changedAt(row.updated_at, env.now) };
  await updateEndpointRow(trx, row.id, full);
  return { ...row, ...full };
}

/** Changes what is given; the next attempt, also of deliveries that wait, goes by the new settings. */
export async function updateEndpoint(
  deps: EndpointDeps,
  trx: Trx,
  input: Which & { body: EndpointChange },
  env: Env,
): Promise<EndpointRow> {
  const version = await newVersion(deps, trx);
  const row = await findManaged(deps, trx, input.caller, input.id, input.kind);
  const { body } = input;
  if (body.url !== undefined) checkUrl(deps, body.url);
  checkHeaders(body.headers ?? {});
  const set: Partial<EndpointRow> = {};
  if (body.url !== undefined) set.url = body.url;
  // What the old address answered says nothing about the new one.
  if (body.url !== undefined && body.url !== row.url) set.failing_since = null;
  if (body.events !== undefined) set.events = body.events === null ? null : [...body.events];
  if (body.description !== undefined) set.description = body.description;
  if (body.headers !== undefined) set.headers_sealed = resealHeaders(deps, row, body.headers);
  if (body.maxInFlight !== undefined) set.max_in_flight = body.maxInFlight;
  if (body.ratePerSecond !== undefined) set.rate_per_second = body.ratePerSecond;
  const after = await change(trx, row, set, version, env);
  await recordUpdated(deps, trx, { before: row, after }, env);
  return after;
}

/** From now on deliveries are kept (HELD) instead of sent. */
export async function pauseEndpoint(deps: EndpointDeps, trx: Trx, input: Which, env: Env): Promise<EndpointRow> {
  const version = await newVersion(deps, trx);
  const row = await findManaged(deps, trx, input.caller, input.id, input.kind);
  if (row.status === 'DISABLED') throw new AppError('INVALID_STATE', { message: 'The endpoint is disabled already.' });
  if (row.status === 'PAUSED') return row;
  await recordAct(trx, { action: 'endpoint.paused' }, row, env);
  return change(
    trx,
    row,
    { status: 'PAUSED' satisfies EndpointStatus, status_reason: 'paused by its owner' },
    version,
    env,
  );
}

/** With what it was before: one that was disabled opens only when a delivery has arrived. */
const recordResumed = (trx: Trx, row: EndpointRow, env: Env): Promise<void> =>
  recordAct(trx, { action: 'endpoint.resumed', before: { status: row.status } }, row, env);

/**
 * Sends again; what was held becomes due right after the commit, oldest first (engine/upkeep.ts). A disabled endpoint with
 * something held is probed first, with one of these deliveries, and opens when that arrives (recovery/lifecycle.ts). Throws
 * UNAVAILABLE where what is held for it may be out of sight.
 */
export async function resumeEndpoint(deps: EndpointDeps, trx: Trx, input: Which, env: Env): Promise<EndpointRow> {
  const version = await newVersion(deps, trx);
  const row = await findManaged(deps, trx, input.caller, input.id, input.kind);
  if (row.status === 'ACTIVE') return row;
  if (row.status === 'DISABLED') {
    const areHidden = await areSomeHidden(trx);
    if (await hasHeld(trx, row.id)) {
      if (!row.probe_asked) await recordResumed(trx, row, env);
      return change(trx, row, { probe_at: env.now, probe_asked: true }, version, env);
    }
    // With something held it must not open before a probe: all that is held would go to a receiver that may answer nothing.
    if (areHidden) throw outOfSight();
  }
  await recordResumed(trx, row, env);
  return change(trx, row, { status: 'ACTIVE', status_reason: null, opened_at: env.now, ...OPEN }, version, env);
}

/**
 * Removes the endpoint. What waits for it is discarded right after the commit (engine/upkeep.ts), what was sent stays in
 * the log.
 */
export async function deleteEndpoint(deps: EndpointDeps, trx: Trx, input: Which, env: Env): Promise<void> {
  const version = await newVersion(deps, trx);
  const row = await findManaged(deps, trx, input.caller, input.id, input.kind);
  await change(trx, row, { deleted_at: env.now }, version, env);
  await recordAct(trx, { action: 'endpoint.deleted' }, row, env);
}
