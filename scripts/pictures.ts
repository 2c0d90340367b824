/**
 * The pictures of the README, made anew: `npm run build && node scripts/pictures.ts`. It starts a service with the demo on an
 * empty folder, lets a day of webhooks happen in a minute, and takes pictures with the installed Chromium (CHROMIUM_PATH).
 */
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { ROOT } from './lib/step.ts';
import { type Day, liveOneDay } from './pictures/day.ts';

const FOLDER = join(ROOT, 'docs/pictures');
/** A README is loaded by whoever looks at the project. Bytes. */
const SIZE_MAX = 150_000;
const VIEWPORT = { width: 1280, height: 800 };
const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

interface Picture {
  name: string;
  colorScheme: 'light' | 'dark';
  /** Of the demo; absent: nobody is signed in. */
  who?: 'merchant' | 'editor';
  path: (day: Day) => string;
  /** Waits until all of it stands. */
  ready: (page: Page) => Promise<unknown>;
}

const PICTURES: readonly Picture[] = [
  {
    name: 'site-home',
    colorScheme: 'light',
    path: () => '/blog',
    ready: (page) => page.getByRole('heading', { level: 1 }).waitFor(),
  },
  {
    name: 'site-post',
    colorScheme: 'dark',
    path: () => '/blog/receiving-your-first-webhook',
    ready: (page) => page.locator('pre').first().scrollIntoViewIfNeeded(),
  },
  {
    name: 'dashboard-overview',
    colorScheme: 'light',
    who: 'merchant',
    path: ({ merchantId }) => `/dashboard/a/${merchantId}/overview`,
    ready: (page) => page.getByText('Dead letters by reason').waitFor(),
  },
  {
    name: 'dashboard-delivery',
    colorScheme: 'dark',
    who: 'merchant',
    path: ({ merchantId, deliveryId }) => `/dashboard/a/${merchantId}/deliveries/${deliveryId}`,
    ready: (page) => page.getByText('Attempt 3', { exact: true }).waitFor(),
  },
];

async function take(browser: Browser, day: Day, picture: Picture): Promise<void> {
  const { name, colorScheme, who, path, ready } = picture;
  const context = await browser.newContext({
    viewport: VIEWPORT,
    colorScheme,
    locale: 'en-GB',
    reducedMotion: 'reduce',
  });
  if (who) {
    const user = day.demo.users.find((each) => each.who === who);
    const data = { email: user?.email, password: user?.password };
    const reply = await context.request.post(`${day.url}/v1/auth/browser-session`, { data });
    if (!reply.ok()) throw new Error(`${who} cannot sign in: ${await reply.text()}`);
  }
  const page = await context.newPage();
  await page.goto(day.url + path(day));
  await ready(page);
  await page.waitForLoadState('networkidle');
  const file = join(FOLDER, `${name}.png`);
  await page.screenshot({ path: file });
  await context.close();
  const { size } = await stat(file);
  console.log(`${name}.png: ${Math.round(size / 1000)} kB`);
  if (size > SIZE_MAX) throw new Error(`${name}.png has ${size} bytes, more than ${SIZE_MAX}`);
}

const dataDir = await mkdtemp(join(tmpdir(), 'posthorn-pictures-'));
const day = await liveOneDay(dataDir);
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
try {
  await mkdir(FOLDER, { recursive: true });
  for (const picture of PICTURES) await take(browser, day, picture);
} finally {
  await browser.close();
  await day.stop();
  await rm(dataDir, { recursive: true, force: true });
}
