import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { inBothSchemes } from '../test/helpers/axe.ts';
import { openBrowser } from '../test/helpers/browser.ts';
import { testDb } from '../test/helpers/database.ts';
import { needsBrowser } from '../test/helpers/services.ts';
import { samplePages } from './helpers/account-pages.ts';
import { assertAccessible, DESKTOP, openInside, PHONE, signedInPage } from './helpers/watched-page.ts';

// The same on every database.
const options = testDb === 'pglite' ? needsBrowser : { skip: 'seen on PGlite' };

/** A folder that gets a picture of each page, for whoever wants to look at them. */
const { E2E_PICTURES } = process.env;

/** How each page is loaded; it is then seen in the other colour scheme as well. */
const DEVICES = [
  ['desktop', { viewport: DESKTOP, colorScheme: 'light' }],
  ['phone', { viewport: PHONE, colorScheme: 'dark' }],
] as const;

/** The page with everything on it that was on its way. */
async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForFunction(() => document.querySelector('.mantine-Skeleton-root') === null);
}

/** Names of what is cut off at the side, and has to be pushed to be read. */
const sideways = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('main section')]
      .filter((section) => section.scrollWidth > section.clientWidth)
      .map((section) => section.getAttribute('aria-label') ?? ''),
  );

/** What does not stay within its frame, and lies over what is beside it. */
const spilling = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('main .mantine-Paper-root')]
      .filter((frame) => frame.scrollWidth > frame.clientWidth)
      .map((frame) => frame.textContent?.slice(0, 60) ?? ''),
  );

describe('the pages of accounts and operators', options, async () => {
  const { marketplace, member, operator, memberPages, operatorPages } = await samplePages();
  const browser = await openBrowser();
  if (E2E_PICTURES) await mkdir(E2E_PICTURES, { recursive: true });

  for (const [device, pageOptions] of DEVICES) {
    for (const [who, user, pages] of [
      ['members', member, memberPages],
      ['operators', operator, operatorPages],
    ] as const) {
      test(`those of ${who} are accessible in both colour schemes, run nothing that a text holds and fit their width: ${device}`, async () => {
        const { page, complaints } = await signedInPage(browser, marketplace.service, user, {
          ...pageOptions,
          isForAxe: true,
        });
        const faults: string[] = [];
        for (const [name, path] of pages) {
          await openInside(page, `${marketplace.service.url}/dashboard${path}`);
          await settled(page);
          await inBothSchemes(page, async (scheme, rules) => {
            const path = `${E2E_PICTURES}/${name}-${device}-${scheme}.png`;
            if (E2E_PICTURES) await page.screenshot({ path, fullPage: true });
            // All of them are told at once: who mends one wants to know of the others.
            await assertAccessible(page, `${name}, ${scheme}`, rules).catch((error: Error) =>
              faults.push(error.message),
            );
          });
          if (await page.evaluate(() => 'pwned' in window)) faults.push(`${name} ran a script of a text`);
          const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
          if (tooWide > 0) faults.push(`${name} is ${tooWide} px too wide`);
          for (const text of await spilling(page)) faults.push(`${name}: “${text}” does not fit its frame`);
          for (const table of await sideways(page)) faults.push(`${name}: “${table}” scrolls sideways`);
        }
        assert.deepEqual(faults, []);
        assert.deepEqual(complaints, []);
      });
    }
  }
});
