import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { Highlighter, type Piece } from './highlight.ts';

const hits = (q: string, text: string): string[] =>
  new Highlighter(q)
    .mark(text)
    .pieces.filter((piece) => piece.isHit)
    .map((piece) => piece.text);
const join = (pieces: readonly Piece[]): string => pieces.map((piece) => piece.text).join('');

test('marks what the search compares as equal: case, accents, roots, unfinished and compound words', () => {
  const cases: [q: string, text: string, wanted: string[]][] = [
    ['harbour', 'Harbours, and a HARBOUR.', ['Harbours', 'HARBOUR']],
    ['jeremy', 'Says Jérémy', ['Jérémy']],
    ['meas', 'Measured, but immeasurable', ['Measured']],
    ['meas ', 'Measured', []],
    ['"slack water"', 'Slack water', ['Slack', 'water']],
    ['tide -ebb', 'tide and ebb', ['tide']],
    ['node', 'node.js', ['node.js']],
    ['thread', 'worker_threads', ['worker_threads']],
    ['東京', '東京都の港', ['東京']],
    ['', 'anything', []],
  ];
  for (const [q, text, wanted] of cases) assert.deepEqual(hits(q, text), wanted, q);
});

test('shows the surroundings of the first hit, cut between words', () => {
  const text = `${'before '.repeat(50)}needle ${'after '.repeat(100)}`;
  const shown = join(new Highlighter('needle').around(text, 200) ?? []);
  assert.match(shown, /^… before (before )*needle (after )*after …$/);
  assert.ok(shown.length < 210);
  assert.equal(new Highlighter('other').around(text, 200), null);
  assert.equal(join(new Highlighter('before').around('before', 200) ?? []), 'before');
});

test('shows the hit that comes first, whatever the script, and reads a long text once', () => {
  const far = ' x'.repeat(100);
  for (const text of [`needle${far} 大阪`, `大阪${far} needle`]) {
    const shown = join(new Highlighter('needle 大阪').around(text, 9) ?? []);
    assert.match(shown, new RegExp(`^${text.split(' ')[0]}( x)+ …$`));
  }
  const words = (count: number): string => Array.from({ length: count }, (_, i) => `wörd${i}`).join(' ');
  const userMicros = (searched: string): number => {
    const before = process.cpuUsage();
    assert.equal(new Highlighter('other').around(searched, 200), null);
    return process.cpuUsage(before).user;
  };
  const [few, many] = [`${words(3000)} `.repeat(40), words(120_000)];
  // Until the code is compiled.
  userMicros(many);
  // Each of the few is folded once; folded wherever it comes, they take as long as so many others.
  const [once, each] = [userMicros(few), userMicros(many)];
  assert.ok(once < 0.7 * each, `${once} µs, and ${each} for as many that are all others`);
});

test('whatever the query and the text: the pieces are the text, none of them empty', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 80 });
  fc.assert(
    fc.property(text, text, (q, searched) => {
      for (const query of [q, searched, searched.slice(0, 9)]) {
        const { pieces } = new Highlighter(query).mark(searched);
        assert.equal(join(pieces), searched);
        assert.ok(pieces.every((piece) => piece.text !== ''));
      }
    }),
  );
});
