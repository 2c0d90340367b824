import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GROUNDS, makeAssets } from './assets.ts';
import { contrast } from './colour.ts';

const css = makeAssets('#ffcc00').css.body.toString();

/** The colours of a scheme, by name. In the file light stands first, then dark, then print. */
function coloursOf(scheme: 'light' | 'dark'): Map<string, string> {
  const at = scheme === 'light' ? 0 : css.indexOf('prefers-color-scheme: dark');
  const block = css.slice(at, css.indexOf('}', at));
  return new Map(
    [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', colour = '']) => [name, colour]),
  );
}

const accents = [...css.matchAll(/--accent:(#[0-9a-f]{6});--on-accent:(#[0-9a-f]{6})/g)];

for (const [i, scheme] of (['light', 'dark'] as const).entries()) {
  test(`${scheme}: every text is readable on every ground, the accent too`, () => {
    const colours = coloursOf(scheme);
    const grounds = [colours.get('ground'), colours.get('raised')] as string[];
    assert.deepEqual(grounds, GROUNDS[scheme]);
    const [, accent = '', onAccent = ''] = accents[i] ?? [];
    const texts = ['text', 'quiet', 'warn', 'code-word', 'code-text', 'code-number', 'code-name', 'code-quiet'];
    for (const ground of grounds) {
      for (const name of texts) assert.ok(contrast(colours.get(name) ?? '', ground) >= 4.5, `${name} on ${ground}`);
      assert.ok(contrast(accent, ground) >= 4.5, `accent ${accent} on ${ground}`);
    }
    assert.ok(contrast(onAccent, accent) >= 4.5);
    assert.ok(contrast(colours.get('text') ?? '', colours.get('mark') ?? '') >= 4.5, 'what a search found');
    // WCAG 2.2, 1.4.11: borders of fields.
    assert.ok(contrast(colours.get('field-line') ?? '', colours.get('ground') ?? '') >= 3, 'borders of fields');
  });
}

test('a file has a name of its own as soon as its content is another', () => {
  const [one, other] = [makeAssets('#000000'), makeAssets('#000001')];
  assert.notEqual(one.css.name, other.css.name);
  assert.equal(one.script.name, other.script.name);
  assert.match(one.css.name, /^site\.[0-9a-f]{12}\.css$/);
});

test('what pages load is small: a script of a few kB, no fonts, nothing from elsewhere', () => {
  const { script } = makeAssets('#000000');
  assert.ok(script.body.length < 5000, `${script.body.length} bytes of script`);
  assert.ok(css.length < 25_000, `${css.length} bytes of styles`);
  assert.doesNotMatch(css, /url\(|@import|@font-face/);
});
