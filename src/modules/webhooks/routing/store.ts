import { sql } from 'kysely';
import type { Db } from '../../../platform/db/index.ts';
import type { EndpointRow } from '../endpoints/store.ts';

/** Where a page begins: behind this endpoint of this account, in the order of both; those that were gone by then come last. */
export interface Place {
  accountId: string;
  wasGone: boolean;
  endpointId: string;
}

/** Lower than every id. */
export const NIL = '00000000-0000-0000-0000-000000000000';

export type AudienceEndpoint = Pick<
  EndpointRow,
  'id' | 'kind' | 'url' | 'events' | 'after_position' | 'created_at' | 'updated_at' | 'deleted_at'
>;
type Row = { wasGone: boolean | null } & { accountId: string } & {
  [N in keyof AudienceEndpoint]: AudienceEndpoint[N] | null;
};

/**
 * The endpoints of these accounts in the order of account and id, behind those of an account the ones that were deleted before `at`: a hundred of
 * them must not stand before the one that is asked about. An account without any is there once, with null.
 */
export async function selectAudience(
  db: Db,
  accountIds: readonly string[],
  { at, after, limit }: { at: Date; after: Place | null; limit: number },
): Promise<{ accountId: string; wasGone: boolean; endpoint: AudienceEndpoint | null }[]> {
  const { accountId, wasGone, endpointId } = after ?? { accountId: NIL, wasGone: false, endpointId: NIL };
  const gone = sql`coalesce(deleted_at < ${at}::timestamptz, false)`;
  const { rows } = await sql<Row>`
    select a.id as "accountId", e.* from unnest(${[...accountIds]}::uuid[]) as a (id) left join lateral (
      select id, kind, url, events, after_position, created_at, updated_at, deleted_at, ${gone} as "wasGone" from webhook_endpoints
      where account_id = a.id and (account_id, ${gone}, id) > (${accountId}::uuid, ${wasGone}::boolean, ${endpointId}::uuid)
      order by "wasGone", id limit ${limit}
    ) as e on true
    -- The account that the page before ended with has none left, which is not to say that it has none.
    where a.id > ${accountId}::uuid or (a.id = ${accountId}::uuid and e.id is not null)
    order by a.id, "wasGone", e.id limit ${limit}`.execute(db);
  return rows.map(({ accountId: account, wasGone: isGone, ...endpoint }) => ({
    accountId: account,
    wasGone: isGone === true,
    endpoint: endpoint.id === null ? null : (endpoint as AudienceEndpoint),
  }));
}
