import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type KyselyPlugin, sql } from 'kysely';
import { onlyPostgres, withDatabase } from '../../../../test/helpers/database.ts';
import { uuidv7 } from '../../../lib/ids.ts';
import { HIGHEST, LOWEST, type Search, searchDeliveries } from './search-store.ts';

const { db } = await withDatabase();
const [ACCOUNT, OTHER, ENDPOINT] = [uuidv7(1), uuidv7(3), uuidv7(2)];
const ROWS = 12;
const MOST = 5;

test(
  'what is rare is found, though others of its kind end between two statements of a look',
  onlyPostgres,
  async () => {
    const ids = Array.from({ length: ROWS }, (_, i) => uuidv7(1000 + i));
    const rare = ids.slice(MOST, MOST + 2);
    await sql`insert into webhook_deliveries (id, event_id, webhook, endpoint_id, account_id, status, attempts, request_id, created_at, updated_at)
    select id, id, case when id = any(${rare}::uuid[]) then 'seller.linked' else 'offer.created' end, ${ENDPOINT}, ${ACCOUNT}, 'DEAD', 5, 'r',
      now(), now() from unnest(${ids}::uuid[]) as d (id)`.execute(db);
    let end = async (): Promise<void> => {
      end = async () => undefined;
      await sql`update webhook_deliveries set status = 'DELIVERED' where id = any(${ids.slice(0, 3)}::uuid[])`.execute(
        db,
      );
    };
    const betweenStatements: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        await end();
        return result;
      },
    };
    const found: string[] = [];
    const search = { accounts: [ACCOUNT], status: 'DEAD', event: 'seller.linked', before: HIGHEST } as const;
    for (let after: string | null = LOWEST; after !== null; ) {
      const part = { order: 'asc', limit: MOST, most: MOST } as const;
      const page = await searchDeliveries(db.withPlugin(betweenStatements), { ...search, after }, part);
      found.push(...page.ids);
      after = page.next;
    }
    assert.deepEqual(found, rare);
  },
);

test('nothing is passed over that one account has where its entries were not looked at, though the page is full without it', async () => {
  const ids = Array.from({ length: 20 }, (_, i) => uuidv7(5000 + i));
  const ofOther = [0, 1, 2, 3, 16, 17, 18, 19];
  const rare = [...ofOther, 5, 14].toSorted((a, b) => a - b).map((i) => ids[i]);
  await sql`insert into webhook_deliveries (id, event_id, webhook, endpoint_id, account_id, status, attempts, request_id, created_at, updated_at)
    select id, id, case when id = any(${rare}::uuid[]) then 'listing.created' else 'offer.created' end, ${ENDPOINT},
      case when id = any(${ofOther.map((i) => ids[i])}::uuid[]) then ${OTHER}::uuid else ${ACCOUNT}::uuid end, 'DELIVERED', 1, 'r', now(), now()
    from unnest(${ids}::uuid[]) as d (id)`.execute(db);
  for (const order of ['asc', 'desc'] as const) {
    const found: string[] = [];
    let search: Search = { accounts: [ACCOUNT, OTHER], event: 'listing.created', after: LOWEST, before: HIGHEST };
    for (let next: string | null = ''; next !== null; ) {
      const page = await searchDeliveries(db, search, { order, limit: 2, most: 4 });
      found.push(...page.ids);
      next = page.next;
      if (next !== null) search = { ...search, [order === 'asc' ? 'after' : 'before']: next };
    }
    assert.deepEqual(found, order === 'asc' ? rare : rare.toReversed());
  }
});
