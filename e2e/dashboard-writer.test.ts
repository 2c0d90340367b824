import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { ManagedPost } from '../client/src/generated.ts';
import { openBrowser } from '../test/helpers/browser.ts';
import { testDb } from '../test/helpers/database.ts';
import { testService } from '../test/helpers/service.ts';
import { needsBrowser } from '../test/helpers/services.ts';
import { signedInPage } from './helpers/watched-page.ts';

// The same on every database.
const options = testDb === 'pglite' ? needsBrowser : { skip: 'seen on PGlite' };

describe('a writer', options, async () => {
  const service = await testService({ withoutLoops: true });
  const editor = await service.user({ blogRole: 'EDITOR' });
  const colleague = await service.user({ blogRole: 'EDITOR' });
  const browser = await openBrowser();
  const { page, complaints } = await signedInPage(browser, service, editor);
  const client = service.client(editor.token);
  const read = (id: string): Promise<ManagedPost> => client.getManagedPost({ id });
  const saved = (on: Page = page): Promise<void> =>
    on
      .getByLabel('Saving')
      .filter({ hasText: /^Saved/ })
      .waitFor();
  const text = page.getByRole('textbox', { name: 'Text', exact: true });
  /** Waits for a save of what was just done, whose beginning may be a moment away. */
  const afterSave = async (act: () => Promise<void>): Promise<void> => {
    const reply = page.waitForResponse((r) => r.request().method() === 'PATCH' && r.url().includes('/manage/posts/'));
    await act();
    await reply;
    await saved();
  };
  let id = '';

  test('begins a draft, which is saved by itself while it is written, with a live preview', async () => {
    await page.goto(`${service.url}/dashboard/posts`);
    await page.getByText('No posts yet').waitFor();
    await page.getByRole('button', { name: 'New post' }).first().click();
    await page.waitForURL(/\/dashboard\/posts\/[0-9a-f-]{36}$/);
    id = new URL(page.url()).pathname.split('/').pop() ?? '';
    await page.getByLabel('Title', { exact: true }).fill('How we moved');
    await afterSave(async () => {
      await text.click();
      await page.keyboard.type('It was cold. ');
      await page.getByRole('button', { name: 'Bold' }).click();
      await page.keyboard.type('Very');
    });
    const post = await read(id);
    assert.deepEqual([post.title, post.slug, post.body], ['How we moved', 'how-we-moved', 'It was cold. **Very**']);
    await page.getByRole('region', { name: 'Preview' }).locator('strong', { hasText: 'Very' }).waitFor();
  });

  test('pastes from a page as Markdown', async () => {
    await text.press('Control+End');
    await afterSave(() =>
      text.evaluate((field) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData(
          'text/html',
          '<p style="color:red">A <b>bold</b> <a href="https://example.com/x">link</a><script>alert(1)</script></p>',
        );
        clipboardData.setData('text/plain', 'A bold link');
        field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      }),
    );
    assert.match((await read(id)).body, /A \*\*bold\*\* \[link\]\(https:\/\/example\.com\/x\)/);
    assert.doesNotMatch((await read(id)).body, /alert|style/);
  });

  test('sees that the service is away, loses nothing, and is saved when it is back', async () => {
    await page.context().setOffline(true);
    await text.press('Control+End');
    await page.keyboard.type(' On a train.');
    await page.getByText('Offline: kept in this browser').waitFor();
    await page.context().setOffline(false);
    await saved();
    assert.match((await read(id)).body, /On a train\.$/);
  });

  test('chooses slug, category and tags; a taken slug is told while it is written', async () => {
    await client.createPost({ body: { title: 'Taken' } });
    await page.getByRole('tab', { name: 'Details' }).click();
    const found = page.getByText('Among search results').locator('..');
    await found.getByText(/bold link On a train\.$/).waitFor();
    await page.getByLabel('Slug').fill('Not a slug');
    await page.getByText('Not a slug.').waitFor();
    await found.getByText(/› how-we-moved$/).waitFor();
    await page.getByLabel('Slug').fill('taken');
    const other = page.getByRole('button', { name: 'Take “taken-2”' });
    await other.waitFor();
    await found.getByText(/› how-we-moved$/).waitFor();
    await other.click();
    await found.getByText(/› taken-2$/).waitFor();
    await page.locator('input').and(page.getByLabel('Category')).fill('Office');
    await page.locator('input').and(page.getByLabel('Tags')).pressSequentially('Winter,Removal,');
    const cover = page.getByLabel('Cover image');
    const asked: string[] = [];
    page.on('request', (request) => void (request.resourceType() === 'image' && asked.push(request.url())));
    await cover.fill(`${service.url}/nowhere`);
    await cover.press('End');
    await cover.pressSequentially('.png');
    const told = page.getByRole('alert', { name: 'The picture did not load' });
    await told.getByText(`${service.url}/nowhere.png`).waitFor();
    assert.deepEqual(asked, [`${service.url}/nowhere.png`], 'not what it was while it was typed');
    const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
    const put = { contentType: 'image/svg+xml', body: picture };
    await page.route('**/nowhere.png', (route) => route.fulfill(put), { times: 1 });
    await told.getByRole('button', { name: 'Try again' }).click();
    await page.locator('img[src$="/nowhere.png"]').waitFor();
    await cover.fill(`${service.url}/nothing.png`);
    await told.getByText(`${service.url}/nothing.png`).waitFor();
    await page.getByText('You may want to describe the picture').waitFor();
    assert.equal(await page.getByLabel('Cover description').getAttribute('aria-invalid'), null, 'it is advice');
    await cover.fill('');
    await told.waitFor({ state: 'detached' });
    await page.getByLabel('Search description').fill('A report.');
    await found.getByText('A report.').waitFor();
    await page.keyboard.press('Control+s');
    await saved();
    const { slug, category, tags, seoDescription } = await read(id);
    assert.deepEqual([slug, category, tags, seoDescription], ['taken-2', 'Office', ['Winter', 'Removal'], 'A report.']);

    await page.getByLabel('Cover image').fill('pics/a.png');
    await page.getByRole('button', { name: 'Publish …' }).click();
    const notice = page.getByRole('alert').filter({ hasText: 'It has to be saved first' });
    await notice.getByText(/^Not saved: Cover image/).waitFor();
    await notice.getByRole('button', { name: 'Close this message' }).click();
    await page.getByLabel('Cover image').fill('');
    await saved();
    await page.getByRole('tab', { name: 'Text', exact: true }).click();
  });

  test('is told that pictures are put in by their address', async () => {
    for (const type of ['drop', 'paste']) {
      await text.evaluate((field, name) => {
        const data = new DataTransfer();
        data.items.add(new File(['<svg xmlns="http://www.w3.org/2000/svg"/>'], 'a.svg', { type: 'image/svg+xml' }));
        const about = { bubbles: true, cancelable: true };
        field.dispatchEvent(
          name === 'drop'
            ? new DragEvent('drop', { ...about, dataTransfer: data })
            : new ClipboardEvent('paste', { ...about, clipboardData: data }),
        );
      }, type);
      const notice = page.getByRole('alert').filter({ hasText: 'Files are not kept here' });
      await notice.getByRole('button', { name: 'Close this message' }).click();
      await notice.waitFor({ state: 'detached' });
    }
    assert.equal((await text.innerText()).includes('svg'), false);
  });

  test('drops a file with a text into the text', async () => {
    await afterSave(() =>
      text.evaluate((field) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(['From a file.\n\n'], 'notes.md', { type: 'text/markdown' }));
        field.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }));
      }),
    );
    assert.match((await read(id)).body, /From a file\./);
  });

  test('is told of a file whose letters would be lost, and has one in UTF-16 with all of them', async () => {
    const drop = (name: string, bytes: number[]) =>
      text.evaluate(
        (field, [called, content]) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([Uint8Array.from(content)], called, { type: 'text/plain' }));
          field.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }));
        },
        [name, bytes] as const,
      );
    await drop('old.txt', [...Buffer.from('Größe', 'latin1')]);
    const notice = page.getByRole('alert').filter({ hasText: 'Save it as UTF-8 and drop it again: old.txt' });
    await notice.getByRole('button', { name: 'Close this message' }).click();
    await afterSave(() => drop('wide.txt', [0xff, 0xfe, ...Buffer.from('Größe und Maß. ', 'utf16le')]));
    const { body } = await read(id);
    assert.match(body, /Größe und Maß\. /);
    assert.doesNotMatch(body, /\ufffd/);
  });

  test('decides a conflict when somebody else saved', async () => {
    const theirs = service.client(colleague.token);
    await theirs.updatePost({
      id,
      body: { title: 'How they moved', body: 'It was warm.', seoTitle: 'Only theirs.' },
    });
    await page.getByLabel('Title', { exact: true }).fill('How all moved');
    await text.press('Control+End');
    await page.keyboard.type(' The end.');
    const { name } = await theirs.getBlogMe();
    await page.getByText(`${name} changed this post`).waitFor();
    await page.getByRole('button', { name: 'Merge by hand' }).click();
    await page.getByLabel('Theirs: How they moved').check();
    const merged = page.getByRole('textbox', { name: 'Merged text' });
    await merged.press('Control+End');
    await page.keyboard.type(' And it was warm.');
    await page.getByRole('button', { name: 'Save the merged post' }).click();
    await saved();
    const post = await read(id);
    assert.deepEqual([post.title, post.seoTitle], ['How they moved', 'Only theirs.']);
    assert.match(post.body, /The end\. And it was warm\.$/);
  });

  test('schedules it, sees it among what is scheduled, and publishes it now', async () => {
    await page.getByRole('button', { name: 'Publish …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Publish' });
    await dialog.getByText('excerpt', { exact: false }).first().waitFor();
    await dialog.getByLabel('At a time').check();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Publish …' }).click();
    await dialog.getByLabel('At a time').check();
    await dialog.getByLabel('Date and time').fill('2099-06-01T09:30');
    await dialog.getByText('2099-06-01 09:30 in Europe/Berlin (CEST), 2099-06-01 07:30 UTC').waitFor();
    await dialog.getByLabel('Date and time').fill('2019-06-01T09:30');
    await dialog.getByRole('button', { name: 'Publish with this date' }).waitFor();
    // Typed it is also when the choice went to and fro.
    await dialog.getByLabel('Now', { exact: true }).check();
    await dialog.getByLabel('Date and time').waitFor({ state: 'hidden' });
    await dialog.getByLabel('At a time').check();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Forget it' }).click();
    await dialog.waitFor({ state: 'detached' });
    // The focus is where it was, a moment after the dialog is gone.
    await page.locator('button:focus', { hasText: 'Publish …' }).waitFor();

    await page.getByRole('button', { name: 'Publish …' }).click();
    await dialog.getByLabel('At a time').check();
    const zone = dialog.getByRole('combobox', { name: 'Time zone' });
    await zone.fill('Tokyo');
    await page.getByRole('option', { name: 'Asia/Tokyo' }).click();
    await dialog.getByLabel('Date and time').fill('2098-01-01T16:30');
    // By keys the year goes through 2, 20 and 209. The same whether the day or the month comes first.
    await dialog.getByLabel('Date and time').focus();
    await page.keyboard.type('06062099');
    await dialog.getByText('2099-06-06 07:30 UTC').waitFor();
    await dialog.getByRole('button', { name: 'Schedule' }).click();
    await page.getByText('Scheduled for 2099-06-06 16:30 in Asia/Tokyo').waitFor();
    assert.equal((await read(id)).publishedAt, '2099-06-06T07:30:00.000Z');

    await page.getByRole('link', { name: 'Posts', exact: true }).first().click();
    await page.getByRole('tab', { name: /^Scheduled/ }).click();
    await page.getByRole('link', { name: 'How they moved' }).click();
    await page.getByRole('button', { name: 'Schedule …' }).click();
    // A date of which a part is missing is no reason not to publish now.
    const when = page.getByLabel('Date and time');
    await when.press('Backspace');
    assert.equal(await when.evaluate((input: HTMLInputElement) => input.validity.badInput), true);
    await page.getByLabel('Now', { exact: true }).check();
    await page.getByRole('button', { name: 'Publish now' }).click();
    await page.getByText('Published.', { exact: true }).waitFor();
    await page.locator('button:focus', { hasText: 'Update' }).waitFor();
    assert.equal((await read(id)).status, 'PUBLISHED');
  });

  test('changes what is public on purpose only', async () => {
    await text.press('Control+End');
    await page.keyboard.type(' Corrected.');
    await page.getByText('Changes are not public yet').waitFor();
    const address = page.url();
    await page.evaluate(() => history.back());
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await question.waitFor();
    assert.equal(page.url(), address, 'the address stays while it is asked');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+s');
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Preview link …' }).click();
    await page.getByText('Your changes that are not public yet are not in it').waitFor();
    const focused = (): Promise<string | undefined> => page.evaluate(() => document.activeElement?.textContent);
    await page.getByRole('button', { name: 'Make a link' }).click();
    await page.getByLabel('The link').waitFor();
    assert.equal(await focused(), 'Make a link');
    const sure = page.getByRole('dialog', { name: 'End all links of this post?' });
    const end = page.getByRole('button', { name: 'End all links of this post' });
    await end.click();
    await sure.getByText('Nothing brings it back', { exact: false }).waitFor();
    await page.keyboard.press('Escape');
    await sure.waitFor({ state: 'detached' });
    await page.getByLabel('The link').waitFor();
    await end.click();
    await sure.getByRole('button', { name: 'End all links' }).click();
    await page.getByLabel('The link').waitFor({ state: 'detached' });
    await page.locator('button:focus', { hasText: 'End all links of this post' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Changes are not public yet').waitFor();
    assert.doesNotMatch((await read(id)).body, /Corrected/);
    await page.getByRole('button', { name: 'Update' }).click();
    await saved();
    assert.match((await read(id)).body, /Corrected\.$/);
  });

  test('restores what it was', async () => {
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByRole('heading', { name: 'History' }).waitFor();
    const before = page.getByRole('listitem').getByRole('button').nth(1);
    await before.click();
    await page.getByText('Corrected.', { exact: false }).first().waitFor();
    await page.getByRole('button', { name: 'Restore this version …' }).click();
    await page.getByRole('button', { name: 'Restore', exact: true }).click();
    await text.waitFor();
    // Of the page before nothing is left that could have it.
    await page.locator('#content:focus').waitFor();
    assert.doesNotMatch((await read(id)).body, /Corrected/);
  });

  test('unpublishes and deletes it, after a question each', async () => {
    const more = page.getByRole('button', { name: 'More' });
    await more.click();
    await page.getByRole('menuitem', { name: 'Unpublish …' }).click();
    await page.getByRole('button', { name: 'Unpublish', exact: true }).click();
    await page.getByText('Readers do not see the post any more.').waitFor();
    assert.equal((await read(id)).status, 'ARCHIVED');
    await more.click();
    await page.getByRole('menuitem', { name: 'Delete …' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('The post is deleted.').waitFor();
    await page.waitForURL(/\/dashboard\/posts$/);
    await page.getByRole('heading', { name: 'Posts' }).waitFor();
    await page.locator('#content:focus').waitFor();
    await assert.rejects(read(id), { code: 'NOT_FOUND' });
  });

  test('an author sees their own posts only, and an address of another’s is told', async () => {
    const author = await service.user({ blogRole: 'AUTHOR' });
    const { id: foreign } = await client.createPost({ body: { title: 'Of the editor' } });
    const own = await signedInPage(browser, service, author);
    await own.page.goto(`${service.url}/dashboard/posts`);
    await own.page.getByText('No posts yet').waitFor();
    for (const name of ['Comment rules', 'Moderation log']) {
      assert.equal(await own.page.getByRole('link', { name }).count(), 0, `${name} is for editors`);
    }
    const draft = await service.client(author.token).createPost({ body: { title: 'A lamp', body: 'It burns.' } });
    await own.page.goto(`${service.url}/dashboard/posts/${draft.id}`);
    await own.page.getByRole('button', { name: 'Publish …' }).click();
    await own.page
      .getByRole('alert', { name: 'This is missing' })
      .getByText(/^Category is needed/)
      .waitFor();
    const advice = own.page.getByRole('alert', { name: 'You may want to mend this' });
    assert.match((await advice.textContent()) ?? '', /Without an excerpt/, 'which keeps nobody from publishing');
    await own.page.keyboard.press('Escape');
    await own.page.goto(`${service.url}/dashboard/posts/${foreign}`);
    await own.page.getByText('There is no such post').waitFor();
    assert.deepEqual([complaints, own.complaints], [[], []]);
  });
});
