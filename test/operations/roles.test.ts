import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { sql } from 'kysely';
import { testDb } from '../helpers/database.ts';
import { openCast } from './callers.ts';
import { callOperation, Declared, outcomeOf } from './declared.ts';
import { Given } from './given.ts';
import { OPERATIONS, type RoleRequest, type RoleRow } from './operations.ts';
import { CALLERS, rightOf } from './rights.ts';
import { spreadRows } from './spread-rows.ts';

const cast = await openCast();
const { service, callers } = cast;
const given = new Given(cast);
const { db } = service.service.opened.platform;
/** Who may do what is decided by the same code over any database; a fifth shows that it finds there what it decides by. */
const rows = spreadRows(5);
let cells = 0;
const FORBIDDEN = '403 FORBIDDEN';

const declared = new Declared(service);

async function send([operationId]: RoleRow, caller: string, request: RoleRequest): Promise<string> {
  cells++;
  return outcomeOf(await callOperation(service, declared.get(operationId), request, { token: callers[caller]?.token }));
}

const { rows: tables } = await sql<{ name: string }>`select table_name as name from information_schema.tables
  where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`.execute(db);

/** Where an operation keeps what it refuses. */
const KEEPS_REFUSED: Partial<Record<string, string>> = { receiveReport: 'inbound_reports' };

/** What is stored, by table. */
async function stored(but?: string): Promise<unknown> {
  const digests = tables
    .filter(({ name }) => name !== but)
    .map(
      ({ name }) => sql`select ${name}::text as name,
      (select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) from ${sql.table(name)} t) as digest`,
    );
  return (await sql`${sql.join(digests, sql` union all `)}`.execute(db)).rows;
}

/** The cells of one operation: first all that are refused, on one target, then each that is not, on one of its own. */
async function checkRow(row: RoleRow): Promise<void> {
  const [operationId, kind, status, make] = row;
  const expected = new Map(CALLERS.map((caller) => [caller, rightOf(caller, kind)]));
  const refused = CALLERS.filter((caller) => expected.get(caller) !== 'ok');
  const found: Record<string, string> = {};
  if (refused.length > 0) {
    const target = await make(given, {});
    const kept = KEEPS_REFUSED[operationId];
    const before = await stored(kept);
    for (const caller of refused) found[caller] = await send(row, caller, target);
    // A right that a caller lacks is told before what is wrong with the body, which is not his to try.
    for (const caller of refused.filter((each) => target.body && expected.get(each) === FORBIDDEN)) {
      const unfit = await send(row, caller, { ...target, body: { unfit: true } });
      if (unfit !== FORBIDDEN) found[`${caller}, unfit body`] = unfit;
    }
    assert.deepEqual(await stored(kept), before, 'who is refused changes nothing');
  }
  for (const caller of CALLERS) {
    if (expected.get(caller) === 'ok')
      found[caller] = await send(row, caller, await make(given, callers[caller] ?? {}));
  }
  const wrong = CALLERS.flatMap((caller) => {
    const right = expected.get(caller) === 'ok' ? String(status) : expected.get(caller);
    return found[caller] === right ? [] : [`${caller}: ${found[caller]} instead of ${right}`];
  });
  const unfit = Object.entries(found).flatMap(([name, outcome]) => (expected.has(name) ? [] : [`${name}: ${outcome}`]));
  assert.deepEqual([...wrong, ...unfit], []);
}

after(() => {
  process.stdout.write(
    `roles on ${testDb}: ${cells} cells, ${CALLERS.length} callers × ${rows.length} rows of ${declared.operations.size} operations\n`,
  );
});

test('the table has every operation of openapi.json, none besides, and every caller', () => {
  const inTable = [...new Set(OPERATIONS.map(([operationId]) => operationId))];
  assert.deepEqual(inTable.toSorted(), [...declared.operations.keys()].toSorted());
  assert.deepEqual(Object.keys(callers).toSorted(), CALLERS.toSorted());
});

test('what is stored is seen to change', async () => {
  const before = await stored();
  await given.draft();
  assert.notDeepEqual(await stored(), before);
});

describe('who may do what', () => {
  for (const row of rows) {
    const [operationId, kind, , , particular] = row;
    test(`${operationId}${particular ? ` (${particular})` : ''}: ${kind}`, () => checkRow(row));
  }
});
