import { type RawBuilder, sql } from 'kysely';
import { type Db, times, type Trx } from '../../../platform/db/index.ts';
import { HEARD_WITHIN_MS } from '../engine/rules.ts';

/** Where an endpoint sent at some time. */
export interface Address {
  /** null: not known, also where who sent may not have heard of another address yet. */
  url: string | null;
  /** It has not been given another address or other headers since. */
  isPresent: boolean;
}

/** What `selectAddresses` asks: for each of these times the first change after it, and those just before it, by the index, however many there are. */
export const addressesOf = (id: string, at: readonly number[]): RawBuilder<Address> => sql<Address>`
  select case when just.was_elsewhere is not true then here.url end as url,
    here.until is null and just.was_elsewhere is null as "isPresent"
  from unnest(${times(at)}::text::timestamptz[]) with ordinality as t (at, nth),
  lateral (
    (select until, url from webhook_endpoint_former where endpoint_id = ${id} and until > t.at order by until limit 1)
    union all select null, url from webhook_endpoints where id = ${id}
    order by until limit 1
  ) as here,
  lateral (
    select bool_or(f.url is distinct from here.url) as was_elsewhere from webhook_endpoint_former f
    where f.endpoint_id = ${id} and f.until <= t.at and f.until > t.at - ${HEARD_WITHIN_MS} * interval '1 millisecond'
  ) as just
  order by t.nth`;

/** Where an endpoint, be it deleted, sent at each of these times (milliseconds since the epoch), in their order. */
export const selectAddresses = async (db: Db | Trx, id: string, at: readonly number[]): Promise<Address[]> =>
  at.length === 0 ? [] : (await addressesOf(id, at).execute(db)).rows;
