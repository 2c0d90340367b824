import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openBrowser } from '../test/helpers/browser.ts';
import { testDb } from '../test/helpers/database.ts';
import { testService } from '../test/helpers/service.ts';
import { needsBrowser } from '../test/helpers/services.ts';
import { signedInPage } from './helpers/watched-page.ts';

// The same on every database.
const options = testDb === 'pglite' ? needsBrowser : { skip: 'seen on PGlite' };

const NOBODY = '01900000-0000-7000-8000-000000000000';

describe('addresses of the dashboard that somebody mistyped', options, async () => {
  const service = await testService({ withoutLoops: true });
  const operator = await service.user({ operator: true, blogRole: 'EDITOR' });
  const shop = await service.account('MERCHANT');
  const member = await service.user();
  await (await service.operatorClient()).addMember({ id: shop, userId: member.id });
  const browser = await openBrowser();
  const { page, complaints } = await signedInPage(browser, service, operator);
  const open = (path: string) => page.goto(`${service.url}/dashboard${path}`);

  test('say that there is no such thing', async () => {
    const things = [
      ['/a/all/deliveries/not-a-uuid', 'delivery'],
      [`/a/all/deliveries/${NOBODY}`, 'delivery'],
      ['/a/all/events/not-a-uuid', 'event'],
      ['/a/all/endpoints/not-a-uuid', 'endpoint'],
      ['/a/all/subscriptions/not-a-uuid', 'subscription'],
      ['/a/all/trades/no-trade', 'trade'],
      ['/a/all/inbound/not-a-uuid', 'report'],
      ['/posts/not-a-uuid', 'post'],
      ['/posts/not-a-uuid/history', 'post'],
      ['/operators/users/not-a-uuid', 'user'],
      ['/operators/accounts/not-a-uuid', 'account'],
      ['/a/not-a-uuid/deliveries', 'account'],
      [`/a/${NOBODY}/overview`, 'account'],
    ] as const;
    for (const [path, noun] of things) {
      await open(path);
      const told = page.getByRole('alert');
      await told.getByText(`There is no such ${noun}`, { exact: true }).waitFor();
      const [id] = /(?<=^\/(?:a|operators)\/.*\/)(not-a-uuid|no-trade|[0-9a-f-]{36})$/.exec(path) ?? [];
      if (id !== undefined) await told.getByText(`No ${noun} that you may see has the id ${id}.`).waitFor();
      assert.doesNotMatch(await told.innerText(), /UUID|path\.|Correct|Try again/, path);
    }
    const other = await signedInPage(browser, service, member);
    await other.page.goto(`${service.url}/dashboard/a/not-a-uuid/deliveries`);
    await other.page.getByText('There is no such account', { exact: true }).first().waitFor();
    assert.deepEqual([complaints, other.complaints], [[], []]);
  });

  test('name filters by their labels, and their values in words', async () => {
    const meant = 'Cause is not known: did you mean HTTP_5XX?';
    const faults = [
      ['/a/all/deliveries?endpoint=x', 'Endpoint is no id'],
      ['/a/all/deliveries?since=2030-01-01T00:00:00Z&until=2020-01-01T00:00:00Z', 'From must not be after “Until”'],
      ['/a/all/events?cause=x', 'The event that caused it is no id'],
      ['/a/all/dead-letters?cause=x&endpoint=x', 'Endpoint is no id'],
      ['/a/all/dead-letters?cause=HTTP_5X', meant],
      ['/a/all/dead-letters?cause=DNS&cause=TLS', /^Cause must be one of \w+, /],
      ['/a/all/deliveries?status=DEAD&cause=HTTP_5X', meant],
      ['/comments?postId=x', 'Post is no id'],
      ['/operators/keys?account=x', 'There is no such account'],
    ] as const;
    for (const [path, fault] of faults) {
      await open(path);
      await page.getByRole('alert').getByText(fault, { exact: true }).waitFor();
      assert.doesNotMatch(await page.getByRole('alert').innerText(), /below/, 'nothing stands below it');
      assert.equal(
        await page.getByRole('button', { name: / all$/ }).count(),
        0,
        'nothing is done with more than was meant',
      );
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
