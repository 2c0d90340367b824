import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { withDatabase } from '../../../test/helpers/database.ts';
import { Column, type ColumnType, columns } from './columns.ts';

const { db } = await withDatabase();

/** Whole numbers that are none before or behind what JavaScript counts exactly; the text of a UUID in any case. */
const ANY: { [T in ColumnType]: fc.Arbitrary<string | number> } = {
  uuid: fc.oneof(
    fc.uuid(),
    fc.uuid().map((id) => id.toUpperCase()),
  ),
  int8: fc.maxSafeInteger(),
  int4: fc.integer(),
  int2: fc.integer({ min: -32_768, max: 32_767 }),
  timestamptz: fc.integer({ min: Date.UTC(1000), max: Date.UTC(9999) }),
  text: fc.oneof(
    fc.string({ unit: 'binary' }).map((s) => s.replaceAll('\0', '')),
    fc.constantFrom('NULL', 'null', '', '{}', '"', '\\', ' a ', 'a\nb\u001ec\t', 'ß😀'),
  ),
  json: fc.jsonValue().map((v) => JSON.stringify(v)),
};

test('whatever is given comes back, with nulls where they were', async () => {
  for (const type of Object.keys(ANY) as ColumnType[]) {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(ANY[type]), { maxLength: 20 }), async (values) => {
        const { rows } = await sql<{ back: unknown; text: string | null }>`
          select back, back::text as text from (select ${columns(values, { back: [type, (v: unknown) => v] as never })}) as r`.execute(
          db,
        );
        const wanted = type === 'uuid' ? values.map((v) => (v === null ? null : String(v).toLowerCase())) : values;
        const back = rows.map(({ back: b, text }) => {
          if (b instanceof Date) return b.getTime();
          return type === 'json' ? text : b;
        });
        assert.deepEqual(back, wanted);
      }),
      { numRuns: 40 },
    );
  }
});

test('columns go side by side, and a shorter one ends in nulls', async () => {
  const { rows } = await sql`
    select ${columns(['a', 'b', 'c'], { t: ['text', (v) => v] })}, ${columns([2 ** 53 - 1, -1], { n: ['int8', (v) => v] })},
      ${columns([], { id: ['uuid', (v) => v] })}`.execute(db);
  assert.deepEqual(rows, [
    { t: 'a', n: 9_007_199_254_740_991, id: null },
    { t: 'b', n: -1, id: null },
    { t: 'c', n: null, id: null },
  ]);
});

test('what is no value of the type is refused before it is sent', () => {
  const sent = (type: ColumnType, value: unknown) => () => new Column(type, [value as never]).toPostgres();
  const id = '01a1fe0a-25f9-71ec-aa5f-88211f1d1190';
  for (const wrong of [
    '',
    id.slice(1),
    `${id}0`,
    id.replace('a', 'g'),
    id.replace('-', '0'),
    id.replace('f', 'é'),
    `${id.slice(0, 35)}-`,
    id.replaceAll('-', '').padEnd(36, '0'),
  ])
    assert.throws(sent('uuid', wrong), /not a UUID/, wrong);
  assert.doesNotThrow(sent('uuid', id));
  for (const wrong of [1.5, Number.NaN, 2 ** 53]) assert.throws(sent('int8', wrong), /not a whole number/);
  for (const wrong of [40_000, 1.5, Number.NaN, undefined]) assert.throws(sent('int2', wrong), RangeError);
  for (const wrong of [2 ** 31, 1.5, Number.NaN, undefined]) assert.throws(sent('int4', wrong), RangeError);
  assert.throws(sent('timestamptz', Number.NaN), /not a whole number/);
});
