import assert from 'node:assert/strict';
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type Rules, violationsOf } from '../../test/helpers/axe.ts';
import { PASSWORD, type TestService } from '../../test/helpers/service.ts';

export interface PageOptions {
  /** Default 1280 × 900. */
  viewport?: { width: number; height: number };
  /** A phone or tablet: by touch, without a mouse. */
  isMobile?: boolean;
  hasTouch?: boolean;
  colorScheme?: 'light' | 'dark';
  /** The time zone of the browser. */
  timezoneId?: string;
  /** It is looked at by axe nearly wherever it goes: axe comes with each page then, in half the time of sending it into one that stands. */
  isForAxe?: boolean;
}

export const DESKTOP = { width: 1280, height: 900 };
export const PHONE = { width: 390, height: 844 };

export interface WatchedPage {
  page: Page;
  context: BrowserContext;
  /** What no page may cause: errors, refusals by the policy, dialogs. Replies of status 400 and above are not among it. */
  complaints: string[];
}

function watch(page: Page, complaints: string[]): void {
  page.on('pageerror', (error) => complaints.push(`threw ${error.message}`));
  page.on('dialog', (dialog) => {
    if (dialog.type() !== 'beforeunload') complaints.push(`opened a dialog: ${dialog.message()}`);
    void dialog.accept();
  });
  page.on('console', (message) => {
    const text = message.text();
    if (message.type() === 'error' && !text.startsWith('Failed to load resource')) complaints.push(text);
  });
}

/** A page of its own cookies, watched from the start. Animations are off, so that what is looked at stands still. */
export async function watchedPage(
  browser: Browser,
  { isForAxe = false, ...options }: PageOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: DESKTOP,
    colorScheme: 'light',
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
    ...options,
    reducedMotion: 'reduce',
  });
  if (isForAxe) await context.addInitScript({ content: axe.source });
  const page = await context.newPage();
  // Others run beside it, on machines of which one is three times as slow as another.
  page.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  watch(page, complaints);
  return { page, context, complaints };
}

/**
 * The same with somebody signed in, by the cookie that the dashboard's sign-in gets. Asked for by the browser and not by
 * the client library, so that it is the browser that keeps the cookie, by its own rules.
 */
export async function signedInPage(
  browser: Browser,
  service: TestService,
  user: { email: string; password?: string },
  options: PageOptions = {},
): Promise<WatchedPage> {
  const watched = await watchedPage(browser, options);
  await beginSession(watched.context, service, user);
  return watched;
}

/** Signs somebody in in another place than the page, as on the public site: the cookie is the same. */
export async function beginSession(
  context: BrowserContext,
  service: TestService,
  { email, password = PASSWORD }: { email: string; password?: string },
): Promise<void> {
  const reply = await context.request.post(`${service.url}/v1/auth/browser-session`, { data: { email, password } });
  assert.equal(reply.status(), 200, await reply.text());
}

/** Ends the session of the browser's cookie in another place than the page. No client has that cookie, so this is by the browser too. */
export async function endSession(context: BrowserContext, service: TestService): Promise<void> {
  const reply = await context.request.post(`${service.url}/v1/auth/sign-out`, { headers: { origin: service.url } });
  assert.equal(reply.status(), 204, await reply.text());
}

/** Fails with what axe-core finds on the page as it is now. */
export async function assertAccessible(page: Page, about: string, rules: Rules = 'all'): Promise<void> {
  assert.deepEqual(await violationsOf(page, rules), [], about);
}

/** What the router of the dashboard leaves in the window. */
interface Router {
  state: { status: string; resolvedLocation?: { publicHref: string } };
}

/**
 * Shows another page of the dashboard as its links do, in a third of the time of loading all of it anew: for tests that look at many pages.
 * That an address can be loaded is seen by those that look at few. Loads it where there is no dashboard yet, and where only the search
 * is another: the rows of before would stay until the new ones come. Resolves when the page stands, perhaps without its data.
 */
export async function openInside(page: Page, address: string): Promise<void> {
  const { origin, pathname } = new URL(address);
  const current = new URL(page.url());
  if (current.origin !== origin || current.pathname === pathname) {
    await page.goto(address);
    return;
  }
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(address)})`);
  await page.waitForFunction((wanted) => {
    const { status, resolvedLocation } = (globalThis as unknown as { __TSR_ROUTER__: Router }).__TSR_ROUTER__.state;
    return status === 'idle' && new URL(resolvedLocation?.publicHref ?? '/', location.href).pathname === wanted;
  }, pathname);
}
