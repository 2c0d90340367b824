import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { inTransaction } from '../../../platform/db/index.ts';
import { addCounts } from '../counts/store.ts';
import { parseQuery } from './query.ts';
import { addWords } from './upkeep-store.ts';
import { formsOf } from './misspelling.ts';
import { expectedTitles, rarestOf, vocabularyOf, withMeant } from './vocabulary.ts';

const { db } = await withDatabase();
const POSTS = 10_000;
const USED = {
  coding: 400,
  code: 10,
  codes: 300,
  please: 3000,
  pleased: 20,
  pleasure: 70,
  plea: 9,
  happy: 40,
  happiness: 5,
  happen: 900,
  the: 9000,
  npm: 600,
  embed: 7,
  embedded: 30,
};

await inTransaction(db, async (trx) => {
  await addCounts(trx, [{ kind: 'all', key: '', name: '', delta: POSTS }]);
  await addWords(
    trx,
    Object.entries(USED).map(([word, used]) => ({ word, used, near: formsOf(word) })),
  );
});

const expected = async (q: string): Promise<number> => {
  const query = parseQuery(`${q} `);
  return expectedTitles(query, await vocabularyOf(db, query));
};

test('a word is expected as often as all words of its root, which is what is looked for', async () => {
  // Half of those that have it in the title, tags or an excerpt have it in the title.
  assert.equal(await expected('pleased'), (3000 + 20) / 2);
  assert.equal(await expected('please'), (3000 + 20) / 2);
  assert.equal(await expected('pleases'), (3000 + 20) / 2, 'one that no post has, too');
  assert.equal(await expected('plea'), 9 / 2, 'of another root that begins like it');
  assert.equal(await expected('happy'), (40 + 5) / 2, 'where the root ends in another letter');
  for (const q of ['coding', 'code', 'coded'])
    assert.equal(await expected(q), (400 + 10 + 300) / 2, `${q}: where one does not begin with its root`);
  assert.equal(await expected('embed'), (7 + 30) / 2, 'where it is the root of others, and has another root itself');
  assert.equal(await expected('the'), 9000 / 2);
  assert.equal(await expected('unheard'), 0);
});

test('what an unfinished or a misspelt word stands for is expected as often as all words of its root', async () => {
  const unfinished = parseQuery('happ');
  const ending = await vocabularyOf(db, unfinished);
  assert.equal(expectedTitles(unfinished, ending), (40 + 5 + 900) / 2, '`happy`, `happiness` and `happen`');
  const root = parseQuery('embed');
  assert.equal(expectedTitles(root, await vocabularyOf(db, root)), (7 + 30) / 2, 'each of `embed` and `embedded` once');
  const misspelt = parseQuery('pleaesd ');
  const meant = await withMeant(db, misspelt, await vocabularyOf(db, misspelt), false);
  assert.equal(meant && expectedTitles(misspelt, meant), (3000 + 20) / 2, '`pleased` and `please`');
});

test('of several words, between those that have the rarest and those that have all by chance', async () => {
  assert.equal(await expected('npm the'), Math.sqrt(600 * ((600 * 9000) / POSTS)) / 2);
  assert.equal(await expected('"the npm"'), 600 / 2);
});

test('the rarest of them is known, wherever it stands', async () => {
  for (const q of ['the pleased npm ', 'npm the pleased ', 'pleased the npm ']) {
    const query = parseQuery(q);
    assert.deepEqual(rarestOf(query, await vocabularyOf(db, query))?.words, ['npm'], q);
  }
  const none = parseQuery('-npm');
  assert.equal(rarestOf(none, await vocabularyOf(db, none)), undefined);
});
