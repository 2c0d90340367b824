import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GUIDES, OTHERS } from './all-pages.ts';
import { linkFaults } from './links.ts';
import { parsePage } from './page.ts';

test('every link of every page leads somewhere, to the heading too', (t) => {
  const pages = [...GUIDES, ...OTHERS];
  assert.deepEqual(pages.flatMap(linkFaults), []);
  t.diagnostic(`${pages.length} pages, ${pages.reduce((sum, page) => sum + page.links.length, 0)} links`);
});

test('every page of docs/ is in its table of contents', () => {
  const contents = GUIDES.find((page) => page.path === 'docs/README.md');
  const named = new Set(contents?.links.map(({ href }) => `docs/${href}`));
  const missing = GUIDES.map((page) => page.path).filter(
    (path) => path.startsWith('docs/') && path !== 'docs/README.md' && !named.has(path),
  );
  assert.deepEqual(missing, []);
});

test('every decision is in the index of decisions', () => {
  const index = OTHERS.find((page) => page.path === 'docs/adr/README.md');
  const named = new Set(index?.links.map(({ href }) => `docs/adr/${href}`));
  const missing = OTHERS.map((page) => page.path).filter((path) => /^docs\/adr\/\d/.test(path) && !named.has(path));
  assert.deepEqual(missing, []);
});

describe('an injected fault is found', () => {
  for (const [text, says] of [
    ['[x](settings2.md)', /leads nowhere/],
    ['[x](errors.md#trying-agan)', /no heading for #trying-agan/],
    ['[x](../../etc/passwd)', /leads nowhere/],
    ['[x](../src/main.ts#start)', /is no page/],
    ['[x](http://[)', /is no address/],
    ['![](../LICENSE)', /no text for those/],
  ] as const) {
    test(text, () => {
      const [fault = 'nothing', ...more] = linkFaults(parsePage('docs/x.md', text));
      assert.match(fault, says);
      assert.deepEqual(more, []);
    });
  }
  test('and a good one is not', () => {
    assert.deepEqual(linkFaults(parsePage('docs/x.md', '[x](errors.md#trying-again) [y](../README.md)')), []);
  });
});
