import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { openBrowser } from '../test/helpers/browser.ts';
import { testDb } from '../test/helpers/database.ts';
import { PASSWORD, testService } from '../test/helpers/service.ts';
import { needsBrowser } from '../test/helpers/services.ts';
import { assertAccessible, endSession, PHONE, signedInPage, watchedPage } from './helpers/watched-page.ts';

// The same on every database.
const options = testDb === 'pglite' ? needsBrowser : { skip: 'seen on PGlite' };

/** The most that a first load may take, compressed. Bytes. */
const FIRST_LOAD_MAX = 350_000;

describe('the dashboard', options, async () => {
  assert.ok(existsSync(new URL('../dashboard/dist/index.html', import.meta.url)), 'run `npm run build` first');
  const service = await testService({ withoutLoops: true });
  const editor = await service.user({ blogRole: 'EDITOR' });
  const browser = await openBrowser();

  test('asks for a sign-in, goes on to the page that was meant, and signs out', async () => {
    const { page, context, complaints } = await watchedPage(browser);
    await page.goto(`${service.url}/dashboard/posts?status=DRAFT`);
    await page.getByLabel('E-mail').fill(editor.email);
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This e-mail and password do not belong together.').waitFor();
    await assertAccessible(page, 'sign-in that failed');

    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Posts' }).waitFor();
    assert.equal(page.url(), `${service.url}/dashboard/posts?status=DRAFT`);
    const [cookie] = await context.cookies();
    assert.deepEqual([cookie?.name, cookie?.httpOnly, cookie?.sameSite], ['posthorn_session', true, 'Lax']);

    await page.getByRole('button', { name: /^Menu of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Posthorn' }).waitFor();
    assert.deepEqual(await context.cookies(), []);
    await page.goto(`${service.url}/dashboard/posts`);
    await page.getByRole('heading', { name: 'Sign in to Posthorn' }).waitFor();
    assert.deepEqual(complaints, []);
  });

  test('goes to no other host after a sign-in', async () => {
    for (const to of ['https://evil.example/', '//evil.example/', '/\\evil.example']) {
      const { page, context } = await watchedPage(browser);
      await page.goto(`${service.url}/dashboard/sign-in?to=${encodeURIComponent(to)}`);
      await page.getByLabel('E-mail').fill(editor.email);
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Posts' }).waitFor();
      assert.ok(page.url().startsWith(service.url), page.url());
      await context.close();
    }
  });

  test('loads at most 350 kB compressed before its first page stands', async (t) => {
    const { page } = await signedInPage(browser, service, editor);
    const bytes: Promise<[string, number]>[] = [];
    page.on('requestfinished', (request) => {
      if (!request.url().includes('/dashboard')) return;
      bytes.push(request.sizes().then((s) => [request.url(), s.responseBodySize]));
    });
    await page.goto(`${service.url}/dashboard/posts`, { waitUntil: 'networkidle' });
    const loaded = await Promise.all(bytes);
    const sum = loaded.reduce((total, [, size]) => total + size, 0);
    t.diagnostic(`the first load is ${Math.round(sum / 1000)} kB in ${loaded.length} files`);
    assert.ok(sum > 50_000 && sum <= FIRST_LOAD_MAX, `${sum} bytes: ${JSON.stringify(loaded)}`);
  });

  test('asks to sign in again when the session ended elsewhere, and comes back', async () => {
    const { page, context } = await signedInPage(browser, service, editor);
    await page.goto(`${service.url}/dashboard/posts`);
    await page.getByText('No posts yet').waitFor();
    await endSession(context, service);
    await page.getByRole('link', { name: 'Comments' }).click();
    await page.getByRole('heading', { name: 'Sign in to Posthorn' }).waitFor();
    await page.getByLabel('E-mail').fill(editor.email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Comments' }).waitFor();
  });

  test('an unknown address is told, inside of the shell', async () => {
    const { page } = await signedInPage(browser, service, editor, { viewport: PHONE, colorScheme: 'dark' });
    await page.goto(`${service.url}/dashboard/nowhere`);
    await page.getByText('There is no such page').waitFor();
    await assertAccessible(page, 'unknown address');
  });
});
