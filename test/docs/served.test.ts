import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testService } from '../helpers/service.ts';
import { GUIDES } from './all-pages.ts';

const service = await testService({ withoutLoops: true });

const valuesOf = (html: string, attribute: string): string[] =>
  [...html.matchAll(new RegExp(` ${attribute}="([^"]*)"`, 'g'))].map((match) => match[1] as string);

/** Pages of other modules, which are tried elsewhere. */
const isElsewhere = (path: string): boolean => /^https?:|^\/(?:blog|dashboard|docs\/api)\b/.test(path);

test('the documentation is served: every page has one title, and every link and picture in it leads somewhere', async (t) => {
  const pages = new Map<string, string>();
  const wanted = new Map<string, string>([['/docs', 'the start']]);
  for (const [address, from] of wanted) {
    const { status, headers, body } = await service.call<string>('GET', address);
    assert.equal(status, 200, `${address}, to which ${from} links`);
    pages.set(address, headers.get('content-type')?.startsWith('text/html') ? body : '');
    if (pages.get(address) === '') continue;
    assert.equal(body.match(/<h1\b/g)?.length, 1, address);
    for (const link of [...valuesOf(body, 'href'), ...valuesOf(body, 'src')]) {
      const [path = ''] = link.split('#');
      if (path !== '' && !isElsewhere(path) && !wanted.has(path)) wanted.set(path, address);
    }
  }
  for (const [address, html] of pages) {
    assert.equal(new Set(valuesOf(html, 'id')).size, valuesOf(html, 'id').length, `${address} has an id twice`);
    for (const link of valuesOf(html, 'href')) {
      const [path = '', id] = link.split('#');
      if (id === undefined || isElsewhere(path)) continue;
      const target = pages.get(path === '' ? address : path) ?? '';
      assert.ok(valuesOf(target, 'id').includes(decodeURI(id)), `${address} links to ${link}`);
    }
  }
  const html = [...pages.values()].filter((text) => text !== '');
  assert.ok(html.length > GUIDES.length, String(html.length));
  t.diagnostic(`${html.length} pages and ${pages.size - html.length} files`);
});
