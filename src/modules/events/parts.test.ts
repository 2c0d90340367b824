import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { withDatabase } from '../../../test/helpers/database.ts';
import { uuidv7 } from '../../lib/ids.ts';
import { dividedInto, hasSlot, shareOf, SLOTS, slotOf } from './parts.ts';
import {
  acquireParts,
  divideParts,
  forgetNode,
  holderOfPartsSql,
  keepNode,
  keepNodeAndReadParts,
  readParts,
  slotSql,
  wantParts,
} from './parts-store.ts';
import { acquireReader, greatestLag, readerPosition, releaseReader } from './reader-store.ts';

const { db } = await withDatabase();
const NOW = new Date('2026-01-15T10:00:00Z');
const COUNTS = [1, 2, 4, 8, 16, 32, 64];

test('property: an account is in one part of however many, and dividing a part keeps its accounts together', () => {
  const ids = fc.uuid();
  fc.assert(
    fc.property(ids, fc.constantFrom(...COUNTS), fc.constantFrom(...COUNTS), (id, a, b) => {
      const [few, many] = [Math.min(a, b), Math.max(a, b)];
      const slot = slotOf(id);
      const partOf = (parts: number): number[] =>
        Array.from({ length: parts }, (_, part) => part).filter((part) => hasSlot({ part, parts }, slot));
      const [before, after] = [partOf(few), partOf(many)];
      assert.deepEqual([before.length, after.length], [1, 1]);
      assert.ok(dividedInto({ part: before[0] as number, parts: few }, many).includes(after[0] as number));
    }),
  );
  for (const few of COUNTS)
    for (const many of COUNTS.filter((n) => n >= few)) {
      const all = Array.from({ length: few }, (_, part) => dividedInto({ part, parts: few }, many)).flat();
      assert.deepEqual(
        all.toSorted((x, y) => x - y),
        Array.from({ length: many }, (_, i) => i),
      );
    }
});

test('the database puts accounts into the same parts', async () => {
  const ids = [...Array.from({ length: 2000 }, (_, i) => uuidv7(i)), `${'F'.repeat(8)}-0000-7000-8000-0000000000FE`];
  for (const parts of COUNTS) {
    const { rows } = await sql<{ part: number }>`
      select ${slotSql(sql.ref('id'))} & (${parts}::int - 1) as part
      from unnest(${ids}::uuid[]) with ordinality as t (id, n) order by n`.execute(db);
    assert.deepEqual(
      rows.map((r) => r.part),
      ids.map((id) => slotOf(id) & (parts - 1)),
    );
  }
  assert.equal(new Set(ids.map(slotOf)).size, SLOTS, 'new ids are spread over all');
});

test('property: the shares of all are the parts, none has two more than another, and those who hold more keep it', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20), { minLength: 1, maxLength: 9 }), fc.constantFrom(...COUNTS), (counts, parts) => {
      const nodes = counts.map((_, i) => `node-${i}`);
      const held = new Map(counts.map((n, i) => [`node-${i}`, n]));
      const shares = nodes.map((node) => shareOf(node, nodes.toReversed(), held, parts));
      assert.equal(
        shares.reduce((a, b) => a + b, 0),
        parts,
      );
      assert.ok(Math.max(...shares) - Math.min(...shares) <= 1);
      for (const [i, share] of shares.entries())
        for (const [j, other] of shares.entries())
          if ((counts[i] as number) > (counts[j] as number)) assert.ok(share >= other);
    }),
  );
  assert.equal(shareOf('elsewhere', ['here'], new Map(), 16), 0);
});

const take = (owner: string, wanted: number, limit: number) =>
  acquireParts(db, { reader: 'r', owner, wanted, held: [], limit, now: NOW });
const names = async (): Promise<string[]> => (await readParts(db, 'r')).parts.map((p) => p.name);

test('a reader is divided only while nobody holds it; its parts begin where it was, and nobody can have it any more', async () => {
  assert.equal(await acquireReader(db, 'r', 'a', NOW), 0);
  await sql`update event_readers set position = 7 where name = 'r'`.execute(db);
  await wantParts(db, 'r', 4, NOW);
  await wantParts(db, 'r', 2, NOW);
  assert.equal((await readParts(db, 'r')).wanted, 4, 'a lower number changes nothing');
  await divideParts(db, 'r', 4, NOW);
  assert.deepEqual(await names(), ['r'], 'it is held');
  await releaseReader(db, 'r', 'a');
  await Promise.all([divideParts(db, 'r', 4, NOW), divideParts(db, 'r', 4, NOW)]);
  assert.deepEqual(await names(), ['r/0-of-4', 'r/1-of-4', 'r/2-of-4', 'r/3-of-4']);
  assert.equal(await acquireReader(db, 'r', 'a', NOW), null, 'by the way of the undivided one');
  await sql`update event_readers set lease_until = now() - interval '1 hour' where name = 'r'`.execute(db);
  assert.equal(await acquireReader(db, 'r', 'a', NOW), null, 'whatever became of its lease');
  assert.deepEqual([await readerPosition(db, 'r'), await readerPosition(db, 'nobody')], [7, 0]);
});

test('what is held is divided later; no part has two holders, and none of the old count can be had', async () => {
  const [mine] = await take('a', 4, 1);
  assert.equal(mine?.position, 7);
  await wantParts(db, 'r', 16, NOW);
  await divideParts(db, 'r', 16, NOW);
  assert.equal((await names()).length, 1 + 12);
  assert.deepEqual(await take('b', 4, 16), [], 'the old one is held, and none other is of that number');
  await releaseReader(db, mine.name, 'a');
  await divideParts(db, 'r', 16, NOW);
  assert.equal((await names()).length, 16);
  const { rows } = await sql`select from event_readers where name = ${mine.name}`.execute(db);
  assert.equal(rows.length, 0, 'whoever still writes under its name writes nothing');
  const [a, b] = [await take('a', 16, 9), await take('b', 16, 9)];
  assert.deepEqual([a.length, b.length], [9, 7]);
  assert.equal(new Set([...a, ...b].map((p) => p.part)).size, 16);
  await sql`update event_readers set lease_until = now() - interval '1 second' where name = ${a[0]?.name ?? ''}`.execute(
    db,
  );
  const held = a.map((p) => p.name);
  const more = { reader: 'r', wanted: 16, limit: 16, now: NOW };
  assert.deepEqual(
    await acquireParts(db, { ...more, owner: 'a', held }),
    [],
    'what it knows that it holds is not taken twice',
  );
  assert.equal((await acquireParts(db, { ...more, owner: 'a', held: held.slice(2) })).length, 2, 'what it forgot is');
  const ofB = await holderOfPartsSql(await names(), 'b').execute(db);
  assert.deepEqual(ofB.rows.map((p) => p.name).toSorted(), b.map((p) => p.name).toSorted());
});

test('a reader in parts is as far as the last of them, or the one of an account', async () => {
  await sql`update event_readers set position = 10 + part where part_of = 'r'`.execute(db);
  assert.equal(await readerPosition(db, 'r'), 10);
  assert.equal(await readerPosition(db, 'r', '00000000-0000-7000-8000-00000000000c'), 22);
  await sql`select setval('event_positions', 25)`.execute(db);
  assert.equal(await greatestLag(db, ['r']), 15);
});

test('who takes part says so again and again, or is forgotten', async () => {
  assert.deepEqual(await keepNode(db, 'r', 'a'), ['a']);
  assert.deepEqual((await keepNode(db, 'r', 'b')).toSorted(), ['a', 'b']);
  await sql`update event_reader_nodes set until = now() - interval '1 second' where node = 'a'`.execute(db);
  assert.deepEqual(await keepNode(db, 'r', 'b'), ['b']);
  assert.deepEqual((await keepNode(db, 'r', 'a')).toSorted(), ['a', 'b'], 'and comes back');
  await forgetNode(db, 'r', 'a');
  assert.deepEqual(await keepNode(db, 'r', 'b'), ['b']);
  await sql`insert into event_reader_nodes values ('r', 'long ago', now() - interval '1 hour')`.execute(db);
  await keepNode(db, 'r', 'c');
  const { nodes, ...read } = await keepNodeAndReadParts(db, 'r', 'b');
  assert.deepEqual(nodes.toSorted(), ['b', 'c']);
  assert.deepEqual(read, await readParts(db, 'r'), 'with the parts, in one statement');
  const { rows } = await sql<{ node: string }>`select node from event_reader_nodes where reader = 'r'`.execute(db);
  assert.deepEqual(rows.map((row) => row.node).toSorted(), ['b', 'c']);
});
