import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withPiece } from '../bench/lib/results.ts';

const PAGE = '# Results\n\n<!-- one -->\n\n## One\n\nold\n\n<!-- one: note -->\n\nA note.\n\n<!-- two -->\n\n## Two\n';

test('a piece takes the place of the one before; notes, what is before it and what is behind it stay', () => {
  assert.equal(withPiece(PAGE, 'one', '## One\n\nnew\n\n'), PAGE.replace('old', 'new'));
  assert.equal(withPiece(PAGE, 'two', '\n## Two\n\nnew'), `${PAGE}\nnew\n`);
});

test('a piece that is not there yet comes last', () => {
  assert.equal(withPiece(PAGE, 'three', '## Three'), `${PAGE}\n<!-- three -->\n\n## Three\n`);
});
