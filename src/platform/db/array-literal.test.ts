import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { withDatabase } from '../../../test/helpers/database.ts';
import { texts, times, tokens } from './array-literal.ts';

const database = await withDatabase();

test('texts: PostgreSQL reads back what was written, for any text without control characters', async () => {
  // oxlint-disable-next-line no-control-regex -- these are what the function does not promise
  const text = fc.string({ unit: 'binary' }).map((s) => s.replaceAll(/[\u0000-\u001f]/g, ''));
  const array = fc.array(
    fc.option(
      fc.oneof(
        text,
        fc.jsonValue().map((v) => JSON.stringify(v)),
        fc.constantFrom('NULL', 'null', '', '{}', '"', '\\', ' a '),
      ),
    ),
  );
  await fc.assert(
    fc.asyncProperty(array, async (values) => {
      const { rows } = await sql<{
        back: (string | null)[];
      }>`select array(select unnest(${texts(values)}::text::text[])) as back`.execute(database.db);
      assert.deepEqual(rows[0]?.back, values);
    }),
    { numRuns: 200 },
  );
});

test('tokens and times: numbers, names, moments and null', async () => {
  const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
  const { rows } = await sql<{ n: number; s: string | null; t: Date | null }>`
    select * from unnest(${tokens([1, 9_007_199_254_740_991])}::text::bigint[], ${tokens(['checkout.started', null])}::text::text[],
      ${times([at, null])}::text::timestamptz[]) as u (n, s, t)`.execute(database.db);
  assert.deepEqual(rows, [
    { n: 1, s: 'checkout.started', t: new Date(at) },
    { n: 9_007_199_254_740_991, s: null, t: null },
  ]);
});
