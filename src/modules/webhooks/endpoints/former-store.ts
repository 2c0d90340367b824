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

/** A row of the former addresses. */
export interface FormerPlace {
  id: string;
  until: string;
}

/** Before all of them. */
export const NO_FORMER: FormerPlace = { id: '00000000-0000-0000-0000-000000000000', until: '-infinity' };

/**
 * Forgets of the rows after this one, at most a portion, which address ended before that time. The last such row of an endpoint stays, without an address: what is
 * asked of that time must not be told with the address of later. Returns the last row that was looked at; null: there are no more.
 */
export async function forgetFormer(
  db: Db,
  before: Date,
  { after, portion }: { after: FormerPlace; portion: number },
): Promise<FormerPlace | null> {
  const { rows } = await sql<FormerPlace & { n: number }>`
    with looked as materialized (
      select endpoint_id, until from webhook_endpoint_former
      where (endpoint_id, until) > (${after.id}::uuid, ${after.until}::timestamptz) order by endpoint_id, until limit ${portion}
    ), past as materialized (
      select l.endpoint_id, l.until, exists (
        select from webhook_endpoint_former f where f.endpoint_id = l.endpoint_id and f.until > l.until and f.until < ${before}
      ) as is_followed
      from looked l where l.until < ${before}
    ), removed as (
      delete from webhook_endpoint_former f using past p
      where p.is_followed and f.endpoint_id = p.endpoint_id and f.until = p.until
    ), forgotten as (
      update webhook_endpoint_former f set url = null from past p
      where not p.is_followed and f.endpoint_id = p.endpoint_id and f.until = p.until and f.url is not null
    )
    select endpoint_id as id, until::text as until, (count(*) over ())::int as n from looked
    order by endpoint_id desc, looked.until desc limit 1`.execute(db);
  const [last] = rows;
  return last && last.n >= portion ? { id: last.id, until: last.until } : null;
}
