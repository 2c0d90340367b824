import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PageInput } from '../../../platform/http/index.ts';
import type { Site } from '../site.ts';
import { allPages } from './all-pages.ts';

test('a page is kept by what chooses what it shows, and not by whatever else stands in its address', async () => {
  const keys: string[] = [];
  const kept = { reply: async (key: string) => (keys.push(key), { status: 200 }) };
  const pages = allPages({ assets: {}, kept } as unknown as Site);
  const ask = async (path: string, query: Record<string, string>): Promise<string | undefined> => {
    const page = pages.find((one) => one.method === 'GET' && one.path === path);
    await page?.handle({ caller: null, params: {}, query } as unknown as PageInput);
    return keys.at(-1);
  };
  const home = await ask('/blog', {});
  assert.equal(await ask('/blog', { fbclid: 'a', page2: '2' }), home);
  const post = await ask('/blog/{slug}', {});
  const others = [
    await ask('/blog', { q: 'a' }),
    await ask('/blog', { sort: 'a' }),
    await ask('/blog', { page: 'a' }),
    await ask('/blog/{slug}', { comments: 'a' }),
    await ask('/blog/{slug}', { notice: 'a' }),
  ];
  assert.equal(new Set([home, post, ...others]).size, 7);
});
