import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBrowser, PLAIN_HOST } from '../test/helpers/browser.ts';
import { testDb } from '../test/helpers/database.ts';
import { PASSWORD, testService } from '../test/helpers/service.ts';
import { needsBrowser } from '../test/helpers/services.ts';
import { watchedPage } from './helpers/watched-page.ts';

// The same on every database.
const options = testDb === 'pglite' ? needsBrowser : { skip: 'seen on PGlite' };

test(
  'by http under a name of a local network a post is written, and what a closed window leaves is offered',
  options,
  async () => {
    const service = await testService({ withoutLoops: true });
    const editor = await service.user({ blogRole: 'EDITOR' });
    const { page, context, complaints } = await watchedPage(await openBrowser());
    const signIn = async (): Promise<void> => {
      await page.getByLabel('E-mail').fill(editor.email);
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    const saved = page.getByLabel('Saving').filter({ hasText: /^Saved/ });
    const title = page.getByLabel('Title', { exact: true });

    await page.goto(`http://${PLAIN_HOST}:${new URL(service.url).port}/dashboard/posts`);
    assert.equal(await page.evaluate(() => isSecureContext), false, 'browsers give such a page less');
    await signIn();
    await page.getByRole('button', { name: 'New post' }).first().click();
    await title.fill('Written at home');
    await saved.waitFor();

    await context.clearCookies();
    await title.fill('Never saved');
    await page.getByRole('heading', { name: 'Sign in to Posthorn' }).waitFor();
    await page.reload();
    await signIn();
    await page.getByRole('button', { name: 'Take them' }).click();
    await saved.waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Preview link …' }).click();
    await page.getByRole('button', { name: 'Make a link' }).click();
    await page.getByRole('dialog').getByRole('button', { name: /^Copy/ }).press('Enter');
    const copied = page.getByRole('dialog').getByRole('button', { name: 'Copied' });
    await copied.waitFor();
    assert.ok(await copied.evaluate((button) => button === document.activeElement), 'what copies keeps the focus');
    await page.keyboard.press('Escape');
    const id = new URL(page.url()).pathname.split('/').pop() ?? '';
    const post = await service.client(editor.token).getManagedPost({ id });
    assert.equal(post.title, 'Never saved');
    // The browser’s own note that it passes over a header there.
    assert.deepEqual(
      complaints.filter((text) => !text.includes('Cross-Origin-Opener-Policy')),
      [],
    );
  },
);
