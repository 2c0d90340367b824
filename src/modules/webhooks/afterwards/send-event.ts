import type { Caller } from '../../../contracts/caller.ts';
import { AppError } from '../../../contracts/errors.ts';
import { isInternalEvent, type WebhookName, webhooksFor } from '../../../contracts/events/index.ts';
import { afterCommit, type Env, type Trx } from '../../../platform/db/index.ts';
import { getEvent, type LoggedEvent, readerPosition } from '../../events/index.ts';
import type { DeliveryDeps } from '../deliveries/get-delivery.ts';
import { REPLAYED } from '../deliveries/ending-store.ts';
import { replayDelivery, replayRow } from '../deliveries/replay-delivery.ts';
import { type Content, type DeliveryRow, dueRow, insertDue, selectDeliveriesOfEvent } from '../deliveries/store.ts';
import { type EndpointDeps, findManaged } from '../endpoints/deps.ts';
import { type EndpointKind, webhooksOf } from '../endpoints/schemas.ts';
import { lockEndpoint } from '../endpoints/store.ts';
import { READER } from '../engine/holdings.ts';
import { outOfSight } from '../storage/out-of-sight.ts';
import { areSomeHidden } from '../storage/taking-off-store.ts';

/** Of the deliveries of an event to an endpoint the first one and its last replays, as many as a delivery tells of, are looked at. */
const FIRST_AND_REPLAYS = 11;

export type SendDeps = Pick<EndpointDeps, 'visibleAccounts' | 'wakeClaims'> & Pick<DeliveryDeps, 'retentionDays'>;

interface Input {
  id: string;
  kind: EndpointKind;
  caller: Caller;
  eventId: string;
  event?: string;
}

const refused = (message: string): AppError => new AppError('INVALID_STATE', { message });

/** The webhook to send: the one that is asked for, else the first that the endpoint's kind has. */
function chosen(event: LoggedEvent, { kind, event: wanted }: Input): WebhookName {
  const caused = isInternalEvent(event.event) ? webhooksFor(event.event, event.data) : [];
  const taken = webhooksOf(kind);
  const webhook = caused.find((name) => (wanted === undefined ? taken.includes(name) : name === wanted));
  if (webhook === undefined) throw refused('The event does not cause this webhook for an endpoint of this kind.');
  if (!taken.includes(webhook)) throw refused(`An endpoint of kind ${kind} never takes this webhook.`);
  return webhook;
}

/**
 * Sends an event to one endpoint on purpose, also when the endpoint was created later or has not subscribed to it. The first
 * delivery of an event to an endpoint is an ordinary one; when there is one already, the new one is a replay of it, and ends it where it is held:
 * else a resume would send it a second time.
 * Throws NOT_FOUND when the endpoint's account is not in the event's audience; INVALID_STATE when the webhook is not of the
 * event or of the endpoint's kind, and where it would come twice: while the one before waits for an attempt, and before the fan-out has passed
 * the event, since it may be about to send it; UNAVAILABLE while the one before may be out of sight (docs/adr/0024).
 */
export async function sendEvent(deps: SendDeps, trx: Trx, input: Input, env: Env): Promise<DeliveryRow> {
  const endpoint = await findManaged(deps, trx, input.caller, input.id, input.kind);
  const event = await getEvent(trx, input.eventId, [endpoint.account_id]);
  const webhook = chosen(event, input);
  if ((await readerPosition(trx, READER, endpoint.account_id)) < event.position) {
    throw refused(
      'The event is about to be sent, or its first attempts are under way, perhaps to other endpoints, which may answer slowly: ask again in a minute.',
    );
  }
  const content = {
    event_position: event.position,
    event_id: event.id,
    webhook,
    endpoint_id: endpoint.id,
    account_id: endpoint.account_id,
    body: null,
    replay_of: null,
  };
  // One after another, so that of two at once the second finds the first.
  await lockEndpoint(trx, endpoint.id);
  // None of its deliveries has a lower id than it.
  const areHidden = await areSomeHidden(trx, event.id);
  const original = await earlier(trx, event, content);
  // A replay alone is not the first, which may be the one that is held.
  if (areHidden && (!original || original.replay_of !== null)) throw outOfSight();
  const row = await insertNext(deps, trx, { original, content, caller: input.caller }, env);
  afterCommit(trx, () => deps.wakeClaims());
  return row;
}

async function insertNext(
  deps: SendDeps,
  trx: Trx,
  { original, content, caller }: { original: DeliveryRow | undefined; content: Content; caller: Caller },
  env: Env,
): Promise<DeliveryRow> {
  if (original?.status === 'PENDING') {
    throw refused(
      `The delivery ${original.id} of it waits for an attempt at this endpoint. Replay that one to send the event now.`,
    );
  }
  if (original?.status === 'HELD') return replayDelivery(deps, trx, { id: original.id, caller }, env);
  const row = original ? replayRow(original, env) : dueRow(content, env);
  await insertDue(trx, row);
  return row;
}

/** The first delivery of the same event and webhook to the same endpoint, or the replay that waits in its place. */
async function earlier(trx: Trx, event: LoggedEvent, { endpoint_id: id, webhook }: Content) {
  const found = await selectDeliveriesOfEvent(trx, event, [id], { most: FIRST_AND_REPLAYS });
  const same = found.filter((row) => row.webhook === webhook);
  const original = same.find((row) => row.replay_of === null) ?? same[0];
  // What took its place waits, as it did.
  const waiting = original?.error_class === REPLAYED ? same.find((row) => row.status === 'PENDING') : undefined;
  return waiting ?? original;
}
