import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { inBothSchemes } from '../test/helpers/axe.ts';
import { openBrowser } from '../test/helpers/browser.ts';
import { testDb } from '../test/helpers/database.ts';
import { testService } from '../test/helpers/service.ts';
import { needsBrowser } from '../test/helpers/services.ts';
import { assertAccessible, DESKTOP, openInside, PHONE, signedInPage } from './helpers/watched-page.ts';

// The same on every database.
const options = testDb === 'pglite' ? needsBrowser : { skip: 'seen on PGlite' };

/** A folder that gets a picture of each page, for whoever wants to look at them. */
const { E2E_PICTURES } = process.env;

/** Each would leave a mark, or open a dialog, if a browser took it for more than text. */
const HOSTILE = [
  '<script>window.ran = true</script>',
  '<img src=x alt=x onerror="window.ran = true">',
  '"><svg onload="window.ran = true">',
  '<iframe srcdoc="<script>parent.ran = true</script>"></iframe>',
  '</textarea></title><script>window.ran = true</script>',
  '{{constructor.constructor("window.ran = true")()}}',
  'a \u202Eright to left\u202C b 🎉',
].join(' ');
const HOSTILE_MARKDOWN = `Begins.\n\n[click](javascript:window.ran=true) [data](data:text/html,<script>1</script>)\n\n<a href="javascript:window.ran=true">raw</a>\n\n![x](javascript:window.ran=true)\n\n\`\`\`js\n${HOSTILE}\n\`\`\`\n\n${HOSTILE}\n`;

/** Of the post that is open. */
async function openMore(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

describe('every page of writers and moderators', options, async () => {
  const service = await testService({ withoutLoops: true });
  const { token, ...editor } = await service.user({ blogRole: 'EDITOR' });
  const reader = await service.user();
  const body = {
    title: HOSTILE.slice(0, 200),
    slug: 'hostile',
    excerpt: HOSTILE.slice(0, 500),
    body: HOSTILE_MARKDOWN,
    category: '<b onclick=ran>'.slice(0, 60),
    tags: ['<script>ran</script>'],
    seoTitle: HOSTILE.slice(0, 200),
    seoDescription: HOSTILE.slice(0, 500),
    coverImageAlt: HOSTILE.slice(0, 300),
  };
  const client = service.client(token);
  const { id } = await client.createPost({ body });
  await client.updatePost({ id, body: { body: `${HOSTILE_MARKDOWN}\nMore.` } });
  await client.publishPost({ id });
  await client.createPost({ body: { title: 'A draft' } });
  const another = await client.createPost({
    body: { title: 'Another', body: 'Text.', category: 'News', tags: ['<script>more</script>'] },
  });
  await client.publishPost({ id: another.id });
  const comment = await service.client(reader.token).createComment({ slug: 'hostile', body: { body: HOSTILE } });
  await client.reportComment({ id: comment.id, body: { reason: HOSTILE } });
  await client.moderateComment({ id: comment.id, body: { status: 'HIDDEN', reason: HOSTILE } });
  const browser = await openBrowser();
  if (E2E_PICTURES) await mkdir(E2E_PICTURES, { recursive: true });

  /** Address, and what is done there until all of the page stands. */
  const PAGES: Readonly<Record<string, [path: string, act: (page: Page) => Promise<unknown>]>> = {
    'post list': ['/posts', (page) => page.getByText('A draft').waitFor()],
    'post list without posts': ['/posts?q=nothingofthekind', (page) => page.getByText('Nothing matches').waitFor()],
    editor: [
      `/posts/${id}?view=split`,
      (page) => page.getByRole('region', { name: 'Preview' }).getByText('Begins.').waitFor(),
    ],
    'details of a post': [`/posts/${id}?tab=details`, (page) => page.getByLabel('Slug').waitFor()],
    'publish dialog': [
      '/posts',
      async (page) => {
        await page.getByRole('link', { name: 'A draft' }).click();
        await page.getByRole('button', { name: 'Publish …' }).click();
        await page.getByText('This is missing').waitFor();
      },
    ],
    'preview link': [
      `/posts/${id}`,
      async (page) => {
        await openMore(page, 'Preview link …');
        await page.getByRole('button', { name: 'Make a link' }).click();
        assert.match(
          await page.getByLabel('The link').inputValue(),
          /\/blog\/-\/preview\/[\w.-]+$/,
          'a page for people',
        );
      },
    ],
    'end of preview links': [
      `/posts/${id}`,
      async (page) => {
        await openMore(page, 'Preview link …');
        await page.getByRole('button', { name: 'End all links of this post' }).click();
        await page.getByRole('button', { name: 'End all links', exact: true }).waitFor();
      },
    ],
    'publish at a time': [
      '/posts',
      async (page) => {
        await page.getByRole('link', { name: 'A draft' }).click();
        await page.getByRole('button', { name: 'Publish …' }).click();
        await page.getByLabel('At a time').check();
        await page.getByRole('combobox', { name: 'Time zone' }).click();
        await page.getByRole('option').first().waitFor();
      },
    ],
    'menu of a post': [
      `/posts/${id}`,
      async (page) => {
        await page.getByRole('button', { name: 'More' }).click();
        await page.getByRole('menuitem', { name: 'Delete …' }).waitFor();
      },
    ],
    'end of a post': [
      `/posts/${id}`,
      async (page) => {
        await openMore(page, 'Delete …');
        await page.getByRole('dialog').getByText('Nothing brings them back', { exact: false }).waitFor();
      },
    ],
    'leaving what is not saved': [
      `/posts/${id}`,
      async (page) => {
        await page.getByLabel('Title', { exact: true }).fill('Not saved');
        await page.getByText('Changes are not public yet').waitFor();
        // On a phone it is behind a button, beyond the edge of the screen.
        await page.getByRole('link', { name: 'Posts', exact: true }).first().dispatchEvent('click');
        await page.getByRole('dialog').getByText('Leave without saving?').waitFor();
      },
    ],
    'words of others for tags': [
      `/posts/${id}?tab=details`,
      async (page) => {
        await page.locator('input').and(page.getByLabel('Tags')).fill('script');
        await page.getByRole('option').first().waitFor();
      },
    ],
    sorts: [
      '/posts',
      async (page) => {
        await page.getByRole('combobox', { name: 'Sort by' }).click();
        await page.getByRole('option', { name: 'Views' }).waitFor();
      },
    ],
    'way back to a revision': [
      `/posts/${id}/history`,
      async (page) => {
        await page.getByRole('button', { name: 'Restore this version …' }).click();
        await page.getByRole('dialog').getByText('Restore this version?').waitFor();
      },
    ],
    'bulk decision': [
      '/comments',
      async (page) => {
        await page.getByRole('button', { name: 'Choose this page' }).click();
        await page.getByRole('button', { name: 'Show …' }).click();
        await page.getByRole('dialog').getByLabel('Reason').waitFor();
      },
    ],
    'a failure that is told': [
      '/posts',
      async (page) => {
        await page.getByText('A draft').waitFor();
        await page.route('**/v1/blog/manage/posts', (route) => route.abort());
        await page.getByRole('button', { name: 'New post' }).first().click();
        await page.getByRole('alert').getByText('The service cannot be reached').waitFor();
        await page.unroute('**/v1/blog/manage/posts');
      },
    ],
    history: [`/posts/${id}/history`, (page) => page.getByText('What changed since then').waitFor()],
    comments: [
      '/comments',
      async (page) => {
        await page.getByRole('button', { name: 'Context' }).click();
        await page
          .getByText(/^Reported/)
          .last()
          .waitFor();
      },
    ],
    'keys of the comments': [
      '/comments',
      async (page) => {
        await page.getByText('1 in all').waitFor();
        await page.keyboard.press('?');
        await page.getByText('Single keys do something').waitFor();
      },
    ],
    'moderation log': ['/moderation-log', (page) => page.getByRole('cell', { name: 'Hidden' }).waitFor()],
    'comment rules': ['/comment-rules', (page) => page.getByLabel('Blocked words').waitFor()],
    'user menu': [
      '/posts',
      async (page) => {
        await page.getByText('A draft').waitFor();
        await page.getByRole('button', { name: /^Menu of/ }).click();
        await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
      },
    ],
  };

  for (const [device, viewport, colorScheme] of [
    ['desktop', DESKTOP, 'light'],
    ['phone', PHONE, 'dark'],
  ] as const) {
    test(`is accessible in both colour schemes, and runs nothing of what people wrote: ${device}`, async () => {
      const { page, complaints } = await signedInPage(browser, service, editor, {
        colorScheme,
        viewport,
        isForAxe: true,
      });
      for (const [name, [path, act]] of Object.entries(PAGES)) {
        await openInside(page, `${service.url}/dashboard${path}`);
        await act(page);
        await inBothSchemes(page, async (scheme, rules) => {
          const picture = `${E2E_PICTURES}/${name.replaceAll(' ', '-')}-${device}-${scheme}.png`;
          if (E2E_PICTURES) await page.screenshot({ path: picture, fullPage: true });
          await assertAccessible(page, `${name}, ${device}, ${scheme}`, rules);
        });
        assert.equal(await page.evaluate(() => 'ran' in globalThis), false, `a script ran: ${name}`);
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(width <= viewport.width, `${name} is ${width} wide on a screen of ${viewport.width}`);
        assert.deepEqual(complaints, [], name);
      }
    });
  }
});
