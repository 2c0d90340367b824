import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { renderMarkdown } from './render.ts';

const html = (markdown: string): string => renderMarkdown(markdown).html.trim();
const REST = '\n\nThe **rest**.';
const SHOWN = '<p>The <strong>rest</strong>.</p>';

describe('HTML that is never closed takes nothing away that follows it', () => {
  const names =
    'script style textarea option select noscript template title math svg iframe object xmp plaintext noframes';
  for (const name of names.split(' ')) {
    test(name, () => {
      for (const before of ['', 'Text. ', '> ', '- ', '<div>']) {
        for (const begin of [`<${name}>`, `<${name.toUpperCase()} a="b">`, `<${name}\nlang="x">`]) {
          const out = html(`${before}${begin} after${REST}`);
          assert.ok(out.includes(SHOWN), `${before}${begin}: ${out}`);
          assert.match(out, new RegExp(`&lt;${name}`, 'i'));
        }
      }
    });
  }

  for (const begin of ['<!-- note', '<?php echo 1', '<![CDATA[ x', '<!DOCTYPE html', '<div>\n<!-- note']) {
    test(begin, () => {
      assert.ok(html(`${begin}${REST}`).includes(SHOWN), html(`${begin}${REST}`));
      assert.ok(html(`Text\n${begin}${REST}`).includes(SHOWN));
    });
  }

  test('several of them, one within another', () => {
    const out = html(`<svg><title>a${REST}\n\n<style>b\n\n<!-- c\n\n# Last`);
    assert.ok(out.includes(SHOWN) && out.endsWith('<h1 id="user-content-last">Last</h1>'), out);
    assert.equal(html('<svg><svg></svg> a'), '<p>&lt;svg&gt; a</p>');
  });
});

test('what is closed goes with its content, as before', () => {
  for (const closed of [
    '<style>\n\na\n\n</style>',
    'x <title>a</title>',
    '<svg viewBox="0 0 1 1"/>',
    '<select><option>a<option>b</select>',
    '<embed src="x">',
    '<!-- a\n\nb -->',
    '<?php\n\n?>',
  ]) {
    const out = html(`${closed}${REST}`);
    assert.ok(out.includes(SHOWN) && !/&lt;|b/.test(out.replace(SHOWN, '').replaceAll('</', '')), out);
  }
  assert.ok(html('```html\n<style>\n```').includes('&lt;'));
  assert.equal(html('`<!--`'), '<p><code>&lt;!--</code></p>');
  assert.match(html('<a title="<style>" href="x">y</a>'), /^<p><a title="&lt;style&gt;" href="x">y<\/a><\/p>$/);
});
