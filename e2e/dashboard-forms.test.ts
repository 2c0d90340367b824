import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openBrowser } from '../test/helpers/browser.ts';
import { testDb } from '../test/helpers/database.ts';
import { testService } from '../test/helpers/service.ts';
import { needsBrowser } from '../test/helpers/services.ts';
import { assertAccessible, signedInPage } from './helpers/watched-page.ts';

// The same on every database.
const options = testDb === 'pglite' ? needsBrowser : { skip: 'seen on PGlite' };

describe('a dialog with a form', options, async () => {
  const service = await testService({ withoutLoops: true });
  const shop = await service.account('MERCHANT');
  // An endpoint is signed for by the secret of one.
  await service.key(['blog:read'], shop);
  const member = await service.user();
  await (await service.operatorClient()).addMember({ id: shop, userId: member.id });
  const browser = await openBrowser();
  const { page, complaints } = await signedInPage(browser, service, member);
  const at = (path: string): string => `${service.url}/dashboard/a/${shop}/${path}`;
  const dialog = page.getByRole('dialog', { name: 'New endpoint' });
  const address = dialog.getByLabel('Address');
  const question = page.getByRole('dialog', { name: 'Forget what you typed?' });
  const gone = { state: 'detached' } as const;

  async function openForm(): Promise<void> {
    await page.getByRole('button', { name: 'New endpoint' }).first().click();
    await dialog.waitFor();
  }

  test('is closed by Escape at once where nothing was typed, and by its own button always', async () => {
    await page.goto(at('overview'));
    await page.getByRole('link', { name: 'Endpoints', exact: true }).click();
    await openForm();
    await page.keyboard.press('Escape');
    await dialog.waitFor(gone);
    await openForm();
    await address.fill('https://shop.example/hooks');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor(gone);
  });

  test('asks before Escape forgets what was typed; Escape answers no', async () => {
    await openForm();
    await address.fill('https://shop.example/hooks');
    await page.keyboard.press('Escape');
    await question.waitFor();
    await assertAccessible(page, 'the question');
    await page.keyboard.press('Escape');
    await question.waitFor(gone);
    assert.equal(await address.inputValue(), 'https://shop.example/hooks');
    await page.waitForFunction(() => document.activeElement?.closest('[role="dialog"]') !== null);
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Forget it' }).click();
    await dialog.waitFor(gone);
  });

  test('asks before Back forgets it, too', async () => {
    await openForm();
    await address.fill('https://shop.example/back');
    await page.evaluate(() => history.back());
    await question.waitFor();
    assert.equal(page.url(), at('endpoints'), 'the address stays while it is asked');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor(gone);
    assert.equal(await address.inputValue(), 'https://shop.example/back');
    assert.equal(page.url(), at('endpoints'));
    await page.evaluate(() => history.back());
    await question.getByRole('button', { name: 'Forget it' }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  });

  test('asks about nothing where what was typed was taken back', async () => {
    await page.goForward();
    await openForm();
    await address.fill('https://shop.example/hooks');
    await address.fill('');
    await dialog.getByLabel('Only these').check();
    await page.keyboard.press('Escape');
    await dialog.waitFor(gone);
    await openForm();
    await dialog.getByLabel('Only these').check();
    await dialog.getByRole('checkbox', { name: 'listing', exact: true }).uncheck();
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Forget it' }).click();
    await dialog.waitFor(gone);
  });

  test('leads to what it has made without a question', async () => {
    await page.goto(at('endpoints'));
    await openForm();
    await address.fill('https://shop.example/made');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: 'https://shop.example/made' }).waitFor();
  });

  test('that shows a key asks before Back takes it away', async () => {
    await page.getByRole('link', { name: 'API keys', exact: true }).first().click();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('shop backend');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const secret = page.getByLabel('Signing secret', { exact: true });
    const shown = await secret.innerText();
    await page.evaluate(() => history.back());
    const asked = page.getByRole('dialog', { name: 'Leave without the key?' });
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await asked.waitFor(gone);
    assert.equal(await secret.innerText(), shown);
    await page.getByRole('button', { name: 'I have stored both' }).click();
    await secret.waitFor(gone);
    await page.evaluate(() => history.back());
    await page.getByRole('heading', { name: 'https://shop.example/made' }).waitFor();
    assert.deepEqual(complaints, []);
  });

  test('that is refused says what is in the way, and not that something changed', async () => {
    const keyless = await service.account('MERCHANT');
    await (await service.operatorClient()).addMember({ id: keyless, userId: member.id });
    await page.goto(`${service.url}/dashboard/a/${keyless}/endpoints`);
    await page.getByText('First make an API key').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
    await page.goBack();
    await page.getByText('First make an API key').waitFor();
    await openForm();
    await address.fill('https://shop.example/refused');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    const said = await dialog.getByRole('alert').innerText();
    assert.match(said, /The account has no API key/);
    assert.match(said, /put right what is in the way/);
    assert.doesNotMatch(said, /changed meanwhile/);
  });
});
