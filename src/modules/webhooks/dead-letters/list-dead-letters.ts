import type { Static } from 'typebox';
import { invalid } from '../../../contracts/errors.ts';
import { isUuid } from '../../../lib/ids.ts';
import { type Db, inTransaction } from '../../../platform/db/index.ts';
import { checkFilter, type DeliveryFilter, searchOf } from '../deliveries/list-deliveries.ts';
import { type EndpointName, selectNames } from '../endpoints/store.ts';
import { areSomeHidden } from '../storage/taking-off-store.ts';
import type { DeadLetterGroupSchema } from './schemas.ts';
import { type DeadLetterGroup, type End, type Place, selectEnds, selectGroups } from './store.ts';

export interface ListDeadLettersQuery extends Omit<DeliveryFilter, 'status' | 'eventId' | 'tradeSessionId'> {
  cursor?: string;
  limit: number;
}

interface Page {
  data: Static<typeof DeadLetterGroupSchema>[];
  nextCursor: string | null;
}

/** Cursors are opaque: the group that the page before ended with. */
const encode = ({ endpointId, errorClass }: Place): string =>
  Buffer.from(`${endpointId} ${errorClass}`).toString('base64url');

function decode(cursor: string | undefined): Place | null {
  if (cursor === undefined) return null;
  const [endpointId = '', errorClass = '', more] = Buffer.from(cursor, 'base64url').toString().split(' ');
  if (more !== undefined || !isUuid(endpointId) || !/^\w+$/.test(errorClass)) {
    throw invalid({ path: 'query.cursor', message: 'is not a cursor of this list' });
  }
  return { endpointId, errorClass };
}

/** What the last attempt of a delivery said. */
function messageOf({ log }: End): string | null {
  const last = log.at(-1);
  if (!last) return null;
  return last.errorMessage ?? (last.responseStatus === null ? last.errorClass : `HTTP ${last.responseStatus}`);
}

interface Told {
  ends: ReadonlyMap<string, End>;
  names: ReadonlyMap<string, EndpointName>;
}

function view(group: DeadLetterGroup, { ends, names }: Told): Page['data'] {
  const [oldest, newest] = [ends.get(group.oldestId), ends.get(group.newestId)];
  // Gone since the groups were read: the next look tells what is left.
  if (!oldest || !newest) return [];
  const end = ({ id, event, createdAt }: End) => ({ deliveryId: id, event, createdAt: createdAt.toISOString() });
  return [
    {
      accountId: newest.accountId,
      endpointId: group.endpointId,
      endpointUrl: names.get(group.endpointId)?.url ?? null,
      endpointIsDeleted: group.isDeleted,
      errorClass: group.errorClass,
      count: group.count,
      countIsExact: group.isExact,
      replayed: { count: group.replayed, of: group.lookedAt },
      oldest: end(oldest),
      newest: end(newest),
      lastMessage: messageOf(newest),
    },
  ];
}

/** Dead letters of the accounts that the caller may see, by endpoint and by the cause of the last failure. */
export async function listDeadLetters(
  db: Db,
  { cursor, limit, ...filter }: ListDeadLettersQuery,
  accounts: 'all' | readonly string[],
): Promise<Page> {
  checkFilter(filter, 'query');
  const from = decode(cursor);
  const search = searchOf(filter, accounts);
  const { areHidden, groups } = await inTransaction(db, async (trx) => ({
    areHidden: await areSomeHidden(trx),
    groups: await selectGroups(trx, search, from, limit + 1),
  }));
  const shown = groups.slice(0, limit);
  const ends = await selectEnds(
    db,
    shown.flatMap(({ oldestId, newestId }) => [oldestId, newestId]),
  );
  const names = await selectNames(
    db,
    shown.map(({ endpointId }) => endpointId),
  );
  const last = shown.at(-1);
  return {
    data: shown.flatMap((group) => view({ ...group, isExact: group.isExact && !areHidden }, { ends, names })),
    nextCursor: groups.length > limit && last ? encode(last) : null,
  };
}
