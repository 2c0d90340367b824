import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { ROOT } from '../../scripts/lib/step.ts';
import { TRANSITIONS } from '../../src/modules/trades/lifecycle/transitions.ts';
import { DOCUMENT_NAMES } from './known-names.ts';

interface Drawing {
  elements: Set<string>;
  /** Names of the boxes. */
  names: string[];
  /** `FROM TO` of each arrow between states. */
  moves: string[];
  title: string;
  description: string;
}

/** These files are written one element a line, so no parser is needed to read them; browsers show them by one. */
function read(text: string): Drawing {
  const all = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map((match) => match[1] as string);
  return {
    elements: new Set(all(/<([a-zA-Z]\w*)/g)),
    names: all(/<text class="name"[^>]*>([^<]*)</g),
    moves: all(/ data-move="([^"]*)"/g),
    title: all(/<title[^>]*>([^<]*)</g).join(),
    description: all(/<desc[^>]*>([^<]*)</g).join(),
  };
}

const files = new Map(
  globSync('docs/**/*.svg', { cwd: ROOT }).map((path) => [path, readFileSync(`${ROOT}/${path}`, 'utf8')]),
);
const drawingOf = (name: string): Drawing => read(files.get(`docs/concepts/${name}.svg`) ?? '');

describe('a drawing is small, says what it shows, and can be seen in light and dark', () => {
  for (const [path, text] of files) {
    test(path, () => {
      const { elements, title, description } = read(text);
      assert.ok(text.length < 10_000, String(text.length));
      assert.ok(title.length > 5 && description.length > 50);
      assert.ok(text.includes('prefers-color-scheme: dark'));
      for (const element of ['script', 'image', 'foreignObject', 'use']) assert.ok(!elements.has(element), element);
    });
  }
});

test('the trade session moves in its drawing as in the code', () => {
  const moves = Object.values(TRANSITIONS.trade).flatMap((all) =>
    Object.entries(all).map(([from, to]) => `${from} ${to}`),
  );
  assert.deepEqual(drawingOf('trade-life').moves.toSorted(), moves.toSorted());
});

test('states in drawings are those of the API, and each arrow joins two of them', () => {
  for (const name of ['trade-life', 'delivery-life', 'post-life']) {
    const { names, moves } = drawingOf(name);
    assert.ok(names.length >= 4);
    for (const state of names) assert.ok(DOCUMENT_NAMES.has(state), `${name}: ${state}`);
    for (const state of moves.flatMap((move) => move.split(' '))) assert.ok(names.includes(state), `${name}: ${state}`);
  }
});
