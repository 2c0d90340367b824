import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { formsOf } from './misspelling.ts';
import { nearWords, wordsNear } from './words-store.ts';
import { addWords } from './upkeep-store.ts';
import { inTransaction } from '../../../platform/db/index.ts';

const { db } = await withDatabase();

/** Twelve thousand words, as a blog of some thousand posts has. */
const SYLLABLES = 'ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu fra gle'.split(' ');
const WORDS = SYLLABLES.flatMap((a) => SYLLABLES.flatMap((b) => SYLLABLES.map((c) => a + b + c)));

before(async () => {
  const words = [...WORDS, 'javascript'].map((word, used) => ({ word, used, near: formsOf(word) }));
  await inTransaction(db, (trx) => addWords(trx, words));
  await sql`vacuum (analyze) post_words`.execute(db);
});

interface Plan {
  'Node Type': string;
  Plans?: Plan[];
}

test('near words are looked up form by form, and the others are not read', async () => {
  for (const typed of ['zqxwmfcsj', 'javsacript', 'bacdei']) {
    const { rows } = await sql<{ 'QUERY PLAN': { Plan: Plan }[] }>`
      explain (format json) ${nearWords(formsOf(typed), 300)}`.execute(db);
    const nodes = (plan: Plan): string[] => [plan['Node Type'], ...(plan.Plans ?? []).flatMap(nodes)];
    const found = nodes(rows[0]?.['QUERY PLAN'][0]?.Plan as Plan);
    assert.ok(found.includes('Bitmap Index Scan') && !found.includes('Seq Scan'), `${typed}: ${found.join(', ')}`);
  }
});

test('each is found once, most used first', async () => {
  assert.deepEqual(await wordsNear(db, formsOf('zqxwmfcsj'), 300), []);
  assert.deepEqual(
    (await wordsNear(db, formsOf('javsacript'), 300)).map(({ word }) => word),
    ['javascript'],
  );
  const near = await wordsNear(db, formsOf('bacedi'), 300);
  const byHand = WORDS.map((word, used) => ({ word, used }))
    .filter(({ word }) => formsOf(word).some((form) => formsOf('bacedi').includes(form)))
    .toSorted((a, b) => b.used - a.used);
  assert.ok(byHand.length > 5);
  assert.deepEqual(near, byHand.slice(0, 300));
  assert.equal((await wordsNear(db, formsOf('bacedi'), 3)).length, 3);
});
