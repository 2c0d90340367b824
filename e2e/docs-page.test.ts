import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { inBothSchemes, violationsOf } from '../test/helpers/axe.ts';
import { openBrowser } from '../test/helpers/browser.ts';
import { testDb } from '../test/helpers/database.ts';
import { testService } from '../test/helpers/service.ts';
import { needsBrowser } from '../test/helpers/services.ts';
import { DESKTOP, PHONE, watchedPage } from './helpers/watched-page.ts';

// The pages are the same on every database.
const options = testDb === 'pglite' ? needsBrowser : { skip: 'seen on PGlite' };
const service = await testService({ withoutLoops: true });
const browser = options.skip ? null : await openBrowser();

/** With E2E_PICTURES=folder, what was seen is kept there. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['E2E_PICTURES'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `docs-${name}.png`), fullPage: false });
}

const open = async (look: Parameters<typeof watchedPage>[1] = {}) => {
  assert.ok(browser);
  const watched = await watchedPage(browser, { ...look, isForAxe: true });
  // Swagger UI reads a document of 850 kB, which takes seconds where the machine is busy.
  watched.page.setDefaultTimeout(60_000);
  return watched;
};

/** Addresses of the navigation. */
async function pagesOf(page: Page): Promise<string[]> {
  await page.goto(`${service.url}/docs`);
  const links = page.locator('nav.pages a');
  return links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
}

describe('the pages of the documentation', options, () => {
  test('can be read by everybody in both colour schemes, and fit a phone, without scrolling sideways', async () => {
    const { page, complaints } = await open();
    for (const address of ['/docs', ...(await pagesOf(page))]) {
      await page.goto(service.url + address);
      await inBothSchemes(page, async (scheme, rules) => {
        assert.deepEqual(await violationsOf(page, rules), [], `${address} ${scheme}`);
        await picture(page, `${address.slice(1).replaceAll('/', '_')}-${scheme}`);
      });
      await page.setViewportSize(PHONE);
      const [width, shown] = await page.evaluate<[number, number]>(
        '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
      );
      assert.ok(width <= shown, `${address}: ${width} > ${shown}`);
      await page.setViewportSize(DESKTOP);
    }
    // axe itself sets styles, which the policy refuses.
    assert.deepEqual(
      complaints.filter((text) => !text.includes('style-src')),
      [],
    );
  });

  test('loaded by a phone, fit it', async () => {
    const { page } = await open({ viewport: PHONE, colorScheme: 'dark' });
    for (const [address, name] of [
      ['/docs', 'phone'],
      ['/docs/concepts/data-flow', 'phone-drawing'],
    ] as const) {
      await page.goto(service.url + address);
      const wider = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      assert.ok(wider <= 0, `${address} is ${wider} px too wide`);
      await picture(page, name);
    }
  });

  test('need no script, and print without what is for the screen', async () => {
    assert.ok(browser);
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: DESKTOP });
    const page = await context.newPage();
    const reply = await page.goto(`${service.url}/docs/errors`);
    assert.match(reply?.headers()['content-security-policy'] ?? '', /default-src 'none'/);
    assert.ok(await page.locator('nav.pages').isVisible());
    assert.ok((await page.locator('pre .hljs-attr').count()) > 0, 'code is coloured');
    await page.emulateMedia({ media: 'print' });
    assert.ok(!(await page.locator('nav.pages').isVisible()));
    const { width = 0 } = (await page.locator('article p').first().boundingBox()) ?? {};
    assert.ok(width > DESKTOP.width * 0.8, `the text is ${width} wide`);
    await picture(page, 'print');
    await context.close();
  });

  test('can be searched, also without a script, and what is found leads there', async () => {
    assert.ok(browser);
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: PHONE });
    const page = await context.newPage();
    await page.goto(`${service.url}/docs/errors`);
    await page.getByRole('searchbox', { name: 'Search the documentation' }).fill('rotate an API key');
    await page.getByRole('button', { name: 'Search' }).click();
    assert.match((await page.getByRole('status').textContent()) ?? '', /for “rotate an API key”/);
    assert.equal(await page.getByRole('searchbox').inputValue(), 'rotate an API key');
    assert.ok((await page.locator('mark').count()) > 3);
    await page.getByRole('link', { name: 'Rotate an API key', exact: true }).click();
    await page.waitForURL('**/docs/operations/keys#rotate-an-api-key');
    await context.close();
    const { page: wide } = await open();
    for (const [query, says] of [
      ['delivery', /^The 20 best places for/],
      ['"><script>alert(1)</script> xylophone', /^No(?: place|thing) has/],
      ['', /^Words, names/],
    ] as const) {
      await wide.goto(`${service.url}/docs/search?q=${encodeURIComponent(query)}`);
      assert.match(((await wide.getByRole('status').textContent()) ?? '').trim(), says);
      await inBothSchemes(wide, async (scheme, rules) => {
        assert.deepEqual(await violationsOf(wide, rules), [], `${query} ${scheme}`);
        await picture(wide, `search-${query.length}-${scheme}`);
      });
    }
  });

  test('old addresses lead to where the reference is now', async () => {
    const { page } = await open();
    await page.goto(`${service.url}/docs#/Posts/listPosts`);
    await page.waitForURL('**/docs/api#/Posts/listPosts');
    for (const [old, now] of [
      ['/docs/json', '/docs/api/json'],
      ['/docs/yaml', '/docs/api/yaml'],
      ['/docs/static/index.html', '/docs/api/static/index.html'],
      ['/docs/settings.md', null],
    ] as const) {
      // A page follows a redirect; here it is looked at.
      const reply = await page.request.get(service.url + old, { maxRedirects: 0 });
      assert.equal(reply.status(), now === null ? 200 : 301, old);
      assert.equal(reply.headers()['location'], now ?? undefined, old);
    }
    const missing = await page.goto(`${service.url}/docs/nothing`);
    assert.equal(missing?.status(), 404);
    assert.match((await page.textContent('h1')) ?? '', /not found/);
    for (const hidden of [
      '/docs/-/package.json',
      '/docs/-/compose.yaml',
      '/docs/-/Dockerfile',
      '/docs/-/.data/demo.json',
      '/docs/..%2fpackage.json',
      '/docs/-/../package.json',
      '/docs/static/%E2%82%AC',
    ])
      assert.equal((await page.request.get(service.url + hidden)).status(), 404, hidden);
  });
});

describe('the reference of the API', options, () => {
  test('lists every operation, without an error in the console and within its policy', async () => {
    // The document is no operation of itself, so the client has no method for it.
    const { body: document } = await service.call<{ paths: Record<string, object> }>('GET', '/openapi.json');
    const wanted = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const { page, complaints } = await open();
    page.on('requestfailed', (request) => complaints.push(`${request.url()} failed: ${request.failure()?.errorText}`));
    page.on(
      'request',
      (request) =>
        request.url().startsWith(service.url) ||
        /^(data|blob):/.test(request.url()) ||
        complaints.push(`went elsewhere: ${request.url()}`),
    );
    const reply = await page.goto(`${service.url}/docs/api`);
    assert.match(reply?.headers()['content-security-policy'] ?? '', /default-src 'self'/);

    await page.locator('.opblock').first().waitFor();
    const shown = await page.locator('.opblock-summary').evaluateAll((rows) =>
      rows.map((row) => {
        const text = (part: string): string =>
          row.querySelector(part)?.textContent?.replaceAll('\u200B', '').trim() ?? '';
        return `${text('.opblock-summary-method')} ${text('.opblock-summary-path')}`;
      }),
    );
    const sorted = (all: string[]): string[] => all.toSorted((a, b) => a.localeCompare(b));
    const operations = shown.filter((row) => row.includes(' /v1/'));
    assert.deepEqual(sorted(operations), sorted(wanted));

    const first = page.locator('.opblock').first();
    await first.locator('.opblock-summary-control').click();
    await first.locator('.responses-table').waitFor();
    assert.deepEqual(complaints, []);
    await page.getByRole('link', { name: 'Posthorn documentation' }).click();
    await page.waitForURL(`${service.url}/docs`);
  });

  test('follows its reader from the light mode into the dark, and can be read in both', async () => {
    const { page } = await open({ colorScheme: 'light' });
    await page.goto(`${service.url}/docs/api`);
    await page.locator('.opblock').first().waitFor();
    await inBothSchemes(page, async (scheme, rules) => {
      await picture(page, `api-${scheme}`);
      const isDark = await page.evaluate<boolean>("document.documentElement.classList.contains('dark-mode')");
      assert.equal(isDark, scheme === 'dark');
      // Swagger UI puts the link to an operation into the button that opens it; its styles are ours to mend, its elements are not.
      const known = /^nested-interactive: <button aria-expanded="(?:true|false)" class="opblock-summary-control">/;
      assert.deepEqual(
        (await violationsOf(page, rules)).filter((line) => !known.test(line)),
        [],
      );
    });
  });

  test('begins in the dark for a reader who is there', async () => {
    const { page } = await open({ colorScheme: 'dark' });
    await page.goto(`${service.url}/docs/api`);
    await page.waitForFunction("document.documentElement.classList.contains('dark-mode')");
  });
});
