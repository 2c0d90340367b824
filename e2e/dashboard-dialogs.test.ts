import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openBrowser } from '../test/helpers/browser.ts';
import { testDb } from '../test/helpers/database.ts';
import { needsBrowser } from '../test/helpers/services.ts';
import { samplePages } from './helpers/account-pages.ts';
import {
  assertAccessible,
  DESKTOP,
  openInside,
  type PageOptions,
  PHONE,
  signedInPage,
} from './helpers/watched-page.ts';

// The same on every database.
const options = testDb === 'pglite' ? needsBrowser : { skip: 'seen on PGlite' };

/** A folder that gets a picture of each, for whoever wants to look at them. */
const { E2E_PICTURES } = process.env;

type Act = (page: Page) => Promise<unknown>;

const press =
  (name: string | RegExp): Act =>
  (page) =>
    page.getByRole('main').getByRole('button', { name }).first().click();
const dialog: Act = (page) => page.getByRole('dialog').waitFor();
const listed: Act = (page) => page.getByRole('option').first().waitFor();
const choose =
  (name: string): Act =>
  (page) =>
    page.getByRole('combobox', { name }).click();
/** As `choose`; on a phone the filters of a list are behind a button. */
const filter =
  (name: string): Act =>
  async (page) => {
    const opener = page.getByRole('button', { name: /^Filters/ });
    if (await opener.isVisible()) await opener.click();
    await choose(name)(page);
  };
const menu =
  (name: RegExp): Act =>
  async (page) => {
    await page.getByRole('banner').getByRole('button', { name }).click();
    await page.getByRole('menuitem').first().waitFor();
  };
const both =
  (...acts: Act[]): Act =>
  async (page) => {
    for (const act of acts) await act(page);
  };

/** Of each page: what can be opened on it. */
const OF_MEMBERS: Readonly<Record<string, Readonly<Record<string, Act>>>> = {
  endpoints: {
    'a new endpoint': both(press('New endpoint'), dialog, async (page) => {
      await page.getByLabel('Only these').check();
      await page.getByRole('checkbox', { name: 'listing', exact: true }).uncheck();
      await page.getByRole('button', { name: 'Add a header' }).click();
    }),
    'a refused one': both(press('New endpoint'), dialog, async (page) => {
      await page.getByLabel('Address').fill('ftp://shop.example');
      await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
      await page.getByRole('alert').waitFor();
    }),
    'the menu of accounts': menu(/Left|shop|merchant/i),
    'the menu of the user': menu(/^Menu of/),
  },
  endpoint: {
    'a test': both(press('Send a test'), dialog),
    'its pause': both(press('Pause'), dialog),
    'its form': both(press('Edit'), dialog),
    'its end': both(press('Delete'), dialog),
  },
  subscriptions: { 'a new one': both(press('Subscribe'), dialog) },
  deliveries: {
    'a filter': both(filter('Status'), listed),
    'a long filter': both(filter('Event'), listed),
  },
  delivery: { 'the check of a signature': both(press('Check the signature'), dialog) },
  'dead-letters': {
    'a replay': both(press('Replay all'), dialog, (page) =>
      page
        .getByRole('dialog')
        .getByText(/deliver/)
        .first()
        .waitFor(),
    ),
    'a discard': both(press('Discard all'), dialog),
  },
  keys: {
    'a new one': both(press('New key'), dialog),
    'one that is shown once': both(press('New key'), dialog, async (page) => {
      await page.getByRole('dialog').getByLabel('Name').fill('shown once');
      await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
      await page.getByRole('button', { name: 'I have stored both' }).waitFor();
    }),
    'its rotation': both(press(/^Rotate/), dialog),
    'its end': both(press(/^Revoke/), dialog),
  },
  'unsent-event': { 'a delivery afterwards': both(press('Send afterwards'), dialog) },
};

const OF_OPERATORS: typeof OF_MEMBERS = {
  'open-trade': { 'its end': both(press('Cancel the trade'), dialog) },
  accounts: { 'a new one': both(press('New account'), dialog) },
  account: {
    'a user to add': both(choose('Add a user'), listed),
    'the end of a membership': both(press(/^Remove/), dialog),
  },
  users: { 'a new one': both(press('New user'), dialog) },
  user: {
    'rights of an operator': both((page) => page.getByRole('switch', { name: 'Operator' }).click(), dialog),
    'its end': both(press('Disable'), dialog),
    'a new password': both(press('Set a new password'), dialog),
    'roles in the blog': both(choose('Blog'), listed),
  },
  'all-keys': {
    'a new one': both(press('New key'), dialog, async (page) => {
      await page.getByRole('dialog').getByRole('combobox', { name: 'Account' }).click();
      await listed(page);
    }),
  },
  readers: { 'a rebuild': both(press('Rebuild notifications'), dialog) },
};

/** Escape closes what is open, the innermost first; not what is shown only once. A click beside a dialog does not. */
async function leave(page: Page, what: string): Promise<void> {
  if (await page.getByRole('option').first().isVisible()) await page.keyboard.press('Escape');
  if (await page.getByRole('dialog').isVisible()) {
    await page.mouse.click(2, 2);
    assert.ok(await page.getByRole('dialog').isVisible(), 'a click beside it does not close it');
  }
  await page.keyboard.press('Escape');
  if (TYPED_IN.has(what)) await page.getByRole('button', { name: 'Forget it' }).click();
  if (what !== 'one that is shown once') return page.getByRole('dialog').first().waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'I have stored both' }).click({ trial: true });
}

/** In these something was typed or ticked, which Escape asks about. */
const TYPED_IN = new Set(['a new endpoint', 'a refused one']);

/** After these the page is another one than before: a dialog that Escape does not close, filters that stay open. */
const LEAVES_A_TRACE = new Set(['one that is shown once', 'a filter']);

const LOOKS: readonly (readonly [string, PageOptions])[] = [
  ['desktop-light', { viewport: DESKTOP, colorScheme: 'light' }],
  ['phone-dark', { viewport: PHONE, colorScheme: 'dark' }],
];

describe('what can be opened on the pages of accounts and operators', options, async () => {
  const { marketplace, member, operator, memberPages, operatorPages } = await samplePages();
  const browser = await openBrowser();

  for (const [look, pageOptions] of LOOKS) {
    for (const [who, user, pages, opened] of [
      ['members', member, memberPages, OF_MEMBERS],
      ['operators', operator, operatorPages, OF_OPERATORS],
    ] as const) {
      test(`that of ${who} is accessible, and Escape closes it: ${look}`, async () => {
        const { page, complaints } = await signedInPage(browser, marketplace.service, user, {
          ...pageOptions,
          isForAxe: true,
        });
        const faults: string[] = [];
        for (const [name, acts] of Object.entries(opened)) {
          const path = pages.find(([each]) => each === name)?.[1] ?? assert.fail(`there is no page ${name}`);
          let isAsLoaded = false;
          for (const [what, open] of Object.entries(acts)) {
            if (!isAsLoaded) await openInside(page, `${marketplace.service.url}/dashboard${path}`);
            isAsLoaded = !LEAVES_A_TRACE.has(what);
            await page.getByRole('heading', { level: 1 }).waitFor();
            await open(page).catch((error: Error) => assert.fail(`${name}, ${what}: ${error.message}`));
            if (E2E_PICTURES)
              await page.screenshot({ path: `${E2E_PICTURES}/${name}-${what.replaceAll(' ', '-')}-${look}.png` });
            await assertAccessible(page, `${name}, ${what}`).catch((error: Error) => faults.push(error.message));
            const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
            if (tooWide > 0) faults.push(`${name}, ${what} is ${tooWide} px too wide`);
            await leave(page, what).catch((error: Error) => faults.push(`${name}, ${what}: ${error.message}`));
          }
        }
        assert.deepEqual(faults, []);
        assert.deepEqual(complaints, []);
      });
    }
    test(`the navigation on a phone is accessible: ${look}`, async () => {
      const { page } = await signedInPage(browser, marketplace.service, operator, { ...pageOptions, viewport: PHONE });
      await page.goto(`${marketplace.service.url}/dashboard/operators/system`);
      await page.getByRole('button', { name: 'Open the navigation' }).click();
      await page.getByRole('link', { name: 'Readers' }).waitFor();
      await assertAccessible(page, 'the navigation');
      await page.getByRole('link', { name: 'Readers' }).click();
      await page.getByRole('heading', { name: 'Readers', level: 1 }).waitFor();
      await page.getByRole('button', { name: 'Open the navigation' }).waitFor();
    });
  }
});
