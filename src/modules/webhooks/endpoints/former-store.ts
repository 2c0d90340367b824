import { type RawBuilder, sql } from 'kysely';
import { type Db, times, type Trx } from '../../../platform/db/index.ts';

/** Where an endpoint sent at some time. */
export interface Address {
  /** null: not known. */
  url: string | null;
  /** It has not been given another address or other headers since. */
  isPresent: boolean;
}

/** What `selectAddresses` asks: for each of these times the first change after it, by one look in the index, however many there are. */
export const addressesOf = (id: string, at: readonly number[]): RawBuilder<Address> => sql<Address>`
  select case when former.until is null then e.url else former.url end as url, former.until is null as "isPresent"
  from unnest(${times(at)}::text::timestamptz[]) with ordinality as t (at, nth)
  join webhook_endpoints e on e.id = ${id}
  left join lateral (
    select until, url from webhook_endpoint_former where endpoint_id = ${id} and until > t.at order by until limit 1
  ) as former on true
  order by t.nth`;

/** Where an endpoint, be it deleted, sent at each of these times (milliseconds since the epoch), in their order. */
export const selectAddresses = async (db: Db | Trx, id: string, at: readonly number[]): Promise<Address[]> =>
  at.length === 0 ? [] : (await addressesOf(id, at).execute(db)).rows;
