import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type KyselyPlugin, sql } from 'kysely';
import { onlyPostgres, withDatabase } from '../../../../test/helpers/database.ts';
import { uuidv7 } from '../../../lib/ids.ts';
import { HIGHEST, LOWEST, searchDeliveries } from './search-store.ts';

const { db } = await withDatabase();
const [ACCOUNT, ENDPOINT] = [uuidv7(1), uuidv7(2)];
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
