import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { quoted } from './document.ts';
import { allOf, parseQuery, termQuery } from './query.ts';

const { db } = await withDatabase();

const asText = (q: string): string => {
  const { wanted, unwanted } = parseQuery(q);
  return allOf(
    wanted.map((term) => termQuery(term)),
    unwanted.map((term) => termQuery(term)),
  );
};

describe('a query', () => {
  for (const [q, expected] of [
    ['npm', "('npm')"],
    ['security releases', "('security' | 'secur') & ('releases' | 'releas')"],
    ['"Event loop"', "('event' <-> 'loop')"],
    ['"node.js core', "('node' <-> 'js' <-> 'core')"],
    ['npm -release -"x y"', "('npm') & !('release' | 'releas') & !('x' <-> 'y')"],
    ['a-b --c', "('a') & ('b') & !('c')"],
    ['v18.17.0', "('v18.17.0')"],
    ['node.js', "(('node.js') | ('node') & ('js'))"],
    ['東京', "('東' <-> '京')"],
    ['“loop”', "('loop')"],
    ['""', ''],
    ['- " \' & | ! ( ) :* <-> \\', ''],
  ] as const) {
    test(q, () => assert.equal(asText(q), expected));
  }

  test('has an unfinished last word, unless something follows it', () => {
    const last = (q: string) => parseQuery(q).wanted.map((term) => term.last);
    assert.deepEqual(
      [last('secur rel'), last('rel '), last('"rel"'), last('rel -x')],
      [[false, true], [false], [false], [false]],
    );
  });

  test('of many words keeps the first', () => {
    assert.equal(parseQuery('a '.repeat(100)).wanted.length, 24);
    assert.deepEqual(
      parseQuery(`b ${'京'.repeat(200)} c`).wanted.map((term) => term.words.length),
      [1, 23],
    );
    assert.equal(parseQuery(`"${'a '.repeat(30)}"`).wanted[0]?.words.length, 24);
  });

  test('is understood by the database, whatever the text', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.stringMatching(/^[a-c"'\\&|!():*<> .\-+#_é京]{0,60}$/),
    );
    await fc.assert(
      fc.asyncProperty(text, async (q) => {
        await sql`select ${asText(q)}::tsquery`.execute(db);
      }),
      { numRuns: 300 },
    );
  });
});

test('a lexeme of any text comes back from a vector as it was', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), async (text) => {
      const lexeme = `=tag:${text.replaceAll('\u0000', '')}`;
      const { rows } = await sql<{ all: string[]; found: boolean }>`
        select tsvector_to_array(${quoted(lexeme)}::tsvector) as all,
          ${quoted(lexeme)}::tsvector @@ ${quoted(lexeme)}::tsquery as found`.execute(db);
      assert.deepEqual(rows[0], { all: [lexeme], found: true });
    }),
    { numRuns: 200 },
  );
});
