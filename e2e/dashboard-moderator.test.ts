import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openBrowser } from '../test/helpers/browser.ts';
import { testDb } from '../test/helpers/database.ts';
import { testService } from '../test/helpers/service.ts';
import { needsBrowser } from '../test/helpers/services.ts';
import { PHONE, signedInPage } from './helpers/watched-page.ts';

// The same on every database.
const options = testDb === 'pglite' ? needsBrowser : { skip: 'seen on PGlite' };

type Status = 'VISIBLE' | 'HIDDEN';

describe('a moderator', options, async () => {
  const service = await testService({ withoutLoops: true });
  const editor = await service.user({ blogRole: 'EDITOR' });
  const reader = await service.user();
  const other = await service.user();
  const client = service.client(editor.token);
  const browser = await openBrowser();
  const { page, complaints } = await signedInPage(browser, service, editor);

  const postOf = async (title: string): Promise<{ id: string; slug: string }> => {
    const { id, slug } = await client.createPost({ body: { title, body: 'Text.', category: 'News' } });
    await client.publishPost({ id });
    return { id, slug: slug ?? '' };
  };
  const comment = async (slug: string, body: string, parentId?: string): Promise<string> => {
    const said = { slug, body: { body, ...(parentId ? { parentId } : {}) } };
    return (await service.client(reader.token).createComment(said)).id;
  };
  const statusOf = async (id: string): Promise<Status> => (await client.getManagedComment({ id })).status;
  const log = () => client.listModerationLog();

  const first = await postOf('About apples');
  const second = await postOf('About pears');
  const apples = [await comment(first.slug, 'Apples, one'), await comment(first.slug, 'Apples, two')] as const;
  const reply = await comment(first.slug, 'A reply to one', apples[0]);
  const pears = await comment(second.slug, 'Pears');
  await service.client(other.token).reportComment({ id: reply, body: { reason: 'It is rude.' } });

  test('finds what was reported, reads its context, and decides', async () => {
    await page.goto(`${service.url}/dashboard/comments`);
    await page.getByText('4 in all').waitFor();
    await page.getByText('Reported', { exact: true }).click();
    await page.waitForURL(/reported=true/);
    await page.getByText('1 in all').waitFor();
    await page.getByRole('button', { name: 'Context' }).click();
    await page.getByText(/It is rude\./).waitFor();
    await page.getByText('Apples, one').waitFor();
    await page.getByRole('button', { name: 'Keep visible' }).click();
    await page.getByText('No report waits for a decision').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Choose this page' }).isDisabled(), 'there is none to choose');
    assert.equal(await statusOf(reply), 'VISIBLE');
  });

  test('goes through the list by keys, hides with h and shows with v', async () => {
    await page.goto(`${service.url}/dashboard/comments?postId=${first.id}`);
    await page.getByText('3 in all').waitFor();
    const current = page.locator('[aria-current="true"]');
    await page.keyboard.press('j');
    await current.getByText('A reply to one').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await current.getByText('Apples, one').waitFor();
    await page.keyboard.press('k');
    await current.getByText('Apples, two').waitFor();
    await page.keyboard.press('h');
    await page.getByText('The comment is hidden.').waitFor();
    assert.equal(await statusOf(apples[1]), 'HIDDEN');
    await page.keyboard.press('v');
    await page.getByText('The comment is visible.').waitFor();
    assert.equal(await statusOf(apples[1]), 'VISIBLE');
    assert.equal(await statusOf(pears), 'VISIBLE');
  });

  test('hides many at once with a reason, which stands in the log', async () => {
    await page.goto(`${service.url}/dashboard/comments?postId=${first.id}`);
    await page.getByText('3 in all').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('2 chosen').waitFor();
    await page.keyboard.press('h');
    await page.getByLabel('Reason').fill('Off topic');
    await page.getByRole('button', { name: 'Hide 2 comments' }).click();
    await page.getByText('2 comments are hidden now.').waitFor();
    assert.deepEqual(
      [await statusOf(reply), await statusOf(apples[1]), await statusOf(apples[0])],
      ['HIDDEN', 'HIDDEN', 'VISIBLE'],
    );
    assert.deepEqual(
      (await log()).data.slice(0, 2).map((e) => e.reason),
      ['Off topic', 'Off topic'],
    );

    await page.getByRole('link', { name: 'Moderation log' }).click();
    await page.getByRole('cell', { name: 'Off topic' }).first().waitFor();
  });

  test('hides what a rule held, once however often the key is pressed, and keeps the place and the focus', async () => {
    const links = 'http://a.example '.repeat(4);
    const [older, newer] = [await comment(second.slug, `${links}one`), await comment(second.slug, `${links}two`)];
    let sent = 0;
    const { promise: pressed, resolve: go } = Promise.withResolvers<void>();
    await page.route('**/bulk', async (route) => {
      sent++;
      await pressed;
      await route.continue();
    });
    const current = page.locator('[aria-current="true"]');
    await page.goto(`${service.url}/dashboard/comments?postId=${second.id}&status=HIDDEN`);
    await page.getByText('2 in all').waitFor();
    await page.keyboard.press('j');
    for (let i = 0; i < 3; i++) await page.keyboard.press('h');
    go();
    await page.getByText('The comment is hidden.').last().waitFor();
    await current.getByText(/^held/).waitFor({ state: 'detached' });
    assert.deepEqual([sent, (await client.getManagedComment({ id: newer })).heldReason], [1, null]);
    assert.deepEqual([(await log()).data[0]?.commentId, (await log()).data[0]?.actor?.id], [newer, editor.id]);

    await current.getByRole('button', { name: 'Show' }).press('Enter');
    await page.getByText('1 in all').waitFor();
    await current.getByText(`${links}one`).waitFor();
    await page.waitForFunction((id) => document.activeElement?.id === `comment-${id}`, older);

    await page.keyboard.press('x');
    await page.getByRole('button', { name: 'Show …' }).press('Enter');
    await page.getByLabel('Reason').press('Enter');
    await page.getByText('No comment is hidden').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.activeElement !== document.body);
  });

  test('is offered the keys, but not on a phone, which has none', async () => {
    const keys = { name: 'Keys' };
    await page.getByRole('button', keys).waitFor();
    const phone = await signedInPage(browser, service, editor, { viewport: PHONE, isMobile: true, hasTouch: true });
    await phone.page.goto(`${service.url}/dashboard/comments`);
    await phone.page.getByText(' in all').waitFor();
    assert.equal(await phone.page.getByRole('button', keys).count(), 0);
    await phone.page.close();
  });

  test('is told the keys on ?, and can switch them off', async () => {
    await page.goto(`${service.url}/dashboard/comments`);
    await page.getByText('6 in all').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('switch', { name: 'Single keys do something' }).uncheck({ force: true });
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'detached' });
    await page.keyboard.press('j');
    assert.equal(await page.locator('[aria-current="true"]').count(), 0);
  });

  test('sets the rules that hold comments', async () => {
    await page.getByRole('link', { name: 'Comment rules' }).click();
    await page.getByLabel('Blocked words').fill('casino\n\nbuy now\ncasino');
    await client.updateCommentSettings({ body: { repeatSeconds: 60 } });
    await page.getByRole('link', { name: 'Moderation log' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    assert.equal(await page.getByLabel('Blocked words').inputValue(), 'casino\n\nbuy now\ncasino');
    await page.getByLabel('Most links').fill('1');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The rules are saved.').waitFor();
    const id = await comment(second.slug, 'The best CASINO');
    assert.equal(await statusOf(id), 'HIDDEN');
    assert.equal((await client.getCommentSettings()).repeatSeconds, 60);
    assert.deepEqual(complaints, []);
  });

  test('a title without a space, and what was said of a comment on it, fit a phone', async () => {
    const word = `https://example.com/${'apples'.repeat(30)}`;
    const { slug, id } = await postOf(word);
    const said = await comment(slug, word);
    await service.client(other.token).reportComment({ id: said, body: { reason: word } });
    const phone = await signedInPage(browser, service, editor, { viewport: PHONE });
    const width = () => phone.page.evaluate(() => document.documentElement.scrollWidth);
    await phone.page.goto(`${service.url}/dashboard/comments?postId=${id}`);
    await phone.page.getByRole('button', { name: 'Context' }).click();
    await phone.page.getByText('Reported by', { exact: false }).waitFor();
    assert.equal(await width(), PHONE.width);
    await phone.page.goto(`${service.url}/dashboard/posts/${id}?tab=details`);
    await phone.page.getByText('Among search results').waitFor();
    assert.equal(await width(), PHONE.width);
  });
});
