import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBrowser } from '../test/helpers/browser.ts';
import { testDb } from '../test/helpers/database.ts';
import { testService } from '../test/helpers/service.ts';
import { needsBrowser } from '../test/helpers/services.ts';

// The page is the same on every database.
const options = testDb === 'pglite' ? needsBrowser : { skip: 'seen on PGlite' };

test('/docs lists every operation, without an error in the console and within its policy', options, async () => {
  const service = await testService({ withoutLoops: true });
  const { body: document } = await service.call<{ paths: Record<string, object> }>('GET', '/openapi.json');
  const wanted = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );

  const browser = await openBrowser();
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('requestfailed', (request) => complaints.push(`${request.url()} failed: ${request.failure()?.errorText}`));
  page.on(
    'request',
    (request) =>
      request.url().startsWith(service.url) ||
      /^(data|blob):/.test(request.url()) ||
      complaints.push(`went elsewhere: ${request.url()}`),
  );
  const reply = await page.goto(`${service.url}/docs`);
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
});
