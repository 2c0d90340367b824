import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openBrowser } from '../test/helpers/browser.ts';
import { testDb } from '../test/helpers/database.ts';
import { testService } from '../test/helpers/service.ts';
import { needsBrowser } from '../test/helpers/services.ts';
import { signedInPage } from './helpers/watched-page.ts';

// The same on every database.
const options = testDb === 'pglite' ? needsBrowser : { skip: 'seen on PGlite' };

describe('addresses of the dashboard that somebody mistyped', options, async () => {
  const service = await testService({ withoutLoops: true });
  const operator = await service.user({ operator: true, blogRole: 'EDITOR' });
  const browser = await openBrowser();
  const { page } = await signedInPage(browser, service, operator);
  const open = (path: string) => page.goto(`${service.url}/dashboard${path}`);

  test('name filters by their labels, and their values in words', async () => {
    const faults = [
      ['/a/all/deliveries?endpoint=x', 'Endpoint is no id'],
      ['/a/all/deliveries?since=2030-01-01T00:00:00Z&until=2020-01-01T00:00:00Z', 'From must not be after “Until”'],
      ['/a/all/events?cause=x', 'The event that caused it is no id'],
      ['/a/all/dead-letters?cause=x', 'Cause must be of A-Z, 0-9 and _'],
      ['/comments?postId=x', 'Post is no id'],
    ] as const;
    for (const [path, fault] of faults) {
      await open(path);
      await page.getByRole('alert').getByText(fault, { exact: true }).waitFor();
    }
    await open('/a/all/deliveries?status=DISCARDED');
    assert.equal(await page.getByRole('combobox', { name: 'Status' }).inputValue(), 'Discarded');
    await page.getByRole('combobox', { name: 'Cause' }).click();
    await page.getByRole('option', { name: 'Refused (HTTP_4XX)' }).click();
    await page.getByText('No delivery fits').waitFor();
    assert.equal(new URL(page.url()).searchParams.get('cause'), 'HTTP_4XX');
    await open('/operators/accounts?type=MERCHANT');
    assert.equal(await page.getByRole('combobox', { name: 'Type' }).inputValue(), 'Merchant');
  });
});
