import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { EVENTS } from '../src/contracts/events/index.ts';
import { openBrowser } from '../test/helpers/browser.ts';
import { testDb } from '../test/helpers/database.ts';
import { until } from '../test/helpers/engine.ts';
import { type SignedIn, testService } from '../test/helpers/service.ts';
import { startReceiver } from '../test/helpers/receiver.ts';
import { needsBrowser } from '../test/helpers/services.ts';
import { Marketplace } from './helpers/marketplace.ts';
import { PHONE, signedInPage } from './helpers/watched-page.ts';

// The same on every database.
const options = testDb === 'pglite' ? needsBrowser : { skip: 'seen on PGlite' };

const bell = (page: Page) => page.getByRole('banner').getByRole('link', { name: /^Notifications/ });
/** Waits until the bell says so many; of none it says nothing. */
const rings = (page: Page, unread: number): Promise<void> =>
  page
    .getByRole('banner')
    .getByRole('link', { name: unread === 0 ? 'Notifications' : `Notifications: ${unread} unread`, exact: true })
    .waitFor();
const buttons = (page: Page) => page.getByRole('main').getByRole('button', { name: /^Mark as read/ });

describe('the notifications of a user', options, async () => {
  const service = await testService();
  const platform = await service.account('PLATFORM');
  const publisher = service.client((await service.key(['events:publish'], platform)).key);
  const browser = await openBrowser();

  /** Tells somebody of offers, and waits until they are told. */
  async function offers(to: SignedIn, ...ids: string[]): Promise<void> {
    const { example } = EVENTS['offer.created'];
    const before = (await service.client(to.token).listNotifications()).unread;
    const events = ids.map((offerId) => ({
      event: 'offer.created' as const,
      data: { ...example, offerId, counterparty: { ...example.counterparty, userId: to.id } },
      accountIds: [],
    }));
    await publisher.publishEvents({ body: { events } });
    await until('they are told', async () => {
      const { unread } = await service.client(to.token).listNotifications();
      return unread === before + ids.length;
    });
  }

  test('the bell says how many are unread; by keys each is marked as read, and the focus goes on', async () => {
    const user = await service.user();
    await offers(user, 'off_1', 'off_2', 'off_3');
    const { page, complaints } = await signedInPage(browser, service, user);
    await page.goto(`${service.url}/dashboard`);
    await rings(page, 3);
    await bell(page).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Notifications', level: 1 }).waitFor();
    await page.getByText('offer off_1').waitFor();
    await buttons(page).first().focus();
    for (const left of [2, 1]) {
      await page.keyboard.press('Enter');
      await rings(page, left);
      await page.waitForFunction(() => document.activeElement?.textContent === 'Mark as read');
      assert.equal(await buttons(page).count(), left);
    }
    assert.deepEqual(
      (await service.client(user.token).listNotifications()).data.map(({ readAt }) => readAt !== null),
      [true, true, false],
    );
    await page.keyboard.press('Enter');
    await rings(page, 0);
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Notifications');
    assert.deepEqual(complaints, []);
  });

  test('those unread can be looked at alone, all are marked at once, and what comes meanwhile shows by itself', async () => {
    const user = await service.user();
    await offers(user, 'off_a', 'off_b');
    const { page, complaints } = await signedInPage(browser, service, user, { viewport: PHONE });
    await page.goto(`${service.url}/dashboard/notifications`);
    await buttons(page).nth(1).click();
    await rings(page, 1);
    await page.getByText('Unread', { exact: true }).click();
    await page.waitForURL(/unread=true/);
    await page.getByText('offer off_a').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Mark all as read' }).click();
    await page.getByText('You have read everything').waitFor();
    await rings(page, 0);
    await offers(user, 'off_c');
    await page.getByText('offer off_c').waitFor();
    await rings(page, 1);
    await page.reload();
    await page.getByText('offer off_c').waitFor();
    assert.deepEqual(complaints, []);
  });

  test('a mark that fails says so and leaves what is shown; the number at the bell is left out where it cannot be told', async () => {
    const user = await service.user();
    await offers(user, 'off_x');
    const { page } = await signedInPage(browser, service, user);
    await page.goto(`${service.url}/dashboard/notifications`);
    await rings(page, 1);
    const broken = (route: { fulfill: (reply: { status: number }) => Promise<void> }) => route.fulfill({ status: 500 });
    await page.route('**/v1/notifications/*/read', broken);
    await buttons(page).click();
    await page.getByRole('alert').waitFor();
    assert.equal(await buttons(page).count(), 1);
    await page.route('**/v1/notifications?*', broken);
    await page.goto(`${service.url}/dashboard`);
    await page.getByRole('heading', { name: 'Welcome' }).waitFor();
    await rings(page, 0);
  });

  test('e-mails are turned off there, and stay so', async () => {
    const user = await service.user();
    const { page } = await signedInPage(browser, service, user);
    await page.goto(`${service.url}/dashboard/notifications`);
    const mails = page.getByRole('switch', { name: /e-mail/ });
    await mails.click();
    await until('it is saved', async () => !(await service.client(user.token).getNotificationSettings()).email);
    await page.reload();
    await mails.waitFor();
    assert.equal(await mails.isChecked(), false);
    await page.getByText('Nobody has told you anything yet').waitFor();
  });

  test('who is told that an endpoint was disabled gets to it, and sees whose it is: members and operators', async () => {
    const marketplace = await Marketplace.open();
    const { node, service } = marketplace;
    const rooms = await marketplace.account('Rooms & Co', 'BUSINESS');
    const people = [await marketplace.member(rooms), await service.user({ operator: true })];
    await service.key(['webhooks:manage'], rooms);
    const receiver = await startReceiver(() => 410);
    const acting = await service.operatorClient();
    const url = receiver.url('/rooms');
    const { id } = await acting.createBusinessSubscription({ accountId: rooms, body: { url } });
    await marketplace.publish('space_booking.created', rooms);
    await until('it is disabled', async () => {
      await node.work();
      return (await acting.getBusinessSubscription({ id })).status === 'DISABLED';
    });
    for (const user of people) {
      const { page, complaints } = await signedInPage(browser, service, user, { viewport: PHONE });
      await page.goto(`${service.url}/dashboard/notifications`);
      await page.getByText('of Rooms & Co').waitFor();
      await page.getByRole('link', { name: url }).click();
      await page.waitForURL(`**/a/${rooms}/subscriptions/${id}`);
      await page.getByText('DISABLED').first().waitFor();
      assert.deepEqual(complaints, []);
    }
  });
});
