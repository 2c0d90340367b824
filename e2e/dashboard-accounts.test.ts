import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { verify } from '../client/src/webhooks/verify.ts';
import { openBrowser } from '../test/helpers/browser.ts';
import { testDb } from '../test/helpers/database.ts';
import { until } from '../test/helpers/engine.ts';
import { startReceiver } from '../test/helpers/receiver.ts';
import { WAITS } from '../test/helpers/schedule.ts';
import { needsBrowser } from '../test/helpers/services.ts';
import { Trading } from '../test/helpers/trading.ts';
import { Marketplace } from './helpers/marketplace.ts';
import { signedInPage } from './helpers/watched-page.ts';

// The same on every database.
const options = testDb === 'pglite' ? needsBrowser : { skip: 'seen on PGlite' };

/** To an entry of the navigation. */
async function go(page: Page, entry: string, heading = entry): Promise<void> {
  const navigation = page.getByRole('navigation', { name: 'Main navigation' });
  await navigation.getByRole('link', { name: entry, exact: true }).click();
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
}

const visible = (page: Page, text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();

/** Does something while the requests to an address wait at the door of the service. */
async function whileItWaits(page: Page, address: string, act: () => Promise<void>): Promise<void> {
  const { promise: open, resolve } = Promise.withResolvers<void>();
  await page.route(address, async (route) => {
    await open;
    await route.continue();
  });
  await act();
  resolve();
}

/** A dialog whose outcome is shown once stays, whatever is pressed meanwhile. */
async function cannotBeLeft(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog');
  await page.keyboard.press('Escape');
  await page.mouse.click(2, 2);
  assert.ok(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled());
  assert.equal(await dialog.getByRole('button', { name: 'Close' }).count(), 0);
}

/** Makes an API key, and gives its signing secret as the page shows it. */
async function newKey(page: Page): Promise<string> {
  await go(page, 'API keys');
  await page.getByRole('button', { name: 'New key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('shop backend');
  await whileItWaits(page, '**/api-keys', async () => {
    await dialog.getByRole('button', { name: 'Create' }).click();
    await cannotBeLeft(page);
  });
  const secret = await dialog.getByLabel('Signing secret', { exact: true }).innerText();
  assert.match(await dialog.getByLabel('API key', { exact: true }).innerText(), /^ph_test_/);
  await dialog.getByRole('button', { name: 'I have stored both' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.ok(!(await page.content()).includes(secret), 'it is shown once');
  return secret;
}

describe('merchants and businesses', options, async () => {
  const marketplace = await Marketplace.open();
  const { service, clock } = marketplace;
  const browser = await openBrowser();

  test('a merchant makes an endpoint, sees it break and the retries, and replays the dead letter', async () => {
    const shop = await marketplace.account('Lamp shop', 'MERCHANT');
    const member = await marketplace.member(shop);
    const receiver = await startReceiver();
    const { page, complaints } = await signedInPage(browser, service, member);
    await page.goto(`${service.url}/dashboard/`);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const secret = await newKey(page);

    await go(page, 'Endpoints');
    await visible(page, 'No endpoint yet');
    await page.getByRole('button', { name: 'New endpoint' }).first().click();
    await page.getByLabel('Address').fill(receiver.url());
    await page.getByLabel('Only these').check();
    await page.getByRole('checkbox', { name: 'listing', exact: true }).uncheck();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: receiver.url() }).waitFor();

    await marketplace.publish('checkout.started', shop);
    await until('the delivery has arrived', () => receiver.received.length === 1);
    const [first] = receiver.received;
    const event = await verify(first?.body ?? '', first?.headers['x-service-signature'], secret);
    assert.equal(event.event, 'checkout.started');
    await go(page, 'Deliveries');
    await page.getByRole('link', { name: 'checkout.started' }).click();
    await page.getByRole('button', { name: 'Check the signature' }).click();
    await page.getByLabel('Signing secret').fill(`${secret.slice(0, -1)}A`);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await visible(page, 'This secret did not sign the request');
    await page.getByLabel('Signing secret').fill(secret);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await visible(page, 'This secret signed the request');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();

    receiver.script = () => ({ status: 500, body: 'out of order' });
    await marketplace.publish('checkout.failed', shop);
    await go(page, 'Deliveries');
    await page.getByRole('link', { name: 'checkout.failed' }).click();
    await visible(page, '1 of 5');
    // What is still being tried is no dead letter, and has not arrived.
    clock.advance(1);
    await go(page, 'Overview');
    await visible(page, '50%');
    await go(page, 'Deliveries');
    await page.getByRole('link', { name: 'checkout.failed' }).click();
    for (const [i, wait] of WAITS.entries()) {
      clock.advance(wait + 1000);
      await visible(page, `${i + 2} of 5`);
    }
    await visible(page, /^Given up/);
    await visible(page, 'out of order');
    assert.equal(receiver.received.length, 6);

    await go(page, 'Overview');
    await visible(page, 'now; 1 made in this time');
    await page.getByRole('main').getByRole('link', { name: '1', exact: true }).click();
    await visible(page, 'HTTP_5XX');
    await page.getByRole('link', { name: '1 with HTTP_5XX: look at them' }).click();
    await page.getByRole('row', { name: /checkout\.failed.*dead/ }).waitFor();
    await go(page, 'Dead letters');
    receiver.script = () => 200;
    await page.getByRole('region', { name: 'Dead letters' }).getByRole('button', { name: 'Replay' }).click();
    await page.getByRole('dialog').getByText('1 delivery').waitFor();
    await page.getByLabel('Replays per second').fill('0');
    await visible(page, 'A number from 1 to 1,000.');
    assert.ok(await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).isDisabled());
    await page.getByLabel('Replays per second').fill('50');
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
    await visible(page, '1 of 1 replayed');
    await until('the replay has arrived', () => receiver.received.length === 7);
    assert.ok(receiver.received[6]?.headers['x-service-replay'] !== undefined);
    await page.getByText('1 replayed', { exact: true }).waitFor();
    await page.route('**/v1/webhooks/replays?*', (route) => route.abort());
    await go(page, 'Overview');
    await go(page, 'Dead letters');
    await page.getByRole('main').getByRole('alert').waitFor();
    await visible(page, '1 of 1 replayed');
    await page.unroute('**/v1/webhooks/replays?*');
    await page.getByRole('link', { name: '1 with HTTP_5XX: look at them' }).click();
    await page.getByRole('row', { name: /checkout\.failed.*dead.*replayed: delivered/ }).waitFor();
    await page.goto(`${service.url}/dashboard/a/${shop}/deliveries?status=DELIVERED&event=checkout.failed`);
    await page
      .getByRole('row', { name: /checkout\.failed.*replay.*delivered/ })
      .getByRole('link')
      .first()
      .click();
    await visible(page, 'Made as a replay of the event');

    const acting = await service.operatorClient();
    for await (const { id } of acting.listEndpoints({ accountId: shop })) await acting.deleteEndpoint({ id });
    await go(page, 'Dead letters');
    await visible(page, /^deleted: http:\S+$/);
    await visible(page, /^deleted: http:\S+ · HTTP_5XX/);
    const letters = page.getByRole('region', { name: 'Dead letters' });
    await letters.getByRole('button', { name: 'Discard' }).waitFor();
    assert.equal(await letters.getByRole('button', { name: 'Replay' }).count(), 0);
    await go(page, 'Deliveries');
    await page
      .getByRole('row', { name: /deleted: http:/ })
      .getByRole('link')
      .first()
      .click();
    await page.waitForURL(/\/deliveries\/[0-9a-f-]{36}$/);
    // It was looked at a moment ago, before the endpoint was deleted.
    await page.reload();
    await visible(page, /^deleted since: http:\S+$/);
    assert.deepEqual(complaints, []);
  });

  test('a business subscribes from the dashboard and receives a booking', async () => {
    const rooms = await marketplace.account('Harbour rooms', 'BUSINESS');
    const member = await marketplace.member(rooms);
    const receiver = await startReceiver();
    const { page, complaints } = await signedInPage(browser, service, member);
    await page.goto(`${service.url}/dashboard/`);
    const secret = await newKey(page);
    await go(page, 'Subscriptions', 'Booking subscriptions');
    await page.getByRole('button', { name: 'Subscribe' }).first().click();
    const address = `${receiver.url()}?${'token-'.repeat(60)}`;
    await page.getByLabel('Address').fill(address);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const heading = page.getByRole('heading', { name: receiver.url() });
    await heading.waitFor();
    assert.ok(((await heading.boundingBox())?.height ?? 1000) < 100, 'a long address leaves room for what is below');
    await page.getByRole('button', { name: 'Copy the address' }).waitFor();

    await marketplace.publish('space_booking.created', rooms);
    await until('the booking has arrived', () => receiver.received.length === 1);
    const [got] = receiver.received;
    const event = await verify(got?.body ?? '', got?.headers['x-service-signature'], secret, { now: clock.now() });
    assert.equal(event.event, 'space_booking.created');
    await page.getByRole('row', { name: /space_booking\.created.*delivered/ }).waitFor();

    receiver.script = () => 500;
    await marketplace.publish('space_booking.completed', rooms);
    await page.getByRole('row', { name: /space_booking\.completed.*pending/ }).waitFor();
    receiver.script = () => 200;
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    // The focus is where it was, a moment after the question is gone.
    await page.locator('button:focus', { hasText: 'Resume' }).waitFor();
    await marketplace.publish('space_booking.paid', rooms);
    await page.getByRole('row', { name: /space_booking\.paid.*held.*when it is resumed/ }).waitFor();
    await page.getByRole('row', { name: /space_booking\.completed.*pending.*when it is resumed/ }).waitFor();
    await go(page, 'Deliveries');
    await page.getByRole('row', { name: /space_booking\.completed.*pending.*when it is resumed/ }).waitFor();
    await page.getByRole('link', { name: 'space_booking.completed' }).click();
    await visible(page, 'When the endpoint is resumed: it is paused');
    await page.getByRole('link', { name: receiver.url() }).click();
    await page.getByRole('button', { name: 'Resume' }).press('Enter');
    await page.getByRole('row', { name: /space_booking\.paid.*delivered/ }).waitFor();
    await page.locator('button:focus', { hasText: 'Pause' }).waitFor();

    const refused: string[] = [];
    page.on('response', (reply) => void (reply.status() === 404 && refused.push(reply.url())));
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Booking subscriptions', level: 1 }).waitFor();
    await visible(page, 'No subscription yet');
    assert.deepEqual(refused, [], 'what was deleted is not read again');
    assert.deepEqual(complaints, []);
  });

  test('a link to a trade leads a member of several accounts into the one that trades', async () => {
    const trading = await Trading.open(marketplace.node);
    const other = await marketplace.account('Rope shop', 'MERCHANT');
    const member = await marketplace.member(other, trading.right.id);
    const trade = await trading.open();
    const { page, complaints } = await signedInPage(browser, service, member);
    await page.goto(`${service.url}/dashboard/a/${other}/trades`);
    await page.goto(`${service.url}/dashboard/a/${other}/trades/${trade}`);
    await page.waitForURL(`${service.url}/dashboard/a/${trading.right.id}/trades/${trade}`);
    await page.getByRole('heading', { name: trade }).waitFor();
    await page.goBack();
    await page.waitForURL(`${service.url}/dashboard/a/${other}/trades`);
    assert.deepEqual(complaints, []);
  });

  /** A merchant's event of before its only endpoint, which has not subscribed to it, and a member of that merchant. */
  async function cameLater(name: string, path: string) {
    const shop = await marketplace.account(name, 'MERCHANT');
    const member = await marketplace.member(shop);
    await service.key(['webhooks:manage'], shop);
    const eventId = await marketplace.publish('offer.created', shop);
    const client = service.client(member.token);
    await until('the event is fanned out', async () => (await client.explainRouting({ id: eventId })).fannedOut);
    const receiver = await startReceiver();
    const { id } = await client.createEndpoint({ body: { url: receiver.url(path), events: ['trade.created'] } });
    return { shop, member, eventId, client, receiver, id };
  }

  test('a merchant sends an event afterwards to an endpoint that came later', async () => {
    const { shop, member, eventId, receiver } = await cameLater('Rug shop', '/late');
    const { page, complaints } = await signedInPage(browser, service, member);
    await page.goto(`${service.url}/dashboard/a/${shop}/events/${eventId}`);
    await page.getByRole('link', { name: receiver.url('/late') }).waitFor();
    await page.getByRole('button', { name: 'Send afterwards' }).click();
    assert.doesNotMatch(await page.getByRole('dialog').innerText(), /held/);
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click();
    await visible(page, 'It is to be sent.');
    await until('it has arrived', () => receiver.received.length === 1);
    assert.equal(receiver.received[0]?.headers['x-service-event-id'], eventId);
    await page
      .getByRole('region', { name: 'Routing of the event' })
      .getByRole('link', { name: 'the delivery' })
      .click();
    await page.getByRole('heading', { name: 'offer.created' }).waitFor();
    await marketplace.publish('trade.created', shop);
    await until('the next has arrived', () => receiver.received.length === 2);
    await page.goto(`${service.url}/dashboard/a/${shop}/events/${eventId}`);
    await page.getByRole('link', { name: 'Its deliveries' }).click();
    const rows = page.getByRole('region', { name: 'Deliveries' }).locator('tbody tr');
    await visible(page, 'Only those of one event');
    await rows.getByRole('link', { name: 'offer.created' }).waitFor();
    assert.equal(await rows.count(), 1);
    await page.getByRole('button', { name: 'Those of all events' }).click();
    await rows.getByRole('link', { name: 'trade.created' }).waitFor();
    await page.goto(`${service.url}/dashboard/a/${shop}/catalogue?event=offer.countered`);
    await page.getByRole('code').getByText('counterOf').first().waitFor();
    assert.doesNotMatch(await page.getByRole('main').innerText(), /`/);
    assert.deepEqual(complaints, []);
  });

  test('what is sent afterwards to an endpoint that is paused is told to be held, until that is resumed', async () => {
    const { shop, member, eventId, client, receiver, id } = await cameLater('Lamp shop', '/paused');
    await client.pauseEndpoint({ id });
    const { page, complaints } = await signedInPage(browser, service, member);
    await page.goto(`${service.url}/dashboard/a/${shop}/events/${eventId}`);
    await page.getByRole('link', { name: receiver.url('/paused') }).waitFor();
    await page.getByRole('button', { name: 'Send afterwards' }).click();
    await page.getByRole('dialog').getByText('and held while the endpoint is paused.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click();
    await visible(page, 'It is held while the endpoint is paused.');
    const held = await Array.fromAsync(client.listDeliveries({ endpointId: id }));
    assert.deepEqual(
      held.map(({ status }) => status),
      ['HELD'],
    );
    assert.equal(receiver.received.length, 0);
    await client.resumeEndpoint({ id });
    await until('it has arrived', () => receiver.received.length === 1);
    assert.deepEqual(complaints, []);
  });

  test('what is recorded is renewed by itself, and a list that shows older ones says that it is not', async () => {
    const shop = await marketplace.account('Clock shop', 'MERCHANT');
    const { page, complaints } = await signedInPage(browser, service, await marketplace.member(shop));
    const publish = (): Promise<string> => marketplace.publish('checkout.started', shop);
    for (let n = 0; n < 51; n++) await publish();
    await page.goto(`${service.url}/dashboard/a/${shop}/events`);
    const live = page.getByRole('switch', { name: /^Live/ });
    const rows = page.getByRole('region', { name: 'Events' }).locator('tbody tr');
    await rows.nth(49).waitFor();
    const newest = await rows.first().getByRole('link').first().getAttribute('href');
    await publish();
    const renewed = rows.first().locator(`a:not([href="${newest}"])`).first();
    await renewed.waitFor();
    assert.ok(await live.isChecked());
    await page.route(/\/v1\/events\?.*cursor=/, (route) => route.abort());
    await page.getByRole('button', { name: 'Show more' }).click();
    const failure = page.getByRole('main').getByRole('alert');
    await failure.waitFor();
    // Before there is another one: the list renews itself at any time from then on.
    const second = await renewed.getAttribute('href');
    await publish();
    await rows.first().locator(`a:not([href="${second}"])`).first().waitFor();
    await failure.waitFor();
    await page.unroute(/\/v1\/events\?.*cursor=/);
    await page.getByRole('button', { name: 'Show more' }).click();
    await rows.nth(52).waitFor();
    assert.ok(await failure.isHidden());
    const all = page.getByRole('button', { name: 'That is all' });
    await all.waitFor();
    assert.ok(await all.evaluate((button) => button === document.activeElement), 'whoever pressed it stays there');
    assert.ok(!(await live.isChecked()), 'nothing is renewed now');
    await live.press('Space');
    await rows.nth(50).waitFor({ state: 'detached' });
    assert.ok(await live.isChecked());
    assert.deepEqual(complaints, []);
  });

  test('a member rotates a key and revokes it; a member of two accounts looks at one at a time', async () => {
    const [shop, rooms] = [
      await marketplace.account('Chair shop', 'MERCHANT'),
      await marketplace.account('Quiet rooms', 'BUSINESS'),
    ];
    const { page, complaints } = await signedInPage(browser, service, await marketplace.member(shop, rooms));
    await service.key(['webhooks:manage', 'inbound:write', 'blog:read'], shop);
    await page.goto(`${service.url}/dashboard/a/${shop}/keys`);
    const secret = await newKey(page);
    await page.getByRole('button', { name: 'Rotate shop backend' }).click();
    await whileItWaits(page, '**/rotate', async () => {
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
      await cannotBeLeft(page);
    });
    const next = await page.getByRole('dialog').getByLabel('Signing secret', { exact: true }).innerText();
    assert.notEqual(next, secret);
    await visible(page, /^The old key works, and its secret signs beside the new one, until /);
    await page.getByRole('button', { name: 'I have stored both' }).click();
    await visible(page, /^was rotated; ends/);
    const tooWide = await page
      .getByRole('region', { name: 'API keys' })
      .evaluate((table) => table.scrollWidth - table.clientWidth);
    assert.ok(tooWide <= 0, `${tooWide} px of the buttons are cut off`);
    await page.getByRole('button', { name: 'Revoke shop backend' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await visible(page, /^revoked/);

    await page.getByRole('button', { name: 'Chair shop' }).click();
    await page.getByRole('menuitem', { name: /Quiet rooms/ }).click();
    await visible(page, 'No keys');
    assert.equal(page.url(), `${service.url}/dashboard/a/${rooms}/keys`);
    assert.deepEqual(complaints, []);
  });
});
