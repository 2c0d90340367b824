import { sql } from 'kysely';
import type { Db } from '../../../platform/db/index.ts';
import type { EndpointRow } from '../endpoints/store.ts';

/** Where a page begins: behind this endpoint of this account, in the order of both. */
export interface Place {
  accountId: string;
  endpointId: string;
}

/** Lower than every id. */
export const NIL = '00000000-0000-0000-0000-000000000000';

export type AudienceEndpoint = Pick<
  EndpointRow,
  'id' | 'kind' | 'events' | 'after_position' | 'created_at' | 'updated_at' | 'deleted_at'
>;
type Row = { accountId: string } & { [N in keyof AudienceEndpoint]: AudienceEndpoint[N] | null };

/**
 * The endpoints of these accounts, deleted ones included, in the order of account and id; an account without any is there
 * once, with null.
 */
export async function selectAudience(
  db: Db,
  accountIds: readonly string[],
  after: Place | null,
  limit: number,
): Promise<{ accountId: string; endpoint: AudienceEndpoint | null }[]> {
  const { accountId, endpointId } = after ?? { accountId: NIL, endpointId: NIL };
  const { rows } = await sql<Row>`
    select a.id as "accountId", e.* from unnest(${[...accountIds]}::uuid[]) as a (id) left join lateral (
      select id, kind, events, after_position, created_at, updated_at, deleted_at from webhook_endpoints
      where account_id = a.id and (account_id, id) > (${accountId}::uuid, ${endpointId}::uuid)
      order by id limit ${limit}
    ) as e on true
    -- The account that the page before ended with has none left, which is not to say that it has none.
    where a.id > ${accountId}::uuid or (a.id = ${accountId}::uuid and e.id is not null)
    order by a.id, e.id limit ${limit}`.execute(db);
  return rows.map(({ accountId: account, ...endpoint }) => ({
    accountId: account,
    endpoint: endpoint.id === null ? null : (endpoint as AudienceEndpoint),
  }));
}
