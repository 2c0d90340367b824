import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { inBothSchemes, violationsOf } from '../test/helpers/axe.ts';
import { openBrowser } from '../test/helpers/browser.ts';
import { testDb } from '../test/helpers/database.ts';
import { needsBrowser } from '../test/helpers/services.ts';
import { fillSite, PICTURE } from '../test/helpers/site-content.ts';
import { siteFixture } from '../test/helpers/site.ts';
import { watchedPage } from '../test/helpers/watched-page.ts';

// The pages are the same on every database: test/site-*.test.ts hold them on both.
const options = testDb === 'pglite' ? needsBrowser : { skip: 'seen on PGlite' };
const isRun = options.skip === false;

const site = isRun
  ? await siteFixture({ env: { SITE_TITLE: 'Slack Water', SITE_DESCRIPTION: 'Notes on harbours.' } })
  : undefined;
const slug = site ? await fillSite(site) : '';
if (site) await site.unpublish((await site.publish({ title: 'Gone' })).id);
const browser = isRun ? await openBrowser() : undefined;
const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="1600" height="900"><rect width="1600" height="900" fill="#7aa5a5"/></svg>';

async function visit(options: Parameters<typeof watchedPage>[2] = {}) {
  assert.ok(browser && site);
  const watched = await watchedPage(browser, site.service.url, options);
  await watched.page.route(PICTURE, (route) => route.fulfill({ contentType: 'image/svg+xml', body: SVG }));
  const { complaints } = watched;
  /** But for the picture, which is elsewhere. */
  const others = (): string[] => complaints.filter((complaint) => complaint !== `went to ${PICTURE}`);
  return { ...watched, others };
}

const countsOf = (post: string) => site?.service.client(site.editor.token).getPost({ slug: post });

async function signUp(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'Sign up' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('E-mail address').fill(`${name.toLowerCase()}@example.com`);
  await page.getByLabel('Password').fill('correct horse');
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.getByText(`Signed in as ${name}`).waitFor({ state: 'attached' });
}

for (const [how, javaScriptEnabled, name] of [
  ['with a script', true, 'Alva'],
  ['without a script', false, 'Bruno'],
] as const) {
  test(
    `a reader finds a post by search, reads it, signs up, likes, comments, replies and deletes, ${how}`,
    options,
    async () => {
      const { page, others, close } = await visit({ javaScriptEnabled });
      const before = await countsOf(slug);
      await page.goto('/blog');
      await page.getByRole('searchbox', { name: 'Search' }).fill('sounding sand');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('heading', { name: 'Search: sounding sand' }).waitFor();
      assert.ok((await page.locator('mark').count()) > 0);
      await page.getByRole('link', { name: 'Estuaries widen slowly' }).click();

      await page.getByRole('heading', { level: 1, name: 'Estuaries widen slowly' }).waitFor();
      await page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'What stays' }).click();
      assert.match(page.url(), /#user-content-what-stays$/);
      await page.waitForLoadState('load');
      assert.equal((await countsOf(slug))?.viewCount, (before?.viewCount ?? 0) + 1);

      await signUp(page, name);
      assert.equal(new URL(page.url()).pathname, `/blog/${slug}`, 'back at the post');
      const like = page.getByRole('button', { name: 'Like' });
      await like.click();
      await page.locator('button[aria-pressed=true]').waitFor();
      assert.equal((await countsOf(slug))?.likeCount, (before?.likeCount ?? 0) + 1);

      await page.getByLabel('Write a comment').fill(`Well measured.\n\n<b>${name}</b>`);
      await page.getByRole('button', { name: 'Send comment' }).click();
      const comment = page.locator('.comment', { hasText: `<b>${name}</b>` });
      await comment.waitFor();
      await comment.locator('summary', { hasText: 'Reply' }).click();
      await comment.getByLabel(`Reply to ${name}`).fill('To myself.');
      await comment.getByRole('button', { name: 'Reply' }).click();
      const reply = page.locator('.comment', { hasText: 'To myself.' });
      await reply.waitFor();
      for (const own of [reply, comment]) {
        await own.locator('summary', { hasText: 'Delete' }).click();
        await own.getByRole('button', { name: 'Delete this comment' }).click();
        await page.getByText('Your comment is deleted.').waitFor();
        await own.waitFor({ state: 'detached' });
      }
      assert.equal((await countsOf(slug))?.commentCount, before?.commentCount);
      assert.equal((await countsOf(slug))?.viewCount, (before?.viewCount ?? 0) + 1, 'one view for the whole visit');

      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('link', { name: 'Sign in', exact: true }).first().waitFor();
      assert.deepEqual(others(), []);
      await close();
    },
  );
}

test('by keyboard: the first stop skips to the content, and the like keeps the focus', options, async () => {
  const { page, others, close } = await visit();
  await page.goto(`/blog/${slug}`);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to content');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate('document.activeElement.id'), 'main');
  await signUp(page, 'Cleo');
  await page.getByRole('button', { name: 'Like' }).focus();
  await page.keyboard.press('Enter');
  await page.locator('button[aria-pressed=true]').waitFor();
  await page.waitForFunction(
    'document.activeElement.matches("button[aria-pressed]") && !document.activeElement.disabled',
  );
  assert.equal(await page.locator('#said').textContent(), 'Liked.');
  assert.deepEqual(others(), []);
  await close();
});

/** Every kind of page; the ones of a reader are looked at by one who has written a comment. */
const PAGES = (post: string): [name: string, path: string, isSignedIn?: boolean][] => [
  ['home', '/blog'],
  ['home, page 2', '/blog?page=2&sort=trending'],
  ['search', '/blog?q=harbour'],
  ['search without a match', '/blog?q=zzzzqqq'],
  ['post', `/blog/${post}`],
  ['post of a reader', `/blog/${post}?notice=commented`, true],
  ['category', '/blog/category/Logs'],
  ['tag', '/blog/tag/sea'],
  ['archive', '/blog/-/archive'],
  ['author', '/blog/author/User%201'],
  ['month', '/blog/-/archive/2025/11'],
  ['gone', '/blog/gone'],
  ['sign-in', '/blog/-/sign-in'],
  ['sign-up', '/blog/-/sign-up'],
  ['not found', '/blog/not-there'],
];

describe('nothing on a page keeps people from using it (axe, WCAG 2.2 AA)', options, () => {
  for (const [device, viewport, colorScheme] of [
    ['phone', { width: 390, height: 844 }, 'dark'],
    ['desktop', { width: 1280, height: 900 }, 'light'],
  ] as const) {
    test(`${device}, in both colour schemes`, async () => {
      assert.ok(site);
      const { page, others, close } = await visit({ viewport, colorScheme, reducedMotion: 'reduce' });
      await page.goto('/blog');
      await signUp(page, device);
      await page.goto(`/blog/${slug}`);
      await page.getByLabel('Write a comment').fill('A comment.');
      await page.getByRole('button', { name: 'Send comment' }).click();
      await page.locator('.comment').first().waitFor();
      const anonymous = await visit({ viewport, colorScheme });
      const found: string[] = [];
      const look = (seen: Page, name: string): Promise<void> =>
        inBothSchemes(seen, async (scheme, rules) => {
          found.push(...(await violationsOf(seen, rules)).map((violation) => `${name}, ${scheme}: ${violation}`));
        });
      for (const [name, path, isSignedIn] of PAGES(slug)) {
        const seen = isSignedIn ? page : anonymous.page;
        await seen.goto(path);
        if (isSignedIn) for (const summary of await seen.locator('.doing summary').all()) await summary.click();
        await look(seen, name);
        const overflow = await seen.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        if (overflow > 0) found.push(`${name}: ${overflow} px wider than the window`);
      }
      await anonymous.page.goto('/blog/-/sign-up');
      await anonymous.page.getByLabel('Name').fill('Somebody');
      await anonymous.page.getByLabel('E-mail address').fill(`${device}@example.com`);
      await anonymous.page.getByLabel('Password').fill('correct horse');
      await anonymous.page.getByRole('button', { name: 'Sign up' }).click();
      await anonymous.page.locator('.fault').first().waitFor();
      await look(anonymous.page, 'refused form');
      assert.deepEqual(found, []);
      // A form that is refused and a page that is not there are told to the console by the browser itself.
      assert.deepEqual(
        [...others(), ...anonymous.others()].filter((c) => !/status of (404|410|422)/.test(c)),
        [],
      );
      await anonymous.close();
      await close();
    });
  }
});

test('words that are as long as they may be make no page wider than a phone', options, async () => {
  assert.ok(site);
  const [category, tag] = ['C'.repeat(60), 'T'.repeat(40)];
  const long = 'w'.repeat(200);
  const body = `${long}\n\n# ${long}\n\n## ${long}\n\n## ${long}\n\n> ${long}\n\n- \`${long}\`\n\n|a|\n|-|\n|${long}|`;
  const post = await site.publish({ title: long, slug: 'wide', body, category, tags: [tag], excerpt: long });
  const reader = await site.reader('N'.repeat(100));
  await reader.send('/blog/wide/comments', { body: long.repeat(10) });
  const { page, close } = await visit({ viewport: { width: 320, height: 640 } });
  const wider: string[] = [];
  for (const path of ['', '/wide', `/category/${category}`, `/tag/${tag}`, `?q=${long}`, '?q=wwww', '/-/archive']) {
    await page.goto(`/blog${path}`);
    const by = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    if (by > 0) wider.push(`/blog${path}: ${by} px`);
  }
  await close();
  await site.service.client(site.editor.token).deletePost({ id: post.id });
  assert.deepEqual(wider, []);
});

test('a post that runs from the right does so below its title, too, but for its code', options, async () => {
  assert.ok(site);
  const text = 'זה טקסט בעברית.';
  const body = `${text}\n\n- ${text}\n\n> ${text}\n\n\`npm ci\`\n\n    npm start.\n\n## ${text}\n\n## Two\n\n## Three`;
  const post = await site.publish({ title: text, slug: 'from-the-right', body });
  const { page, others, close } = await visit();
  await page.goto(`/blog/${post.slug}`);
  const directions = await page.evaluate(() =>
    ['h1', '.body', '.body li', '.body p code', '.body pre', '.toc li:first-child a', '.toc li:last-child a'].map(
      (selector) => getComputedStyle(document.querySelector(selector) as Element).direction,
    ),
  );
  assert.deepEqual(directions, ['rtl', 'rtl', 'rtl', 'ltr', 'ltr', 'rtl', 'ltr']);
  const sides = await page.evaluate(() => {
    const [list, quote] = ['.body ul', '.body blockquote'].map((selector) =>
      getComputedStyle(document.querySelector(selector) as Element),
    );
    return [list?.paddingLeft, quote?.borderLeftWidth, quote?.borderRightWidth];
  });
  assert.deepEqual(sides, ['0px', '0px', '4px']);
  assert.deepEqual(others(), []);
  await close();
});
