import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { testService } from '../../../../test/helpers/service.ts';

const database = await withDatabase();
const env = { POSTHORN_PUBLIC_URL: 'https://blog.example/base/' };
const service = await testService({ database, env, withoutLoops: true });
/** The same posts, without a public address. */
const unnamed = await testService({ database, withoutLoops: true });
const { token } = await service.user({ blogRole: 'EDITOR' });
const { name } = await service.ok<{ name: string }>(200, 'GET', '/v1/blog/manage/me', { token });

const POSTS = '/v1/blog/manage/posts';
const PUBLISHED = '2024-02-03T04:05:06.000Z';
const CONTENT = { title: 'The title', excerpt: 'The excerpt.', body: 'Text.', category: 'News', tags: ['one', 'two'] };

interface Seo {
  title: string;
  description: string;
  canonical: string | null;
  openGraph: Record<string, unknown>;
  jsonLd: Record<string, unknown>;
}

/** A post of that time with these fields. */
async function published(slug: string, fields: object = {}): Promise<string> {
  const body = { ...CONTENT, slug, ...fields };
  const { id } = await service.ok<{ id: string }>(201, 'POST', POSTS, { token, body });
  await service.ok(200, 'POST', `${POSTS}/${id}/publish`, { token, body: { at: PUBLISHED } });
  return id;
}

const seoOf = async (slug: string, at = service): Promise<{ seo: Seo; updatedAt: string }> =>
  at.ok<{ seo: Seo; updatedAt: string }>(200, 'GET', `/v1/blog/posts/${slug}`, { token });

describe('seo of a post', () => {
  test('has everything that the head of its page needs', async () => {
    const image = { coverImageUrl: 'https://e.com/a.png', coverImageAlt: 'A picture' };
    await published('whole', image);
    const { seo, updatedAt } = await seoOf('whole');
    const url = 'https://blog.example/base/blog/whole';
    assert.deepEqual(seo, {
      title: 'The title',
      description: 'The excerpt.',
      canonical: url,
      openGraph: {
        'og:type': 'article',
        'og:title': 'The title',
        'og:description': 'The excerpt.',
        'og:url': url,
        'og:image': 'https://e.com/a.png',
        'og:image:alt': 'A picture',
        'article:published_time': PUBLISHED,
        'article:modified_time': updatedAt,
        'article:author': name,
        'article:section': 'News',
        'article:tag': ['one', 'two'],
      },
      jsonLd: {
        '@context': 'https://schema.org',
        '@type': 'BlogPosting',
        headline: 'The title',
        description: 'The excerpt.',
        datePublished: PUBLISHED,
        dateModified: updatedAt,
        author: { '@type': 'Person', name },
        articleSection: 'News',
        keywords: ['one', 'two'],
        image: 'https://e.com/a.png',
        url,
        mainEntityOfPage: url,
      },
    });
  });

  test('prefers what was written for it, and changes with it', async () => {
    const id = await published('written', { seoTitle: 'For search', seoDescription: 'Found by this.' });
    const first = (await seoOf('written')).seo;
    assert.deepEqual([first.title, first.description], ['For search', 'Found by this.']);
    assert.deepEqual([first.openGraph['og:title'], first.jsonLd['headline']], ['For search', 'For search']);
    const body = { seoTitle: '', seoDescription: null, excerpt: '', body: 'The *beginning*.' };
    await service.ok(200, 'PATCH', `${POSTS}/${id}`, { token, body });
    const then = (await seoOf('written')).seo;
    assert.deepEqual([then.title, then.description], ['The title', 'The beginning.']);
  });

  test('takes white space for nothing', async () => {
    const blank = {
      seoTitle: ' ',
      seoDescription: '\n\u00a0',
      coverImageUrl: 'https://e.com/c.png',
      coverImageAlt: '  ',
    };
    await published('blank', blank);
    const { seo } = await seoOf('blank');
    assert.deepEqual(
      [seo.title, seo.description, 'og:image:alt' in seo.openGraph],
      ['The title', 'The excerpt.', false],
    );
  });

  test('is without an image where there is none, and without words for one that has none', async () => {
    await published('no-image');
    const { seo } = await seoOf('no-image');
    assert.ok(!('og:image' in seo.openGraph) && !('og:image:alt' in seo.openGraph) && !('image' in seo.jsonLd));
    await published('no-words', { coverImageUrl: 'https://e.com/b.png' });
    const { openGraph } = (await seoOf('no-words')).seo;
    assert.deepEqual([openGraph['og:image'], 'og:image:alt' in openGraph], ['https://e.com/b.png', false]);
  });

  test('cuts a description that search engines would cut, between characters', async () => {
    await published('long', { seoDescription: '🎉'.repeat(500) });
    const { description } = (await seoOf('long')).seo;
    assert.match(description, /^(?:🎉){100,150}…$/u);
    await published('long-words', { seoDescription: 'seven words '.repeat(40) });
    assert.match((await seoOf('long-words')).seo.description, /^.{250,299}(?:seven|words)…$/);
  });

  test('keeps text as it is: whoever writes it into a page escapes it', async () => {
    const title = '</script><script>alert(1)</script> "&\u202e';
    await published('hostile', { title });
    const { seo } = await seoOf('hostile');
    assert.deepEqual([seo.title, seo.openGraph['og:title'], seo.jsonLd['headline']], [title, title, title]);
  });

  test('was not changed before it was published', async () => {
    const { id } = await service.ok<{ id: string }>(201, 'POST', POSTS, { token, body: { ...CONTENT, slug: 'young' } });
    await service.ok(200, 'POST', `${POSTS}/${id}/publish`, { token });
    const { openGraph } = (await seoOf('young')).seo;
    assert.equal(openGraph['article:modified_time'], openGraph['article:published_time']);
  });

  test('has no address without a public one, nor for a draft that has no slug', async () => {
    const { seo } = await seoOf('whole', unnamed);
    assert.deepEqual(
      [seo.canonical, 'og:url' in seo.openGraph, 'url' in seo.jsonLd, 'mainEntityOfPage' in seo.jsonLd],
      [null, false, false, false],
    );
    const { id } = await service.ok<{ id: string }>(201, 'POST', POSTS, { token, body: {} });
    const link = await service.ok<{ token: string }>(201, 'POST', `${POSTS}/${id}/preview-links`, { token });
    const preview = await service.ok<{ seo: Seo }>(200, 'GET', `/v1/blog/preview/${link.token}`);
    assert.deepEqual([preview.seo.canonical, preview.seo.title], [null, '']);
  });
});
