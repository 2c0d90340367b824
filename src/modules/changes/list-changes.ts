import { invalidAll } from '../../contracts/errors.ts';
import type { Db } from '../../platform/db/index.ts';
import { idOfCursor, spanFaults, toCursorPage } from '../../platform/http/index.ts';
import type { Change, ChangesQuery } from './schemas.ts';
import { type ChangeRow, selectChanges } from './store.ts';

export interface ChangesPage {
  data: Change[];
  nextCursor: string | null;
}

const viewOf = (row: ChangeRow): Change => ({
  id: row.id,
  at: row.at.toISOString(),
  action: row.action as Change['action'],
  actor: {
    kind: row.actorKind,
    id: row.actorId,
    name: row.userName ?? row.keyName,
    hint: row.userEmail ?? row.keyHint,
  },
  account: row.accountId === null ? null : { id: row.accountId, name: row.accountName ?? '' },
  thing: { kind: row.thingKind, id: row.thingId, name: row.thingName, isGone: row.isGone },
  before: row.before,
  after: row.after,
  requestId: row.requestId,
});

/** What members may know of who it was: no e-mail address of a user, and nothing of a key of others. */
function forMembers(row: ChangeRow): ChangeRow {
  const isOthers = row.keyAccountId !== row.accountId;
  return { ...row, userEmail: null, ...(isOthers ? { keyName: null, keyHint: null } : {}) };
}

/** Changes of the configuration, newest first. Throws VALIDATION_ERROR. */
export async function listChanges(
  db: Db,
  { cursor, limit, action: actions, since, until, ...query }: ChangesQuery,
  reader: 'operator' | 'member' = 'operator',
): Promise<ChangesPage> {
  const faults = spanFaults({ ...(since && { since }), ...(until && { until }) }, 'query');
  if (faults.length > 0) throw invalidAll(faults);
  const filter = { ...query, actions, since, until };
  const rows = await selectChanges(db, { ...filter, before: idOfCursor(cursor), limit: limit + 1 });
  const { data, nextCursor } = toCursorPage(rows, limit);
  return { data: data.map((row) => viewOf(reader === 'operator' ? row : forMembers(row))), nextCursor };
}
