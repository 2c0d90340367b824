import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openBrowser } from '../test/helpers/browser.ts';
import { testDb } from '../test/helpers/database.ts';
import { PASSWORD, testService } from '../test/helpers/service.ts';
import { needsBrowser } from '../test/helpers/services.ts';
import { assertAccessible, beginSession, endSession, PHONE, signedInPage } from './helpers/watched-page.ts';

// The same on every database.
const options = testDb === 'pglite' ? needsBrowser : { skip: 'seen on PGlite' };

describe('a page whose session ends', options, async () => {
  const service = await testService({ withoutLoops: true });
  const operators = await service.operatorClient();
  const shop = await service.account('MERCHANT');
  await service.key(['blog:read'], shop);
  const member = await service.user();
  const colleague = await service.user();
  for (const { id } of [member, colleague]) await operators.addMember({ id: shop, userId: id });
  const editor = await service.user({ blogRole: 'EDITOR' });
  const browser = await openBrowser();
  const at = (path: string): string => `${service.url}/dashboard${path}`;
  const cover = (page: Page) => page.getByRole('dialog', { name: 'Sign in to Posthorn' });
  const happens = (page: Page, event: 'blur' | 'focus') =>
    page.evaluate((name) => void window.dispatchEvent(new Event(name)), event);

  async function signIn(page: Page, { email }: { email: string }): Promise<void> {
    await cover(page).getByLabel('E-mail').fill(email);
    await cover(page).getByLabel('Password', { exact: true }).fill(PASSWORD);
    await cover(page).getByRole('button', { name: 'Sign in' }).click();
  }

  /** Types an endpoint, and ends the session before it is created. */
  async function typeAnEndpoint(url: string, look = {}) {
    const opened = await signedInPage(browser, service, member, look);
    const { page, context } = opened;
    await page.goto(at(`/a/${shop}/endpoints`));
    await page.getByRole('button', { name: 'New endpoint' }).first().click();
    const form = page.getByRole('dialog', { name: 'New endpoint' });
    await form.getByLabel('Address').fill(url);
    await form.getByRole('button', { name: 'Add a header' }).click();
    await form.getByLabel('Name').fill('X-Tenant');
    await form.getByRole('textbox', { name: 'Value' }).fill('a secret of the receiver');
    await endSession(context, service);
    await form.getByRole('button', { name: 'Create', exact: true }).click();
    await cover(page).waitFor();
    return { ...opened, form };
  }

  test('keeps what is typed in a dialog for who typed it, and in no storage', async () => {
    const url = 'https://shop.example/kept';
    const { page, form, complaints } = await typeAnEndpoint(url);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await cover(page).waitFor();
    const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]));
    assert.doesNotMatch(stored, /kept|secret/);
    assert.equal(await cover(page).getByLabel('E-mail').inputValue(), member.email);
    await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'password');
    await signIn(page, member);
    await cover(page).waitFor({ state: 'detached' });
    assert.equal(await form.getByLabel('Address').inputValue(), url);
    await form.getByText('Your session had ended').waitFor();
    await form.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: url }).waitFor();
    await page.getByText('X-Tenant').waitFor();
    assert.deepEqual(complaints, []);
  });

  test('is loaded anew for anybody else', async () => {
    const { page, form } = await typeAnEndpoint('https://shop.example/anothers');
    await signIn(page, colleague);
    await page
      .getByRole('button', { name: `Menu of ${(await service.client(colleague.token).getMe()).user.name}` })
      .waitFor();
    assert.equal(await form.count(), 0);
    assert.equal(page.url(), at(`/a/${shop}/endpoints`));
  });

  test('takes the password in a window that was left and come back to', async () => {
    const url = 'https://shop.example/left';
    const { page, form } = await typeAnEndpoint(url);
    await happens(page, 'blur');
    await happens(page, 'focus');
    await cover(page).getByLabel('Password', { exact: true }).fill('not the password');
    await cover(page).getByRole('button', { name: 'Sign in' }).click();
    await cover(page).getByText('do not belong together').waitFor();
    await signIn(page, member);
    await cover(page).waitFor({ state: 'detached' });
    await form.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: url }).waitFor();
  });

  test('takes it where another window is in use, and of another, for whom the page is loaded anew', async () => {
    const { page, form } = await typeAnEndpoint('https://shop.example/left-to-another');
    await happens(page, 'blur');
    await signIn(page, colleague);
    await page
      .getByRole('button', { name: `Menu of ${(await service.client(colleague.token).getMe()).user.name}` })
      .waitFor();
    assert.equal(await form.count(), 0);
  });

  test('is signed out of all the same', async () => {
    const { page, context } = await signedInPage(browser, service, member);
    await page.goto(at(`/a/${shop}/endpoints`));
    await page.getByRole('button', { name: 'New endpoint' }).first().waitFor();
    await happens(page, 'blur');
    await endSession(context, service);
    await page.getByRole('button', { name: /^Menu of / }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL(at('/sign-in'));
    assert.equal(await cover(page).count(), 0);
    await page.getByLabel('E-mail').fill(member.email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: /^Menu of / }).waitFor();
  });

  test('goes on by itself where its user has signed in in another place', async () => {
    const url = 'https://shop.example/elsewhere';
    const { page, context, form } = await typeAnEndpoint(url);
    await happens(page, 'blur');
    await beginSession(context, service, member);
    await happens(page, 'focus');
    await cover(page).waitFor({ state: 'detached' });
    assert.equal(await form.getByLabel('Address').inputValue(), url);
  });

  test('shows nothing of what is behind the sign-in, on a phone and to a screen reader neither', async () => {
    const { page } = await typeAnEndpoint('https://shop.example/dark', { viewport: PHONE, colorScheme: 'dark' });
    await assertAccessible(page, 'the sign-in over a page');
    const onTop = await page.evaluate(() =>
      [
        [1, 1],
        [innerWidth - 2, innerHeight - 2],
        [innerWidth / 2, 20],
      ].every(([x = 0, y = 0]) => document.elementFromPoint(x, y)?.closest('dialog') !== null),
    );
    assert.ok(onTop);
    for (let i = 0; i < 8; i++) {
      await page.keyboard.press('Tab');
      assert.ok(
        await page.evaluate(
          () => document.activeElement === document.body || document.activeElement?.closest('dialog') !== null,
        ),
      );
    }
  });

  test('keeps the reason of a decision, and the draft of a post, which is saved then', async () => {
    const client = service.client(editor.token);
    const { id } = await client.createPost({ body: { title: 'Talk', slug: 'talk', body: 'Text.', category: 'News' } });
    await client.publishPost({ id });
    await service.client(member.token).createComment({ slug: 'talk', body: { body: 'Buy now' } });
    const { page, context } = await signedInPage(browser, service, editor);
    await page.goto(at('/comments'));
    await page.getByRole('checkbox', { name: /^Choose the comment/ }).check();
    await page.getByRole('button', { name: 'Hide …' }).click();
    const form = page.getByRole('dialog', { name: /^Hide/ });
    await form.getByLabel('Reason').fill('advertising');
    await endSession(context, service);
    await form.getByRole('button', { name: 'Hide' }).click();
    await signIn(page, editor);
    await cover(page).waitFor({ state: 'detached' });
    assert.equal(await form.getByLabel('Reason').inputValue(), 'advertising');
    await form.getByRole('button', { name: 'Hide' }).click();
    await page.getByText('hidden', { exact: true }).waitFor();

    const draft = await client.createPost({ body: { title: 'Begun' } });
    await page.goto(at(`/posts/${draft.id}`));
    const title = page.getByLabel('Title', { exact: true });
    await title.waitFor();
    await endSession(context, service);
    await title.fill('Saved later');
    await signIn(page, editor);
    await page
      .getByLabel('Saving')
      .filter({ hasText: /^Saved/ })
      .waitFor();
    assert.equal((await client.getManagedPost({ id: draft.id })).title, 'Saved later');
  });
});
