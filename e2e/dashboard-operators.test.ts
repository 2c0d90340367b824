import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { openBrowser } from '../test/helpers/browser.ts';
import { testDb } from '../test/helpers/database.ts';
import { needsBrowser } from '../test/helpers/services.ts';
import { Trading } from '../test/helpers/trading.ts';
import { Marketplace } from './helpers/marketplace.ts';
import { assertAccessible, signedInPage } from './helpers/watched-page.ts';

// The same on every database.
const options = testDb === 'pglite' ? needsBrowser : { skip: 'seen on PGlite' };

async function go(page: Page, entry: string): Promise<void> {
  await page
    .getByRole('navigation', { name: 'Main navigation' })
    .getByRole('link', { name: entry, exact: true })
    .click();
}

const heading = (page: Page, name: string): Promise<void> => page.getByRole('heading', { name, level: 1 }).waitFor();
const sure = (page: Page, action: string): Promise<void> =>
  page.getByRole('dialog').getByRole('button', { name: action }).click();

/** A field that is required has an asterisk. */
const NEW = /^New password( \*)?$/;

describe('operators', options, async () => {
  const marketplace = await Marketplace.open();
  const { service, node } = marketplace;
  const browser = await openBrowser();
  const operator = await service.user({ operator: true });

  test('an operator makes an account, a user, a membership and a key, and takes rights away', async () => {
    const { page, complaints } = await signedInPage(browser, service, operator);
    await page.goto(`${service.url}/dashboard/operators/users`);
    await page.getByRole('button', { name: 'New user' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Ines Moreau');
    await page.getByRole('dialog').getByLabel('E-mail').fill('ines@example.com');
    await page.getByLabel('First password').fill('a first password');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await heading(page, 'Ines Moreau');
    const id = page.url().split('/').at(-1) ?? '';
    const rights = () =>
      service.service.opened.platform.db
        .withTables<{ users: { id: string; blog_role: string | null; operator: boolean; disabled_at: Date | null } }>()
        .selectFrom('users')
        .select(['blog_role', 'operator', 'disabled_at'])
        .where('id', '=', id)
        .executeTakeFirst();
    await page.getByRole('combobox', { name: 'Blog' }).click();
    await page.getByRole('option', { name: /^Author/ }).click();
    await page.getByText('author', { exact: true }).waitFor();
    assert.ok(await page.getByRole('combobox', { name: 'Blog' }).evaluate((field) => field === document.activeElement));
    await page.getByRole('switch', { name: 'Operator' }).click();
    await sure(page, 'Make an operator');
    await page.getByText('operator', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Disable' }).click();
    await sure(page, 'Disable');
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    const now = await rights();
    assert.deepEqual([now?.blog_role, now?.operator, now?.disabled_at !== null], ['AUTHOR', true, true]);
    await page.getByRole('button', { name: 'Enable' }).press('Enter');
    await page.locator('button:focus', { hasText: 'Disable' }).waitFor();

    await go(page, 'Accounts');
    await page.getByRole('button', { name: 'New account' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Harbour rooms');
    await page.getByRole('dialog').getByText('business', { exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await heading(page, 'Harbour rooms');
    await page.getByRole('combobox', { name: 'Add a user' }).fill('ines@');
    await page.getByRole('option', { name: 'ines@example.com' }).click();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('row', { name: /Ines Moreau/ }).waitFor();

    const days = page.getByLabel('Deliveries are kept for so many days');
    const save = page.getByRole('button', { name: 'Save' });
    await days.fill('0');
    await days.blur();
    await page.getByText('A whole number from 1', { exact: false }).waitFor();
    assert.deepEqual([await days.inputValue(), await save.isDisabled()], ['0', true]);
    await days.fill('30');
    await save.click();
    await page.getByText('Saved.').waitFor();
    // It was busy, and has nothing to save now: neither takes the focus from it.
    await page.locator('button:focus', { hasText: 'Save' }).waitFor();
    assert.ok(await save.isDisabled());
    const accountId = page.url().split('/').at(-1) ?? '';
    assert.equal((await (await service.operatorClient()).getDeliveryRetention({ id: accountId })).days, 30);

    await page.getByRole('link', { name: 'API keys', exact: true }).click();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('front desk');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'I have stored both' }).click();
    await page.getByRole('row', { name: /front desk.*Harbour rooms/ }).waitFor();
    assert.deepEqual(complaints, []);
  });

  test('an operator finds a trade in the audit trail and follows its causes down to the deliveries', async () => {
    const trading = await Trading.open(node);
    const id = await trading.open();
    await trading.accept(id);
    await trading.report(trading.left, 'item.reserved', id, 'INITIATOR');
    await trading.settle();
    const { page, complaints } = await signedInPage(browser, service, operator);
    const LEFT = (await (await service.operatorClient()).getAccount({ id: trading.left.id })).name;
    await page.goto(`${service.url}/dashboard/a/all/events`);
    await page.getByLabel('Trade id').fill(id);
    const region = page.getByRole('region', { name: 'Events' });
    await region.getByRole('link', { name: 'checkout.started' }).first().waitFor();
    await page.waitForURL(/trade=/);
    await region.getByRole('link', { name: 'trade.created' }).click();
    await heading(page, 'trade.created');
    const tree = page.getByRole('list');
    await tree.getByRole('link', { name: 'offer.accepted' }).first().waitFor();
    await tree.getByRole('link', { name: 'delivery of trade.created' }).first().waitFor();
    await tree
      .getByText(/^delivery of trade\.created to http:\S+ delivered$/)
      .first()
      .waitFor();
    await page.getByRole('region', { name: 'Routing of the event' }).getByText('delivered').first().waitFor();
    await tree.getByRole('link', { name: 'delivery of trade.created' }).first().click();
    await page.getByRole('heading', { name: 'Attempts' }).waitFor();

    const whose = page.getByRole('link', { name: LEFT, exact: true });
    for (const list of ['deliveries', 'endpoints', 'inbound', 'trades']) {
      await page.goto(`${service.url}/dashboard/a/all/${list}`);
      await whose.first().waitFor();
    }
    await page.goto(`${service.url}/dashboard/a/${trading.left.id}/deliveries`);
    await page.getByRole('region', { name: 'Deliveries' }).getByRole('link').first().waitFor();
    assert.equal(await whose.count(), 0, 'of one account it is told by the page');
    await page.goto(`${service.url}/dashboard/a/all/trades`);
    await page.getByRole('link', { name: id }).click();
    await page.getByRole('heading', { name: 'What happened' }).waitFor();
    await page.getByRole('button', { name: 'Cancel the trade' }).click();
    await sure(page, 'Cancel the trade');
    await page.getByText('Ended: an operator cancelled it.').waitFor();
    assert.deepEqual(complaints, []);
  });

  test('an operator sets a new password, and the user changes it', async () => {
    const user = await service.user();
    const { page } = await signedInPage(browser, service, operator);
    await page.goto(`${service.url}/dashboard/operators/users/${user.id}`);
    await page.getByRole('button', { name: 'Set a new password' }).click();
    await page.getByRole('dialog').getByLabel(NEW).fill('told on the phone');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('The new password is set.').waitFor();

    const told = { ...user, password: 'told on the phone' };
    const { page: own, complaints } = await signedInPage(browser, service, told);
    await own.goto(`${service.url}/dashboard/`);
    await go(own, 'Password');
    await heading(own, 'Password');
    await assertAccessible(own, 'the password');
    await own.getByLabel('Current password').fill('not the one');
    await own.getByLabel(NEW).fill('seven 7');
    await own.getByLabel('New password again').fill('known to nobody els');
    await own.getByText('7 of at least 8 characters.').waitFor();
    for (const [typed, told] of [
      ['🐟'.repeat(101), null],
      ['x'.repeat(201), '201 of at most 200 characters.'],
    ] as const) {
      await own.getByLabel(NEW).fill('');
      await own.getByLabel(NEW).focus();
      // As it is pasted: a field with a length would cut it off.
      await own.keyboard.insertText(typed);
      await own.getByLabel('New password again').focus();
      assert.equal(await own.getByLabel(NEW).inputValue(), typed);
      if (told === null) assert.equal(await own.getByLabel(NEW).getAttribute('aria-invalid'), 'false');
      else await own.getByText(told).waitFor();
    }
    await own.getByLabel(NEW).fill('known to nobody else');
    await own.getByText('This is not what stands above.').waitFor();
    await own.getByLabel('New password again').fill('known to nobody else');
    await own.getByRole('button', { name: 'Change it' }).click();
    await own.getByText('This is not the current password.').waitFor();
    assert.equal(await own.getByLabel('Current password').getAttribute('aria-invalid'), 'true');
    await own.getByLabel('Current password').fill(told.password);
    await own.getByLabel(NEW).fill(told.password);
    await own.getByLabel('New password again').fill(told.password);
    await own.getByRole('button', { name: 'Change it' }).click();
    await own.getByText('This is the current password.').waitFor();
    await own.getByLabel(NEW).fill('known to nobody else');
    await own.getByLabel('New password again').fill('known to nobody else');
    await own.getByRole('button', { name: 'Change it' }).click();
    await own.getByText(/^The password is changed/).waitFor();
    await signedInPage(browser, service, { ...user, password: 'known to nobody else' });
    assert.deepEqual(complaints, []);
  });

  test('a time can be typed into a filter', async () => {
    const { page } = await signedInPage(browser, service, operator);
    for (const list of ['deliveries', 'events', 'trades', 'inbound']) {
      await page.goto(`${service.url}/dashboard/a/all/${list}`);
      const from = page.getByLabel('From', { exact: true });
      await from.fill('2026-11-22T09:30');
      for (const [part, digits] of [
        [2, '2025'],
        [4, '45'],
      ] as const) {
        await from.blur();
        await from.focus();
        for (let i = 0; i < part; i++) await page.keyboard.press('ArrowRight');
        await page.keyboard.type(digits);
      }
      await page.waitForURL(/since=2025-11-22T08%3A45/);
      assert.equal(await from.inputValue(), '2025-11-22T09:45');
      await from.fill('');
      await page.waitForURL((url) => !url.searchParams.has('since'));
    }
    for (const [list, says] of [
      ['trades', 'No trade fits'],
      ['inbound', 'No report fits'],
    ]) {
      await page.goto(`${service.url}/dashboard/a/all/${list}?since=2099-01-01T00:00:00Z`);
      await page.getByText(says ?? '').waitFor();
      await page.getByRole('button', { name: 'Clear the filters' }).click();
      await page.waitForURL((url) => url.search === '');
    }
  });

  test('who makes an account of a name that another has is told of it first', async () => {
    const first = await marketplace.account('Twin rooms', 'BUSINESS');
    const { page, complaints } = await signedInPage(browser, service, operator);
    await page.goto(`${service.url}/dashboard/operators/accounts`);
    await page.getByRole('button', { name: 'New account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('twin rooms');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await dialog.getByRole('alert').getByText(first).waitFor();
    await dialog.getByRole('button', { name: 'Create another' }).click();
    await heading(page, 'twin rooms');
    assert.ok(!page.url().endsWith(first));
    assert.deepEqual(complaints, []);
  });

  test('the inbound log is narrowed to what was reported', async () => {
    const trading = await Trading.open(node);
    const { left } = trading;
    await trading.send(left, '{"event": "payment.failed", "side": "INITIATOR"}');
    await trading.send(left, '{"event": "item.sold", "side": "INITIATOR"}');
    await trading.send(left, '{"event": "order.paid", "side": "INITIATOR", "tradeSessionId": "ts_nowhere"}');
    const { page, complaints } = await signedInPage(browser, service, operator);
    await page.goto(`${service.url}/dashboard/a/${left.id}/inbound`);
    const reports = page.getByRole('region', { name: 'Reports' });
    await reports.getByRole('link', { name: 'item.sold' }).waitFor();
    await reports.getByRole('link', { name: 'payment.failed' }).waitFor();
    await reports.getByRole('link', { name: 'unknown event “order.paid”' }).waitFor();
    await reports.getByText('ts_nowhere').waitFor();
    assert.equal(await reports.getByRole('link', { name: 'ts_nowhere' }).count(), 0, 'it would lead to nothing');
    await page.getByRole('combobox', { name: 'Event' }).click();
    await page.getByRole('option', { name: 'payment.failed' }).click();
    await page.waitForURL(/event=payment\.failed/);
    await reports.getByRole('link', { name: 'item.sold' }).waitFor({ state: 'detached' });
    await reports.getByRole('link', { name: 'payment.failed' }).waitFor();
    assert.deepEqual(complaints, []);
  });

  test('an operator sees how far readers are, and runs again what was set aside', async () => {
    const shop = await marketplace.account('Lamp shop', 'MERCHANT');
    const eventId = await marketplace.publish('offer.created', shop);
    await (await service.operatorClient()).listReaders();
    await sql`
      insert into event_failures (reader, position, event_id, event, error, attempts, first_failed_at, last_failed_at)
      select 'notifications', position, id, event, 'Error: no such user', 6, now(), now() from events where id = ${eventId}`.execute(
      node.db,
    );
    const { page, complaints } = await signedInPage(browser, service, operator);
    await page.goto(`${service.url}/dashboard/operators/system`);
    await page.getByText('notifications has set 1 events aside.').waitFor();
    await page.getByText('PGlite, embedded').waitFor();
    await go(page, 'Readers');
    await page
      .getByRole('row', { name: /notifications/ })
      .getByRole('link', { name: 'Failures' })
      .click();
    await page.getByText('Error: no such user').waitFor();
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.getByText('Nothing failed').waitFor();
    assert.deepEqual(complaints, []);

    // What cannot be renewed stays, with what failed above it.
    await go(page, 'Readers');
    const row = page.getByRole('row', { name: /^notifications/ });
    await row.waitFor();
    await page.route('**/v1/admin/readers', (route) => route.abort());
    await page.getByText('The service cannot be reached').waitFor();
    await row.waitFor();
    await page.unroute('**/v1/admin/readers');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('The service cannot be reached').waitFor({ state: 'detached' });
  });
});
