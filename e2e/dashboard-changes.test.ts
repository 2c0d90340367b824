import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openBrowser } from '../test/helpers/browser.ts';
import { testDb } from '../test/helpers/database.ts';
import { testService } from '../test/helpers/service.ts';
import { needsBrowser } from '../test/helpers/services.ts';
import { assertAccessible, PHONE, signedInPage } from './helpers/watched-page.ts';

// The same on every database.
const options = testDb === 'pglite' ? needsBrowser : { skip: 'seen on PGlite' };

/** The rows of the list, as they are read. */
const rowsOf = async (page: Page): Promise<string[]> => {
  await page.getByRole('table', { name: 'Changes' }).getByRole('row').nth(1).waitFor();
  return (await page.getByRole('row').allInnerTexts()).slice(1).map((text) => text.replaceAll(/\s+/g, ' ').trim());
};

describe('the record of changes', options, async () => {
  const service = await testService({ withoutLoops: true });
  const operator = await service.user({ operator: true });
  const member = await service.user();
  const client = service.client(operator.token);
  const { name: boss } = (await client.getMe()).user;
  const { id } = await client.createAccount({ body: { name: 'Lamp shop', type: 'MERCHANT' } });
  await client.addMember({ id, userId: member.id });
  const key = await client.createApiKey({ body: { accountId: id, name: 'shop', scopes: ['webhooks:manage'] } });
  const url = 'https://shop.example/hooks';
  const endpoint = await service.client(key.key).createEndpoint({ body: { url } });
  await client.updateEndpoint({ id: endpoint.id, body: { ratePerSecond: 5 } });
  const gone = await client.createEndpoint({ accountId: id, body: { url: 'https://gone.example/' } });
  await client.deleteEndpoint({ id: gone.id });
  const browser = await openBrowser();

  test('an operator reads who changed what, and narrows it', async () => {
    const { page, complaints } = await signedInPage(browser, service, operator);
    await page.goto(`${service.url}/dashboard/operators/accounts/${id}`);
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Lamp shop Berlin');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('heading', { name: 'Lamp shop Berlin', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Changes', exact: true }).click();
    const [renamed, ...others] = await rowsOf(page);
    assert.match(
      renamed ?? '',
      new RegExp(
        `^Renamed account “Lamp shop Berlin” Name: Lamp shop → Lamp shop Berlin ${boss} .*Lamp shop Berlin just now$`,
      ),
    );
    assert.match(others[0] ?? '', /^Deleted endpoint “https:\/\/gone\.example\/”/);
    assert.ok(
      others.some((row) => /^Changed endpoint .* Per second: no limit → 5 /.test(row)),
      others.join('\n'),
    );
    assert.ok(
      others.some(
        (row) => row.startsWith('Created endpoint “https://shop.example/hooks”') && /Key Key|Key shop/.test(row),
      ),
      others.join('\n'),
    );
    assert.equal(await page.getByRole('link', { name: 'https://gone.example/' }).count(), 0, 'what is gone is no link');
    await page.getByRole('link', { name: url }).first().waitFor();
    await assertAccessible(page, 'the changes of an account');

    await page.getByRole('combobox', { name: 'What' }).click();
    await page.getByRole('option', { name: 'API keys' }).click();
    await page.getByText('Created API key').waitFor();
    await page.getByText('Renamed account').waitFor({ state: 'detached' });
    await page.getByLabel('Any what').click();
    await page.getByText('Renamed account').waitFor();
    await page.getByRole('button', { name: 'shop', exact: true }).click();
    await page.getByText('Only by shop').waitFor();
    await page.getByText('Renamed account').waitFor({ state: 'detached' });
    assert.equal((await rowsOf(page)).length, 1);
    await page.goto(`${service.url}/dashboard/operators/changes?until=2020-01-01`);
    await page.getByText('No change fits').waitFor();
    assert.deepEqual(complaints, []);
  });

  test('a member reads what concerns the account, on a phone, and nobody’s e-mail address', async () => {
    const { page, complaints } = await signedInPage(browser, service, member, { viewport: PHONE, isMobile: true });
    await page.goto(`${service.url}/dashboard/a/${id}/changes`);
    const rows = await rowsOf(page);
    assert.match(rows.at(-1) ?? '', /^Created account “Lamp shop”/);
    assert.ok(rows.some((row) => row.startsWith('Added member')));
    assert.ok(!rows.join().includes('@'));
    const { scrollWidth } = await page.evaluate(() => ({ scrollWidth: document.documentElement.scrollWidth }));
    assert.ok(scrollWidth <= PHONE.width, `${scrollWidth}`);
    await assertAccessible(page, 'the changes on a phone');
    assert.deepEqual(complaints, []);
  });
});
