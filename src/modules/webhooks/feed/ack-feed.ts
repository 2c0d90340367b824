import type { Static } from 'typebox';
import type { Caller } from '../../../contracts/caller.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { findManaged } from '../endpoints/deps.ts';
import type { EndpointKind } from '../endpoints/schemas.ts';
import type { FeedDeps } from './get-feed.ts';
import { placeOf } from './feed-cursor.ts';
import type { AckReply } from './schemas.ts';
import { discardPulled, savePulled } from './store.ts';

/** Rows that are ended with the request; what is left follows in portions (feed-loop.ts). */
const AT_ONCE = 500;

/**
 * Says that everything up to the cursor was read: what is held of it is discarded, now or when the fan-out holds it, and a
 * resume does not send it. What is PENDING or DEAD stays as it is. Throws NOT_FOUND, VALIDATION_ERROR for a cursor.
 */
export async function ackFeed(
  deps: Pick<FeedDeps, 'visibleAccounts'>,
  trx: Trx,
  { id, kind, caller, cursor }: { id: string; kind: EndpointKind; caller: Caller; cursor: string },
  env: Env,
): Promise<Static<typeof AckReply>> {
  const endpoint = await findManaged(deps, trx, caller, id, kind);
  const { position } = await placeOf(trx, cursor, endpoint.account_id, 'body.cursor');
  await savePulled(trx, endpoint.id, position);
  const discarded = await discardPulled(trx, { endpointId: endpoint.id, limit: AT_ONCE, now: env.now });
  return { discarded, hasMore: discarded === AT_ONCE };
}
