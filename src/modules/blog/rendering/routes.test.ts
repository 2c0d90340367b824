import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { testService } from '../../../../test/helpers/service.ts';

const service = await testService({ withoutLoops: true });
const { token } = await service.user({ blogRole: 'AUTHOR' });
const PATH = '/v1/blog/manage/render';

interface Rendered {
  bodyHtml: string;
  toc: { level: number; text: string; id: string }[];
  words: number;
  readingMinutes: number;
  excerpt: string;
}
const render = (body: string): Promise<Rendered> => service.ok<Rendered>(200, 'POST', PATH, { token, body: { body } });
const faultsOf = async (body: unknown): Promise<string | undefined> => {
  const reply = await service.refused('VALIDATION_ERROR', 'POST', PATH, { token, body });
  return reply.body.error.details?.map((d) => d.path).join();
};

describe('POST /v1/blog/manage/render', () => {
  test('gives HTML, headings, words and minutes', async () => {
    assert.deepEqual(await render('# One *two*\n\n## Three\n\nFour five.'), {
      bodyHtml:
        '<h1 id="user-content-one-two">One <em>two</em></h1>\n<h2 id="user-content-three">Three</h2>\n<p>Four five.</p>\n',
      toc: [
        { level: 1, text: 'One two', id: 'user-content-one-two' },
        { level: 2, text: 'Three', id: 'user-content-three' },
      ],
      words: 5,
      readingMinutes: 1,
      excerpt: 'Four five.',
    });
  });

  test('is what readers get of the same text', async () => {
    const body = 'A [link](https://e.com) and `code`.\n\n| a |\n|---|\n| 1 |\n\nNote[^1].\n\n[^1]: Below.\n';
    const { bodyHtml, excerpt } = await render(body);
    const fields = { title: 'Rendered', body, category: 'News' };
    const { id } = await service.ok<{ id: string }>(201, 'POST', '/v1/blog/manage/posts', { token, body: fields });
    await service.ok(200, 'POST', `/v1/blog/manage/posts/${id}/publish`, { token });
    const post = await service.ok<{ bodyHtml: string; excerpt: string }>(200, 'GET', '/v1/blog/posts/rendered', {
      token,
    });
    assert.deepEqual([bodyHtml, excerpt], [post.bodyHtml, post.excerpt]);
  });

  test('lets nothing through that runs', async () => {
    const { bodyHtml } = await render(
      '<script>alert(1)</script><img src=x onerror=alert(1)>\n\n[x](javascript:alert(1)) <svg onload=alert(1)>',
    );
    assert.doesNotMatch(bodyHtml, /<script|<[^>]*\bon(?:error|load)|<svg|href="javascript/i);
  });

  test('takes any text up to a million characters, and nothing', async () => {
    for (const [text, words] of [
      ['', 0],
      ['𝒯🎉 שלום \u202e語', 3],
    ] as const) {
      assert.equal((await render(text)).words, words, text);
    }
    assert.equal((await render('x '.repeat(500_000))).readingMinutes, Math.round(500_000 / 238));
    assert.equal(await faultsOf({ body: 'x'.repeat(1_000_001) }), 'body.body');
  });

  test('refuses what is no text', async () => {
    for (const body of [5, null, ['x'], true, 'a\ud83cb']) assert.equal(await faultsOf({ body }), 'body.body');
    assert.equal(await faultsOf({}), 'body.body');
    assert.equal(await faultsOf({ body: 'x', html: true }), 'body.html');
    assert.equal(await faultsOf({ body: 'a\0b' }), 'body');
  });

  test('stores nothing', async () => {
    const { db } = service.service.opened.platform;
    const count = async () => (await sql`select count(*)::integer as n from posts`.execute(db)).rows;
    const before = await count();
    await render('# A draft');
    assert.deepEqual(await count(), before);
  });
});
