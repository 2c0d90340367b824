import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { conditionOf } from './condition.ts';
import { quoted } from './document.ts';
import { parseQuery } from './query.ts';

const { db } = await withDatabase();

/** What the index is asked, and what of the documents is. */
const asText = (q: string): string => {
  const { index, order } = conditionOf(parseQuery(q), new Map());
  const asked = index.join(', ');
  return order === null ? asked : `${asked} ; ${order}`;
};

describe('a query', () => {
  for (const [q, expected] of [
    ['npm', "('npm')"],
    ['security releases', "('security' | 'secur'), ('releases' | 'releas')"],
    ['"Event loop"', "('event'), ('loop') ; ('event' <1> 'loop')"],
    ['"node.js core', "('node'), ('js'), ('core') ; ('node' <1> 'js' <1> 'core')"],
    ['npm -release -"x y"', "('npm') & !('release' | 'releas') ; !('x' <1> 'y')"],
    ['a-b -c', "('a') & !('c'), ('b')"],
    ['node --a-b=c ---d', "('node'), ('a'), ('b'), ('c'), ('d')"],
    ['--"x y" - -z', "('x') & !('z'), ('y') ; ('x' <1> 'y')"],
    ['v18.17.0', "('v18.17.0')"],
    ['node.js', "(('node.js') | ('node') & ('js'))"],
    ['京', "('京')"],
    ['東京', "('東京')"],
    ['東京都 -大阪', "('東京') & !('大阪'), ('京都') ; ('東京' <1> '京都')"],
    ['"in 東京 now"', "('in'), ('東京'), ('now') ; ('in' <1> '東京' <2> 'now')"],
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
        const { index, order } = conditionOf(parseQuery(q), new Map());
        await sql`select ${index}::text[]::tsquery[], ${order}::tsquery`.execute(db);
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
