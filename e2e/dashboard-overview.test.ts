import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { openBrowser } from '../test/helpers/browser.ts';
import { testDb } from '../test/helpers/database.ts';
import { until } from '../test/helpers/engine.ts';
import { startReceiver } from '../test/helpers/receiver.ts';
import { needsBrowser } from '../test/helpers/services.ts';
import { Marketplace } from './helpers/marketplace.ts';
import { assertAccessible, PHONE, signedInPage } from './helpers/watched-page.ts';

// The same on every database.
const options = testDb === 'pglite' ? needsBrowser : { skip: 'seen on PGlite' };

describe('how the webhooks of an account fare', options, async () => {
  const marketplace = await Marketplace.open();
  const { node, service } = marketplace;
  const browser = await openBrowser();

  test('an account without endpoints is told to create one, one with an endpoint to send a test', async () => {
    const shop = await marketplace.account('Book shop', 'MERCHANT');
    const { page, complaints } = await signedInPage(browser, service, await marketplace.member(shop));
    await page.goto(`${service.url}/dashboard/a/${shop}/overview`);
    await page.getByText('No endpoint yet').waitFor();
    await page.getByRole('link', { name: 'Create the first endpoint' }).click();
    await page.getByRole('heading', { name: 'Endpoints', level: 1 }).waitFor();
    await service.key(['webhooks:manage'], shop);
    const acting = await service.operatorClient();
    await acting.createEndpoint({ accountId: shop, body: { url: 'https://books.example/hook' } });
    await page.goto(`${service.url}/dashboard/a/${shop}/overview`);
    await page.getByText('No deliveries in this time').waitFor();
    await page.getByRole('link', { name: 'To the endpoints' }).waitFor();
    assert.equal(await page.getByText('Dead letters', { exact: true }).count(), 1, 'in the navigation only');
    assert.deepEqual(complaints, []);
  });

  test('dead letters of before are told in a time in which nothing was sent, and so is that they cannot be counted', async () => {
    const shop = await marketplace.account('Silk shop', 'MERCHANT');
    await service.key(['webhooks:manage'], shop);
    const receiver = await startReceiver(() => 500);
    const acting = await service.operatorClient();
    const { id } = await acting.createEndpoint({ accountId: shop, body: { url: receiver.url('/silk') } });
    await marketplace.publish('checkout.started', shop);
    await until('it waits for its retry', async () => (await acting.getEndpointHealth({ id })).pending === 1);
    await sql`update webhook_deliveries set status = 'DEAD', attempts = 5, next_attempt_at = null
      where endpoint_id = ${id}`.execute(node.db);
    const { page, complaints } = await signedInPage(browser, service, await marketplace.member(shop));
    // A time that begins after it was made, by the clock of the service.
    marketplace.clock.advance(10 * 60_000);
    await page.route('**/v1/insights/deliveries?*', (route) => {
      const url = new URL(route.request().url());
      url.searchParams.set('since', new Date(marketplace.clock.now() - 60_000).toISOString());
      return route.continue({ url: url.href });
    });
    await page.goto(`${service.url}/dashboard/a/${shop}/overview?span=hour`);
    await page.getByText('No deliveries in this time').waitFor();
    await page.getByText('now; 0 made in this time').waitFor();
    await page.route('**/v1/webhooks/dead-letters?*', (route) => route.fulfill({ status: 400, body: 'no' }));
    await page.reload();
    await page.getByText('they cannot be counted just now').waitFor();
    await page.unroute('**/v1/webhooks/dead-letters?*');
    await page.reload();
    await page.getByRole('main').getByRole('link', { name: '1', exact: true }).click();
    await page.getByRole('heading', { name: 'Dead letters', level: 1 }).waitFor();
    assert.deepEqual(complaints, []);
  });

  test('what is held says that it waits until the endpoint is open again, also while that is tried', async () => {
    const shop = await marketplace.account('Bell shop', 'MERCHANT');
    const { page, complaints } = await signedInPage(browser, service, await marketplace.member(shop));
    await service.key(['webhooks:manage'], shop);
    const receiver = await startReceiver(() => 410);
    const acting = await service.operatorClient();
    const { id } = await acting.createEndpoint({ accountId: shop, body: { url: receiver.url('/bells') } });
    await marketplace.publish('checkout.started', shop);
    await until('it is disabled', async () => (await acting.getEndpoint({ id })).status === 'DISABLED');
    await marketplace.publish('checkout.failed', shop);
    await until('the second is held', async () => (await acting.getEndpointHealth({ id })).held === 2);
    const reason = 'nothing but failures since 2026-01-05T06:07:08.000Z';
    await sql`update webhook_endpoints set status_reason = ${reason} where id = ${id}`.execute(node.db);

    await page.goto(`${service.url}/dashboard/a/${shop}/endpoints/${id}`);
    await page.getByText('Nothing but failures since 5 Jan 2026, 07:07 CET.').waitFor();
    const row = (name: RegExp) => page.getByRole('row', { name });
    await row(/checkout\.started.*held.*when it is open again/).waitFor();
    receiver.script = () => 'never';
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('It is tried with one delivery first.').waitFor();
    await until('one is under way', () => receiver.waiting === 1);
    await page.reload();
    await row(/checkout\.started.*pending/).waitFor();
    await row(/checkout\.failed.*held.*when it is open again/).waitFor();
    await page.getByRole('link', { name: 'checkout.failed' }).click();
    await page.getByText('Held', { exact: true }).waitFor();
    await page.getByText('It opens when the delivery that it is tried with arrives').waitFor();
    receiver.script = () => 200;
    receiver.release();
    await page.getByText('Delivered', { exact: true }).waitFor();
    assert.deepEqual(complaints, []);
  });

  test('a delivery tells all that keeps it now, with the ways to end it, and of its replays how each ended', async () => {
    const shop = await marketplace.account('Vase shop', 'MERCHANT');
    const key = await service.key(['webhooks:manage'], shop);
    const receiver = await startReceiver();
    const acting = await service.operatorClient();
    const { id } = await acting.createEndpoint({ accountId: shop, body: { url: receiver.url('/vases') } });
    await acting.pauseEndpoint({ id });
    await marketplace.publish('checkout.started', shop);
    await until('it is held', async () => (await acting.getEndpointHealth({ id })).held === 1);
    const { page, complaints } = await signedInPage(browser, service, await marketplace.member(shop), {
      viewport: PHONE,
    });
    await page.goto(`${service.url}/dashboard/a/${shop}/deliveries`);
    await page.getByRole('link', { name: 'checkout.started' }).click();
    await page.getByText('The endpoint is paused: resume it.').waitFor();
    assert.equal(await page.getByText('Replayed as').count(), 0);

    await acting.revokeApiKey({ id: key.id });
    const kept = page.getByRole('listitem');
    await kept.getByText('The account has no API key that can be used to sign: create one.').waitFor();
    assert.match(await kept.first().innerText(), /^The endpoint is paused: resume it\.$/);
    const goal = (name: string) => page.getByRole('link', { name }).getAttribute('href');
    assert.deepEqual(
      [await goal('resume it'), await goal('create one')],
      [`/dashboard/a/${shop}/endpoints/${id}`, `/dashboard/a/${shop}/keys`],
    );
    await assertAccessible(page, 'a held delivery');

    await service.key(['webhooks:manage'], shop);
    await kept.first().waitFor({ state: 'detached' });
    await page.getByText('The endpoint is paused: resume it.').waitFor();
    const original = page.url();
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByText('Delivered', { exact: true }).waitFor();
    const replay = page.url();
    await page.getByRole('link', { name: 'an earlier delivery' }).click();
    await page.waitForURL(original);
    await page
      .getByRole('definition')
      .filter({ hasText: /a later delivery\s*delivered/i })
      .waitFor();
    await assertAccessible(page, 'a delivery with a replay');
    await page.getByRole('link', { name: 'a later delivery' }).click();
    await page.waitForURL(replay);
    assert.deepEqual(complaints, []);
  });

  test('a delivery that failed is sent at once, in place of its next attempt', async () => {
    const shop = await marketplace.account('Bowl shop', 'MERCHANT');
    await service.key(['webhooks:manage'], shop);
    const receiver = await startReceiver();
    receiver.script = () => 500;
    const acting = await service.operatorClient();
    await acting.createEndpoint({ accountId: shop, body: { url: receiver.url('/bowls') } });
    await marketplace.publish('checkout.started', shop);
    const { page, complaints } = await signedInPage(browser, service, await marketplace.member(shop));
    await until('it has failed', async () => {
      for await (const { attempts } of acting.listDeliveries({ accountId: shop })) return attempts === 1;
      return false;
    });
    receiver.script = () => 200;
    await page.goto(`${service.url}/dashboard/a/${shop}/deliveries`);
    await page.getByRole('link', { name: 'checkout.started' }).click();
    await page.getByRole('button', { name: 'Send now' }).click();
    await page.getByText('Delivered', { exact: true }).waitFor();
    await assertAccessible(page, 'what was sent at once');
    await page.getByRole('link', { name: 'an earlier delivery' }).click();
    await page.getByText('Discarded', { exact: true }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Send now' }).count(), 0);
    assert.deepEqual([receiver.received.length, complaints], [2, []]);
  });

  test('the state of an endpoint that is not among the first hundred is renewed in lists, too', async () => {
    const shop = await marketplace.account('Cord shop', 'MERCHANT');
    await service.key(['webhooks:manage'], shop);
    const receiver = await startReceiver(() => 500);
    const acting = await service.operatorClient();
    const { id } = await acting.createEndpoint({ accountId: shop, body: { url: receiver.url('/cords') } });
    await marketplace.publish('checkout.started', shop);
    await until('it waits for its retry', async () => (await acting.getEndpointHealth({ id })).pending === 1);
    // Later ones, of which nothing else is needed than that they are in the list.
    await sql`insert into webhook_endpoints
      select (jsonb_populate_record(e, jsonb_build_object('id', '0fffffff-0000-7000-8000-' || lpad(n::text, 12, '0')))).*
      from webhook_endpoints e, generate_series(1, 101) n where e.id = ${id}`.execute(node.db);
    const { page, complaints } = await signedInPage(browser, service, await service.user({ operator: true }));
    await page.clock.install();
    await page.goto(`${service.url}/dashboard/a/all/deliveries?endpoint=${id}`);
    await page.getByRole('row', { name: /checkout\.started.*pending.*in \d+ minutes/ }).waitFor();
    await acting.pauseEndpoint({ id });
    await page.clock.fastForward('00:20');
    await page.getByRole('row', { name: /checkout\.started.*pending.*when it is resumed/ }).waitFor();
    assert.deepEqual(complaints, []);
  });
});
