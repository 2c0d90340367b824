import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { ManagedPost, WritablePost } from '../client/src/generated.ts';
import { openBrowser } from '../test/helpers/browser.ts';
import { testDb } from '../test/helpers/database.ts';
import { PASSWORD, testService } from '../test/helpers/service.ts';
import { needsBrowser } from '../test/helpers/services.ts';
import { beginSession, endSession, PHONE, signedInPage } from './helpers/watched-page.ts';

// The same on every database.
const options = testDb === 'pglite' ? needsBrowser : { skip: 'seen on PGlite' };

/** Words that run from the right. */
const HEBREW = 'שלום עולם';

describe('the dashboard when something goes wrong', options, async () => {
  const service = await testService({ withoutLoops: true });
  const editor = await service.user({ blogRole: 'EDITOR' });
  const colleague = await service.user({ blogRole: 'EDITOR' });
  const browser = await openBrowser();
  const at = (path: string): string => `${service.url}/dashboard${path}`;
  const client = service.client(editor.token);
  const newPost = (title: string, rest: WritablePost = {}): Promise<ManagedPost> =>
    client.createPost({ body: { title, ...rest } });
  const titleOf = async (id: string): Promise<string | null> => (await client.getManagedPost({ id })).title;
  async function signIn(page: Page, { email }: { email: string }): Promise<void> {
    await page.getByRole('heading', { name: 'Sign in to Posthorn' }).waitFor();
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }
  /** What was there for the one before lies behind the sign-in until the page is loaded anew. */
  const signInAsAnother = (page: Page, user: { email: string }): Promise<unknown> =>
    Promise.all([page.waitForEvent('load'), signIn(page, user)]);
  const title = (page: Page) => page.getByLabel('Title', { exact: true });
  /** Later than whatever moves the focus when a page changes or a dialog closes. */
  const settled = (page: Page): Promise<unknown> =>
    page.evaluate(() => new Promise((resolve) => window.setTimeout(resolve, 200)));

  test('a session that ends while somebody writes loses nothing, and shows nothing to the next one', async () => {
    const { id } = await newPost('Begun');
    const { page, context, complaints } = await signedInPage(browser, service, editor);
    await page.goto(at(`/posts/${id}`));
    await title(page).waitFor();
    await endSession(context, service);
    await title(page).fill('Never saved');
    await signInAsAnother(page, colleague);
    await title(page).waitFor();
    assert.equal(await title(page).inputValue(), 'Begun');
    assert.equal(await page.getByText('There are changes that were never saved').count(), 0, 'they are another’s');

    await endSession(context, service);
    await page.goto(at(`/posts/${id}`));
    await signIn(page, editor);
    await page.getByText('There are changes that were never saved').waitFor();
    await page.getByRole('button', { name: 'Take them' }).click();
    await page
      .getByLabel('Saving')
      .filter({ hasText: /^Saved/ })
      .waitFor();
    assert.equal(await titleOf(id), 'Never saved');
    assert.deepEqual(complaints, []);
  });

  test('a save of which a proxy says that it took too long is asked for again, and no conflict with oneself', async () => {
    const { id, version } = await newPost('Behind a proxy');
    const { page } = await signedInPage(browser, service, editor);
    await page.goto(at(`/posts/${id}`));
    await title(page).waitFor();
    await page.route(
      `**/v1/blog/manage/posts/${id}?*`,
      async (route) => {
        await route.fetch();
        await route.fulfill({ status: 504, contentType: 'text/html', body: '<h1>504 Gateway Time-out</h1>' });
      },
      { times: 1 },
    );
    await title(page).fill('Behind a slow proxy');
    await page.getByText('Offline: kept in this browser').waitFor();
    await title(page).fill('Behind a slow proxy, again');
    await page
      .getByLabel('Saving')
      .filter({ hasText: /^Saved/ })
      .waitFor();
    assert.equal(await titleOf(id), 'Behind a slow proxy, again');
    assert.equal((await client.getManagedPost({ id })).version, version + 2);
  });

  test('rules that are typed when the session ends are there for who typed them, and for nobody else', async () => {
    const { page, context } = await signedInPage(browser, service, editor);
    const words = page.getByLabel('Blocked words');
    const endWhileTyping = async (): Promise<void> => {
      await words.fill('never saved');
      await endSession(context, service);
      await page.getByRole('button', { name: 'Save' }).click();
    };
    await page.goto(at('/comment-rules'));
    await endWhileTyping();
    await signIn(page, editor);
    await words.waitFor();
    assert.equal(await words.inputValue(), 'never saved');
    // Left on purpose they are forgotten.
    await page.getByRole('link', { name: 'Moderation log' }).click();
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('link', { name: 'Comment rules' }).click();
    await words.waitFor();
    assert.equal(await words.inputValue(), '');
    await endWhileTyping();
    await signInAsAnother(page, colleague);
    await words.waitFor();
    assert.equal(await words.inputValue(), '');
  });

  test('what was kept of an older version says so before it is taken', async () => {
    const { id } = await newPost('Old');
    const { page, context } = await signedInPage(browser, service, editor);
    await page.goto(at(`/posts/${id}`));
    await title(page).waitFor();
    await endSession(context, service);
    await title(page).fill('Mine');
    await page.getByRole('heading', { name: 'Sign in to Posthorn' }).waitFor();
    // A window that was closed there.
    await page.reload();
    await service.client(colleague.token).updatePost({ id, body: { title: 'Theirs' } });
    await signIn(page, editor);
    await page.getByText('The post was saved since then', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Forget them' }).click();
    assert.equal(await title(page).inputValue(), 'Theirs');
  });

  test('what is not taken of one’s own version in a conflict is offered, also to the next visit', async () => {
    const { id } = await newPost('Begun');
    const { page } = await signedInPage(browser, service, editor);
    await page.goto(at(`/posts/${id}`));
    await title(page).waitFor();
    await service.client(colleague.token).updatePost({ id, body: { title: 'Theirs' } });
    await title(page).fill('Mine');
    await page.getByRole('button', { name: 'Take theirs' }).click();
    await page.getByText('There are changes that were never saved').waitFor();
    assert.equal(await title(page).inputValue(), 'Theirs');
    await page.reload();
    await page.getByRole('button', { name: 'Take them' }).click();
    await page.getByText('There are changes that were never saved').waitFor({ state: 'detached' });
    await page
      .getByLabel('Saving')
      .getByText(/^Saved/)
      .waitFor();
    assert.equal(await titleOf(id), 'Mine');
  });

  test('two windows with one post keep what is not saved apart, and a closed one leaves it to the next', async () => {
    const { id } = await newPost('Public', { slug: 'two-windows', body: 'Text.', category: 'News' });
    await client.publishPost({ id });
    const { page, context } = await signedInPage(browser, service, editor);
    await page.goto(at(`/posts/${id}`));
    await title(page).fill('A long edit');
    const second = await context.newPage();
    await second.goto(at(`/posts/${id}`));
    await title(second).fill('Publicly');
    await title(second).fill('Public');
    assert.equal(await second.getByText('There are changes that were never saved').count(), 0, 'it is being written');
    await page.close();
    await second.reload();
    await second.getByRole('button', { name: 'Take them' }).click();
    assert.equal(await title(second).inputValue(), 'A long edit');
  });

  test('signing out asks before it leaves what is not saved, and saves a draft first', async () => {
    const { page } = await signedInPage(browser, service, editor);
    const signOut = async (): Promise<void> => {
      await page.getByRole('button', { name: /^Menu of/ }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
    };
    const { id } = await newPost('Shown', { slug: 'shown', body: 'Text.', category: 'News' });
    await client.publishPost({ id });
    await page.goto(at(`/posts/${id}`));
    await title(page).fill('Twenty minutes');
    await signOut();
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    assert.equal(await title(page).inputValue(), 'Twenty minutes');
    await signOut();
    await question.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { name: 'Sign in to Posthorn' }).waitFor();
    assert.equal(await titleOf(id), 'Shown');

    const draft = await newPost('Draft');
    await page.goto(at(`/posts/${draft.id}`));
    await signIn(page, editor);
    await title(page).fill('Just typed');
    await signOut();
    await page.getByRole('heading', { name: 'Sign in to Posthorn' }).waitFor();
    assert.equal(await titleOf(draft.id), 'Just typed');
  });

  test('a link that is followed while Back waits for a save leads where it says', async () => {
    const { id } = await newPost('Left twice');
    const { page, complaints } = await signedInPage(browser, service, editor);
    const go = Promise.withResolvers<void>();
    await page.route(`**/v1/blog/manage/posts/${id}?*`, async (route) => {
      if (route.request().method() === 'PATCH') await go.promise;
      await route.continue();
    });
    await page.goto(at('/comments'));
    await page.getByRole('link', { name: 'Posts', exact: true }).click();
    await page.getByRole('link', { name: 'Left twice' }).click();
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await title(page).fill('Left twice, saved once');
    await sent;
    await page.evaluate(() => history.back());
    await page.waitForURL(at(`/posts/${id}`));
    await page.getByRole('link', { name: 'Comment rules' }).click();
    go.resolve();
    await page.getByRole('heading', { name: 'Comment rules', level: 1 }).waitFor();
    await page.evaluate(() => history.back());
    await title(page).waitFor();
    assert.equal(page.url(), at(`/posts/${id}`));
    assert.equal(await title(page).inputValue(), 'Left twice, saved once');
    assert.deepEqual(complaints, []);
  });

  test('a dialog and its page that both hold something unsaved ask one after the other', async () => {
    const { id } = await newPost('Asked twice', { body: 'Text.', category: 'News' });
    const { page, complaints } = await signedInPage(browser, service, editor);
    await page.goto(at('/posts'));
    await page.getByRole('link', { name: 'Asked twice' }).click();
    await page.getByRole('button', { name: 'Publish …' }).click();
    await page.getByLabel('At a time').check();
    await page.getByLabel('Date and time').fill('2099-06-01T09:30');
    await page.route(`**/v1/blog/manage/posts/${id}?*`, (route) => route.abort());
    await title(page).fill('Never saved');
    await page.getByText('Offline: kept in this browser').waitFor();
    const forget = page.getByRole('dialog', { name: 'Forget what you typed?' });
    const leave = page.getByRole('dialog', { name: 'Leave without saving?' });
    await page.evaluate(() => history.back());
    await forget.waitFor();
    await page.evaluate(() => history.back());
    assert.equal(await leave.count(), 0, 'one after the other');
    await forget.getByRole('button', { name: 'Forget it' }).click();
    await leave.getByRole('button', { name: 'Cancel' }).click();
    await leave.waitFor({ state: 'detached' });
    assert.equal(page.url(), at(`/posts/${id}`));
    await page.evaluate(() => history.back());
    await forget.getByRole('button', { name: 'Forget it' }).click();
    await leave.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { name: 'Posts', level: 1 }).waitFor();
    assert.equal(page.url(), at('/posts'));
    assert.deepEqual(complaints, []);
  });

  test('a schedule that is sent as it was stays what it was, also in an hour that clocks show twice', async () => {
    const { id } = await newPost('The second of two', { body: 'Text.', category: 'News', excerpt: 'x' });
    await client.publishPost({ id, body: { at: '2098-10-26T01:30:20.000Z' } });
    const { page } = await signedInPage(browser, service, editor);
    await page.goto(at(`/posts/${id}`));
    await page.getByRole('button', { name: 'Schedule …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change the schedule' });
    await dialog.getByText('2098-10-26 02:30 in Europe/Berlin (CET), 2098-10-26 01:30 UTC').waitFor();
    const zone = dialog.getByRole('combobox', { name: 'Time zone' });
    await zone.fill('new york');
    await page.getByRole('option', { name: 'America/New_York', exact: true }).waitFor();
    await zone.fill('kolkata');
    await page.getByRole('option', { name: 'Asia/Kolkata', exact: true }).waitFor();
    await zone.fill('berlin');
    await page.getByRole('option', { name: 'Europe/Berlin', exact: true }).click();
    await dialog.getByRole('button', { name: 'Schedule' }).click();
    await page.getByText('Scheduled for 2098-10-26 02:30 in Europe/Berlin (CET)').waitFor();
    assert.equal((await client.getManagedPost({ id })).publishedAt, '2098-10-26T01:30:20.000Z');
  });

  test('a publication that fails when its dialog is closed is told all the same', async () => {
    const { id } = await newPost('Soon', { slug: 'soon', body: 'Text.', category: 'News', excerpt: 'x' });
    const { page } = await signedInPage(browser, service, editor);
    const go = Promise.withResolvers<void>();
    await page.route('**/publish', async (route) => {
      await go.promise;
      await route.continue();
    });
    await page.goto(at(`/posts/${id}`));
    await page.getByRole('button', { name: 'Publish …' }).click();
    const sent = page.waitForRequest('**/publish');
    await page.getByRole('button', { name: 'Publish now' }).click();
    await sent;
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Publish' }).waitFor({ state: 'detached' });
    await service.client(colleague.token).updatePost({ id, body: { title: 'Theirs' } });
    go.resolve();
    await page.getByRole('alert').getByText('It was changed meanwhile').waitFor();
  });

  test('another window of the browser follows who is signed in', async () => {
    const { page, context } = await signedInPage(browser, service, editor);
    await page.goto(at('/posts'));
    await page.getByText('Everything that anybody wrote.').waitFor();
    const second = await context.newPage();
    await second.goto(at('/posts'));
    await second.getByRole('button', { name: /^Menu of/ }).click();
    await second.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Posthorn' }).waitFor();
    const author = await service.user({ blogRole: 'AUTHOR' });
    await signIn(second, author);
    await page.getByText('What you wrote.').waitFor();
    assert.equal(await page.getByRole('link', { name: 'Comment rules' }).count(), 0);
  });

  test('nothing is shown or saved by a page as somebody who signed in on the public site', async () => {
    const { page, context } = await signedInPage(browser, service, editor);
    const nameOf = async ({ token }: { token: string }) => (await service.client(token).getMe()).user.name;
    const shows = async (user: { token: string }) =>
      page.getByRole('button', { name: `Menu of ${await nameOf(user)}`, exact: true }).waitFor();
    const happens = (event: string) => page.evaluate((name) => void window.dispatchEvent(new Event(name)), event);
    await page.goto(at('/posts'));
    await shows(editor);
    const { total } = await client.listManagedPosts();
    await happens('blur');
    await beginSession(context, service, colleague);
    await page.getByRole('button', { name: 'New post' }).first().click();
    await shows(colleague);
    assert.equal((await client.listManagedPosts()).total, total);
    await happens('blur');
    await beginSession(context, service, editor);
    await happens('focus');
    await shows(editor);
  });

  test('a role that was taken away disappears from the navigation with the first refusal', async () => {
    const fallen = await service.user({ blogRole: 'EDITOR', operator: true });
    const { page } = await signedInPage(browser, service, fallen);
    await page.goto(at('/operators/users'));
    await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
    await (await service.operatorClient()).updateUser({ id: fallen.id, body: { operator: false } });
    await page.getByRole('link', { name: 'Accounts', exact: true }).click();
    await page.getByText('You may not do that').waitFor();
    await page.getByRole('link', { name: 'Users', exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Posts', exact: true }).click();
    await page.getByRole('heading', { name: 'Posts', level: 1 }).waitFor();
  });

  test('pages of an account that is not one’s own tell so, and show nothing', async () => {
    const foreign = await service.account('MERCHANT');
    const { page, complaints } = await signedInPage(browser, service, editor);
    for (const path of ['overview', 'endpoints', 'deliveries', 'dead-letters', 'keys', 'trades', 'inbound', 'events']) {
      await page.goto(at(`/a/${foreign}/${path}`));
      await page
        .getByText(/You may not do that|There is no such/)
        .first()
        .waitFor();
    }
    assert.deepEqual(complaints, []);
  });

  test('a page past the end of a list leads back to its beginning', async () => {
    await newPost('Is there');
    const { page } = await signedInPage(browser, service, editor);
    await page.goto(at('/posts?page=99'));
    await page.getByText('Nothing is left on this page').waitFor();
    await page.getByRole('button', { name: 'To the first page' }).click();
    await page.getByRole('link', { name: 'Is there' }).waitFor();
    assert.equal(page.url(), at('/posts'));
  });

  test('filters stand in the address, and the way back leads through them', async () => {
    const { page } = await signedInPage(browser, service, editor);
    await page.goto(at('/posts'));
    await page.getByRole('tab', { name: /^Draft/ }).click();
    await page.waitForURL(/status=DRAFT/);
    // Typed and left at once: the search goes on top of the tab that was chosen meanwhile.
    await page.getByLabel('Search posts').pressSequentially('Is');
    await page.getByRole('tab', { name: /^Archived/ }).click();
    await page.getByText(/^Nothing matches/).waitFor();
    assert.equal(new URL(page.url()).search, '?status=ARCHIVED&q=Is');
    await page.goBack();
    await page.waitForURL(/status=DRAFT/);
    await page.goBack();
    await page.waitForURL((url) => url.search === '');
    assert.equal(await page.getByLabel('Search posts').inputValue(), '');
  });

  test('beside a clock that is hours off times are right all the same', async () => {
    const { id } = await newPost('Just written');
    const { page, context } = await signedInPage(browser, service, editor);
    await context.clock.setSystemTime(Date.now() + 5 * 3_600_000);
    await page.goto(at('/posts?q=Just'));
    await page.getByRole('row', { name: /Just written.*just now/ }).waitFor();
    await page.goto(at(`/posts/${id}`));
    await title(page).fill('Just changed');
    await page.getByText('Saved just now').waitFor();
    assert.deepEqual(
      await page.locator('output').allInnerTexts(),
      ['Saved'],
      'read out, and not each time that it ages',
    );
  });

  test('exact times are in reach of keyboards and fingers, and those of what is planned are shown', async () => {
    const { id } = await newPost('Planned', { body: 'Text.', category: 'News' });
    await client.publishPost({ id, body: { at: new Date(Date.now() + 3 * 86_400_000).toISOString() } });
    const { page } = await signedInPage(browser, service, editor);
    await page.goto(at('/posts?q=Planned'));
    await page.getByRole('row', { name: /Planned.*in 3 days, \d+ \w+ \d{4}, \d\d:\d\d/ }).waitFor();
    const exact = page.getByRole('switch', { name: 'Exact times' });
    const sideways = await page
      .locator('nav .mantine-ScrollArea-viewport')
      .evaluate((shown) => shown.scrollWidth - shown.clientWidth);
    assert.equal(sideways, 0, 'no scroll bar lies over it where the navigation is pointed at');
    await exact.press('Space');
    await page.getByRole('row', { name: /Planned.*\d+ \w+ \d{4}, \d\d:\d\d:\d\d/ }).waitFor();
    await page.reload();
    assert.ok(await exact.isChecked(), 'it is kept');
  });

  test('a question is closed with no when its place is left', async () => {
    const { id } = await newPost('Not to be deleted');
    const { page } = await signedInPage(browser, service, editor);
    await page.goto(at('/posts?q=Not+to+be'));
    await page.getByRole('link', { name: 'Not to be deleted' }).click();
    await title(page).waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete …' }).click();
    await page.getByRole('dialog').getByText('Delete this post?').waitFor();
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Not to be deleted' }).waitFor();
    assert.equal(await titleOf(id), 'Not to be deleted');
  });

  test('on a phone the navigation is out of reach until it is opened, and hands the focus on', async () => {
    const { page } = await signedInPage(browser, service, editor, { viewport: PHONE });
    await page.goto(at('/posts'));
    await page.getByRole('heading', { level: 1 }).waitFor();
    const inside = (): Promise<string | undefined> =>
      page.evaluate(() => document.activeElement?.closest('nav, main, header')?.tagName);
    for (let i = 0; i < 8; i++) {
      await page.keyboard.press('Tab');
      assert.notEqual(await inside(), 'NAV', `Tab ${i + 1}`);
    }
    await page.getByRole('button', { name: 'Open the navigation' }).click();
    await page.getByRole('link', { name: 'Comments', exact: true }).press('Enter');
    await page.getByRole('heading', { name: 'Comments', level: 1 }).waitFor();
    assert.equal(await inside(), 'MAIN');
  });

  test('the focus stays where it is when the page changes, and goes to the content when what had it is gone', async () => {
    const { page } = await signedInPage(browser, service, editor);
    await page.goto(at('/posts'));
    await page.getByRole('heading', { name: 'Posts', level: 1 }).waitFor();
    await page.keyboard.press('Tab');
    await page.locator('a:focus', { hasText: 'Skip to the content' }).waitFor();
    await page.getByRole('link', { name: 'Comments', exact: true }).press('Enter');
    await page.getByRole('heading', { name: 'Comments', level: 1 }).waitFor();
    await settled(page);
    await page.locator('a:focus', { hasText: 'Comments' }).waitFor();

    const { id } = await newPost('To be left by a link');
    await page.goto(at('/posts'));
    await page.getByRole('link', { name: 'To be left by a link' }).press('Enter');
    await title(page).waitFor();
    await page.locator('#content:focus').waitFor();
    assert.ok(page.url().endsWith(id));

    await title(page).focus();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete …' }).press('Enter');
    await page.getByRole('dialog').getByText('Delete this post?').waitFor();
    await settled(page);
    assert.ok(await page.evaluate(() => document.activeElement?.closest('[role="dialog"]') !== null));
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.activeElement?.closest('main') !== null);

    // Who clicks beside everything has put it nowhere on purpose.
    await title(page).focus();
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await settled(page);
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'BODY');
  });

  test('two clicks make one post', async () => {
    const { page } = await signedInPage(browser, service, editor);
    const count = async (): Promise<number> => (await client.listManagedPosts()).total;
    const before = await count();
    await page.goto(at('/posts'));
    await page.getByRole('button', { name: 'New post' }).first().dblclick();
    await page.waitForURL(/\/posts\/[0-9a-f-]{36}$/);
    await title(page).waitFor();
    assert.equal(await count(), before + 1);
  });

  test('a new post is the one that was begun and left as it was, unless another window has it open', async () => {
    const author = await service.user({ blogRole: 'AUTHOR' });
    const { page, context, complaints } = await signedInPage(browser, service, author);
    const begin = async (on: Page): Promise<string> => {
      await on.goto(at('/posts'));
      await on.getByRole('button', { name: 'New post' }).first().click();
      await title(on).waitFor();
      return new URL(on.url()).pathname;
    };
    const first = await begin(page);
    assert.equal(await begin(page), first);
    const other = await context.newPage();
    const second = await begin(other);
    assert.notEqual(second, first, 'two windows with one post would be a conflict');
    await title(page).fill('Written');
    await page
      .getByLabel('Saving')
      .filter({ hasText: /^Saved/ })
      .waitFor();
    await other.close();
    assert.equal(await begin(page), second);
    assert.equal((await service.client(author.token).listManagedPosts()).total, 2);
    assert.deepEqual(complaints, []);
  });

  test('a bulk decision is about what is seen, not about what was ticked under another filter', async () => {
    const { id, slug } = await newPost('With comments', { body: 'Text.', category: 'News' });
    await client.publishPost({ id });
    const reader = service.client(colleague.token);
    for (const body of ['First', 'Second']) await reader.createComment({ slug: slug ?? '', body: { body } });
    const { page } = await signedInPage(browser, service, editor);
    await page.goto(at('/comments'));
    await page.getByText('2 in all').waitFor();
    await page.getByRole('button', { name: 'Choose this page' }).click();
    await page.getByText('2 chosen').waitFor();
    await page.getByText('Hidden', { exact: true }).click();
    await page.getByText('No comment is hidden').waitFor();
    await page.getByText('None chosen').waitFor();
  });

  test('what runs from the right does so in the editor and in its preview', async () => {
    const { id } = await newPost(`${HEBREW} Posthorn`, { body: `${HEBREW}\n\nLeft to right.` });
    const { page } = await signedInPage(browser, service, editor);
    await page.goto(at(`/posts/${id}?view=split`));
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByText(HEBREW).waitFor();
    const directions = await page.evaluate(() =>
      ['.cm-line:first-child', '.cm-line:last-child', 'input[aria-label="Title"]', 'article'].map(
        (selector) => getComputedStyle(document.querySelector(selector) as Element).direction,
      ),
    );
    assert.deepEqual(directions, ['rtl', 'ltr', 'rtl', 'rtl']);
    // In a list a number behind it stays where it is, and so does what is part of it.
    await page.goto(at('/posts'));
    const left = (words: string): Promise<number> =>
      page.getByRole('link', { name: HEBREW }).evaluate((link, searched) => {
        const walker = document.createTreeWalker(link, NodeFilter.SHOW_TEXT);
        const range = document.createRange();
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          const start = (node.textContent ?? '').indexOf(searched);
          if (start < 0) continue;
          range.setStart(node, start);
          range.setEnd(node, start + searched.length);
          return range.getBoundingClientRect().left;
        }
        throw new Error(`no ${searched}`);
      }, words);
    await page.getByRole('link', { name: HEBREW }).waitFor();
    assert.ok((await left('Posthorn')) < (await left(HEBREW)), 'the title is read from the right');
  });

  test('a part that cannot be loaded, as after an upgrade, is told in words, and comes with the page', async () => {
    const { page } = await signedInPage(browser, service, editor);
    await page.goto(at('/password'));
    await page.getByRole('heading', { name: 'Password' }).waitFor();
    await page.route('**/dashboard/assets/**', (route) => route.abort());
    await page.getByRole('link', { name: 'Moderation log' }).click();
    await page.getByRole('alert').getByText('was updated since you opened the page').waitFor();
    await page.unroute('**/dashboard/assets/**');
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Try again' }).click()]);
    await page.getByRole('heading', { name: 'Moderation log' }).waitFor();
  });

  test('a page is printed without what is for the screen, and to the end of what scrolls there', async () => {
    const { id } = await newPost('On paper', { body: 'A line.\n\n'.repeat(200) });
    const { page } = await signedInPage(browser, service, editor);
    await page.goto(at(`/posts/${id}?view=preview`));
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByText('A line.').last().waitFor();
    const hidden = (): Promise<number> => preview.evaluate((frame) => frame.scrollHeight - frame.clientHeight);
    assert.ok((await hidden()) > 1000, 'it scrolls on the screen');
    await page.emulateMedia({ media: 'print' });
    assert.equal(await hidden(), 0);
    for (const role of ['banner', 'navigation'] as const) assert.equal(await page.getByRole(role).count(), 0, role);
    const main = await page.getByRole('main').evaluate((element) => getComputedStyle(element).padding);
    assert.equal(main, '0px');
    await client.updatePost({ id, body: { body: 'One line.' } });
    await page.emulateMedia({ media: 'screen' });
    await page.goto(at(`/posts/${id}/history`));
    const diff = page.getByRole('region', { name: 'Differences of the text' });
    await diff.waitFor();
    await page.emulateMedia({ media: 'print' });
    assert.equal(await diff.evaluate((frame) => frame.scrollHeight - frame.clientHeight), 0);
  });

  test('what one saved in another window is told as somebody else’s nowhere', async () => {
    const { id } = await newPost('Begun');
    const { page, context } = await signedInPage(browser, service, editor);
    const names = async (shown: Page): Promise<number> => shown.getByText(/somebody else/i).count();
    await page.goto(at(`/posts/${id}`));
    await title(page).waitFor();
    await client.updatePost({ id, body: { title: 'From the other window' } });
    await title(page).fill('From this one');
    await page.getByText('You changed this post in another window').waitFor();
    assert.equal(await page.getByLabel('Saving').innerText(), 'Not saved: the post was changed elsewhere');
    assert.equal(await names(page), 0);
    await page.getByRole('button', { name: 'Take that of the other window' }).waitFor();
    await page.getByText('Other window: From the other window').waitFor();
    assert.equal(await page.getByText(/\b(mine|their|theirs)\b/i).count(), 0);

    const history = await context.newPage();
    await history.goto(at(`/posts/${id}/history`));
    await history.getByRole('button', { name: 'Restore this version …' }).click();
    await client.updatePost({ id, body: { title: 'From the other window again' } });
    await history.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await history.getByRole('alert').getByText('It was changed meanwhile').waitFor();
    assert.equal(await names(history), 0);
    // What it is now stands there without a reload, beside the same version, which can be restored.
    await history.getByText('From the other window again', { exact: true }).waitFor();
    assert.equal(new URL(history.url()).searchParams.get('number'), '1');
    await history.getByRole('button', { name: 'Restore this version …' }).click();
    await history.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await history.getByText('The post is as it was then.').waitFor();
    assert.equal((await client.getManagedPost({ id })).title, 'Begun');

    const { id: other } = await newPost('Ready', { body: 'Text.', category: 'News', excerpt: 'x' });
    const ready = await context.newPage();
    await ready.goto(at(`/posts/${other}`));
    await ready.getByRole('button', { name: 'Publish …' }).click();
    await ready.getByRole('button', { name: 'Publish now' }).waitFor();
    await client.updatePost({ id: other, body: { title: 'From the other window' } });
    await ready.getByRole('button', { name: 'Publish now' }).click();
    await ready.getByText('It was changed meanwhile').first().waitFor();
    assert.equal(await names(ready), 0);
  });

  test('long words fit a phone while a conflict is merged', async () => {
    const { id } = await newPost('Short');
    const { page } = await signedInPage(browser, service, editor, { viewport: PHONE });
    await page.goto(at(`/posts/${id}`));
    await title(page).waitFor();
    await client.updatePost({ id, body: { title: 'M'.repeat(150) } });
    await title(page).fill('W'.repeat(150));
    await page.getByRole('button', { name: 'Merge by hand' }).click();
    await page.getByRole('radio', { name: /^Other window: M/ }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), 0);
  });

  test('long names and titles fit a phone', async () => {
    const long = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'.slice(0, 80);
    await newPost(`${long}${long}`, { category: long.slice(0, 60), tags: [long.slice(0, 40)] });
    const operating = await service.operatorClient();
    const { id } = await operating.createAccount({
      body: { name: `${long} ${long}`.slice(0, 100), type: 'MERCHANT' },
    });
    const both = await service.user({ blogRole: 'EDITOR' });
    await operating.addMember({ id, userId: both.id });
    const { page } = await signedInPage(browser, service, both, { viewport: PHONE });
    for (const path of ['/posts', `/a/${id}/overview`]) {
      await page.goto(at(path));
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByRole('button', { name: 'Open the navigation' }).click();
      await page.getByRole('link', { name: 'API keys' }).waitFor();
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), PHONE.width, path);
      const wide = await page.getByRole('navigation').evaluate((nav) => nav.scrollWidth - nav.clientWidth);
      assert.ok(wide <= 0, `the navigation is ${wide} px too wide: ${path}`);
    }
  });
});
