import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openBrowser } from '../test/helpers/browser.ts';
import { testDb } from '../test/helpers/database.ts';
import { askFrom, foreignHost } from '../test/helpers/foreign-page.ts';
import { PASSWORD, testService } from '../test/helpers/service.ts';
import { needsBrowser } from '../test/helpers/services.ts';

// What a browser asks and keeps back is the same on every database.
const options = testDb === 'pglite' ? needsBrowser : { skip: 'seen on PGlite' };

describe('pages of other origins', options, () => {
  test('read, sign in and write where they are named, and nothing where they are not', async () => {
    const [shop, other] = [await foreignHost(), await foreignHost()];
    const service = await testService({ withoutLoops: true, env: { CORS_ORIGINS: shop } });
    const { key } = await service.key(['blog:read'], await service.account('SITE'));
    const author = await service.user({ blogRole: 'AUTHOR' });
    const browser = await openBrowser();
    const page = await (await browser.newContext()).newPage();
    const posts = `${service.url}/v1/blog/posts`;
    const reads = { headers: { authorization: `Bearer ${key}` } };

    await page.goto(shop);
    const first = await askFrom(page, posts, reads);
    assert.deepEqual([first.status, first.body?.total], [200, 0]);
    assert.ok(first.etag && first.requestId);
    const again = await askFrom(page, posts, { headers: { ...reads.headers, 'if-none-match': first.etag } });
    assert.equal(again.status, 304);
    const refused = await askFrom(page, posts, { headers: { authorization: 'Bearer nobody' } });
    assert.deepEqual([refused.status, refused.body?.error?.code], [401, 'UNAUTHENTICATED']);
    const signIn = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const signedIn = await askFrom(page, `${service.url}/v1/auth/sign-in`, {
      ...signIn,
      body: JSON.stringify({ email: author.email, password: PASSWORD }),
    });
    const written = await askFrom(page, `${service.url}/v1/blog/manage/posts`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${signedIn.body?.accessToken}`,
        'content-type': 'application/json',
        'idempotency-key': 'from-the-shop',
      },
      body: JSON.stringify({ title: 'From the shop', body: 'Text', category: 'News' }),
    });
    assert.deepEqual([written.status, written.body?.title], [201, 'From the shop']);

    await page.goto(other);
    assert.match((await askFrom(page, posts, reads)).error ?? '', /^TypeError/);
    const unread = await askFrom(page, `${service.url}/v1/auth/sign-in`, {
      method: 'POST',
      // A form may send this anywhere; what comes back is kept from the page.
      body: JSON.stringify({ email: author.email, password: PASSWORD }),
    });
    assert.match(unread.error ?? '', /^TypeError/);
  });
});
