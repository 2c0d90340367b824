import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { isSlug } from '../../../lib/slug.ts';
import type { ReadPost } from './fit.ts';
import { readMarkdownPost } from './markdown-post.ts';
import { readMarkdown } from './read-markdown.ts';

const read = (path: string, text: string): ReadPost => {
  const post = readMarkdownPost(path, 'folder', text);
  assert.ok('post' in post, JSON.stringify(post));
  return post;
};
const front = (yaml: string, path = 'news/a.md') => read(path, `---\n${yaml}\n---\n\nText`).post;

describe('a Markdown file', () => {
  test('becomes a post', () => {
    const yaml = `title: 'A title'
date: '2013-06-04T21:37:25.000Z'
category: release
author: [{name: Ann}, Bob]
tags: [one, Two]
description: In short
image: {url: 'https://example.com/a b.png', alt: A picture}
updated: 2014-01-01
featured: true
layout: blog-post`;
    assert.deepEqual(read('release/v0.10.10.md', `---\n${yaml}\n---\n\n\nText\n`), {
      post: {
        source: 'folder/release/v0.10.10.md',
        slugHint: 'v0-10-10',
        title: 'A title',
        body: 'Text\n',
        category: 'release',
        tags: ['one', 'Two'],
        excerpt: 'In short',
        author: 'Ann',
        publishedAt: '2013-06-04T21:37:25.000Z',
        updatedAt: '2014-01-01T00:00:00.000Z',
        featured: true,
        coverImageUrl: 'https://example.com/a%20b.png',
        coverImageAlt: 'A picture',
      },
      notes: [],
    });
  });

  test('without fields takes heading, folder and path', () => {
    const { post, notes } = read('Deep/Some Folder/2020-02-03-My Post.mdx', 'Hi\n\n# The *heading*\n');
    assert.deepEqual(
      [post.title, post.category, post.slugHint, post.publishedAt],
      ['The heading', 'Some Folder', 'my-post', '2020-02-03T00:00:00.000Z'],
    );
    assert.deepEqual(notes, []);
    const plain = read('a.md', 'Hi');
    assert.deepEqual([plain.post.title, plain.post.category], ['a', 'folder']);
    assert.deepEqual(plain.notes, ['no date: imported as a draft']);
    const { post: bundle } = read('posts/2020-02-03-my-trip/index.md', 'x');
    assert.deepEqual(
      [bundle.slugHint, bundle.category, bundle.publishedAt],
      ['my-trip', 'posts', '2020-02-03T00:00:00.000Z'],
    );
    assert.equal(read('my-trip/index.md', 'x').post.category, read('my-trip.md', 'x').post.category);
    assert.equal(read('日本.md', 'x').post.slugHint, 'ri-ben');
    assert.equal(read('★.md', 'x').post.slugHint, 'post');
  });

  test('of Jekyll without a title has the heading that it begins with, or that of its name', () => {
    const titleOf = (body: string) => read('_posts/2020-02-03-my-first--élan.md', body).post.title;
    assert.deepEqual(
      ['Hi\n\n## Later', '', '\n# *Top*\n\nHi', 'Top\n===\nHi', '---\nlayout: post\n---\n## Top'].map(titleOf),
      ['My First Élan', 'My First Élan', 'Top', 'Top', 'Top'],
    );
  });

  test('is no post of what a system has beside posts', () => {
    for (const path of ['_index.md', 'posts/_index.de.md']) {
      assert.ok('reason' in readMarkdownPost(path, 'f', '---\ntitle: Posts\n---\n'), path);
    }
    const categoryOf = (path: string): string | undefined => read(path, 'x').post.category;
    assert.deepEqual(['_posts/a.md', '_drafts/a.md', 'tech/_posts/a.md', '_posts/tech/a.md'].map(categoryOf), [
      'folder',
      'folder',
      'tech',
      'tech',
    ]);
    const own = readMarkdownPost('a.md', '_posts', 'x');
    assert.equal('post' in own && own.post.category, 'Blog');
  });

  test('may have its image in one of many fields', () => {
    const url = 'https://example.com/a.png';
    for (const yaml of [
      `cover: {image: "${url}"}`,
      `images: ["${url}"]`,
      `header: {teaser: "${url}"}`,
      `featured_image: ${url}`,
    ]) {
      assert.equal(front(yaml).coverImageUrl, url, yaml);
    }
  });

  test('may name its slug, also as an address', () => {
    assert.equal(front('slug: my-own').slug, 'my-own');
    assert.equal(front('slug: /blog/2020/My_Own/').slug, 'my-own');
    assert.equal(front('slug: 2020').slug, '2020');
    assert.equal(front('slug: "!!"').slugHint, 'a');
  });

  test('keeps its address, and those that led to it as well', () => {
    const addresses = ({ slug, slugHint, oldSlugs }: ReadPost['post']) => [slug, slugHint, oldSlugs];
    assert.deepEqual(addresses(front('permalink: /2020/My-Own.html', '2020-01-02-a.md')), [
      undefined,
      'my-own',
      undefined,
    ]);
    assert.deepEqual(addresses(front('permalink: /:year/:title/', '2020-1-2-a.md')), [undefined, 'a', undefined]);
    assert.deepEqual(addresses(front('url: /', '2020-01-02.md')), [undefined, '2020-01-02', undefined]);
    assert.deepEqual(
      addresses(front('slug: x\naliases: [/old/one/, two.html, /x/, /old/one, /]\nredirect_from: /three/')),
      ['x', undefined, ['one', 'two', 'three']],
    );
    assert.deepEqual(
      addresses(
        front(
          'permalink: /foo/index.html\nredirect_from: [/old/index.htm, "/a/?utm=1#x", /b/#index, /INDEX.php, /c?d=/e]',
        ),
      ),
      [undefined, 'foo', ['old', 'a', 'b', 'c']],
    );
    assert.deepEqual(addresses(front('url: https://example.com/')), [undefined, 'a', undefined]);
    assert.deepEqual(addresses(front('url: "//example.com/c/"')), [undefined, 'c', undefined]);
  });

  test('may be a draft', () => {
    const drafts = ['true', 'yes', 'On', '1', '"true"', 'perhaps', '[x]'].map((value) => `draft: ${value}`);
    for (const yaml of [...drafts, 'published: false', 'published: no', 'published: "false"', 'published: 0']) {
      assert.equal(front(`date: 2020-01-01\n${yaml}`).publishedAt, undefined, yaml);
    }
    const others = ['false', 'no', 'Off', '0', '"false"', '', 'null'].map((value) => `draft: ${value}`);
    for (const yaml of [...others, 'published: true', 'published: yes', 'published: 2020-01-01']) {
      assert.equal(front(`date: 2020-01-01\n${yaml}`).publishedAt, '2020-01-01T00:00:00.000Z', yaml);
    }
    assert.equal(front('featured: yes').featured, true);
    const exported = front('posthorn: 1\nid: x\npublishedAt: 2020-01-01\ndraft: yes');
    assert.deepEqual([exported.source, exported.publishedAt], ['posthorn/x', undefined]);
    assert.equal(read('a.md', '---\ndate: 2020-01-01\n---\n \n').post.publishedAt, undefined);
  });

  test('is a draft in a folder of drafts, of which the name may be of the imported folder', () => {
    const text = '---\ndate: 2020-01-01\n---\nx';
    const told = (path: string, folder: string) => {
      const item = readMarkdownPost(path, folder, text);
      assert.ok('post' in item);
      return [item.post.publishedAt, ...item.notes];
    };
    for (const path of ['_drafts/a.md', 'tech/_drafts/b/a.md', '_drafts/2020-01-01-a.md']) {
      assert.deepEqual(told(path, 'site'), [undefined, 'a draft'], path);
    }
    assert.deepEqual(told('a.md', '_drafts'), [undefined, 'a draft']);
    assert.deepEqual(told('my_drafts/a.md', '_drafts2'), ['2020-01-01T00:00:00.000Z']);
  });

  test('is public from the date on which it was, and no longer than it was', () => {
    const dated = (more: string) => read('a.md', `---\ndate: 2020-01-01\n${more}\n---\nx`);
    assert.equal(dated('publishDate: 2040-01-01').post.publishedAt, '2040-01-01T00:00:00.000Z');
    assert.equal(dated('pubDate: ""').post.publishedAt, '2020-01-01T00:00:00.000Z');
    const { post, notes } = dated('expiryDate: 2020-02-01');
    assert.deepEqual([post.publishedAt, notes], [undefined, ['is not shown for ever: imported as a draft']]);
  });

  test('has tags as a list or a line, without repeats, ten at most', () => {
    assert.deepEqual(front('tags: a, b , A,,').tags, ['A', 'b']);
    assert.deepEqual(front('tags: [1, x, {name: y}, [z], null]').tags, ['1', 'x', 'y', 'z']);
    assert.equal(front(`tags: [${Array.from({ length: 20 }, (_, i) => `t${i}`).join()}]`).tags?.length, 10);
  });

  test('of Hexo has categories within each other', () => {
    const { category, tags } = front('categories: [[Tech, Web], Life]\ntags: [a]');
    assert.deepEqual([category, tags], ['Tech', ['a', 'Web', 'Life']]);
  });

  test('of Jekyll has several categories and tags in a line', () => {
    const yaml = 'categories: one two\ntags: a, b c';
    const { category, tags } = front(yaml, '_posts/2020-01-01-a.md');
    assert.deepEqual([category, tags], ['one', ['a', 'b', 'c', 'two']]);
    assert.deepEqual(front(yaml).category, 'one two');
  });

  test('is cut to what the service takes, and says so', () => {
    const long = 'word '.repeat(200);
    const { post, notes } = read(
      'a.md',
      `---\ntitle: ${long}\ncategory: ${long}\nexcerpt: ${long}\ntags: ['${long}']\ndate: 2020-01-01\n---\nx`,
    );
    const lengths = [post.title, post.category, post.excerpt, post.tags?.[0]].map((t) => t?.length ?? 0);
    assert.ok(
      [200, 60, 500, 40].every((max, i) => (lengths[i] ?? 0) <= max && (lengths[i] ?? 0) > 0),
      String(lengths),
    );
    assert.equal(notes.filter((note) => note.includes('cut to')).length, 4);
  });

  test('leaves out images that no reader could load', () => {
    for (const image of ['./a.png', 'javascript:alert(1)', 'data:image/png,x', 'http://[']) {
      assert.equal(front(`image: "${image}"`).coverImageUrl, undefined, image);
    }
  });

  test('is told of when its text leads to files beside it', () => {
    const notesOf = (body: string) => read('a.md', `---\ndate: 2020-01-01\n---\n${body}`).notes;
    const body = `![A](./img/a.png) and [![B](/static/b.jpg)](../other.md "Other"), <img width="1" src='c.gif'>
[one](<x.md>) [two] [x](https://example.com/a.png) [y](#part) [z](/about) [m](mailto:a@example.com) <a id="part">

[two]: y.md
[pic]: img/d.WEBP "title"
[^1]: A footnote.
{% include note.html %}`;
    assert.deepEqual(notesOf(body), [
      'image ./img/a.png and 3 more left as written: images are not imported',
      'link ../other.md and 2 more left as written: it is relative to the file',
      'template tags ({{ }}, {% %}) left as text',
    ]);
    assert.deepEqual(
      notesOf('`![A](a.png)` ``[x](y.md) {{ z }}``\n```md\n![A](a.png) {{ x }}\n```\n~~~\n[x](y.md)'),
      [],
    );
    assert.deepEqual(notesOf('```js``` x `` ` ![B](b.png) `` ` ![A](a.png)\n[z](z.md)'), [
      'image a.png left as written: images are not imported',
      'link z.md left as written: it is relative to the file',
    ]);
    assert.deepEqual(notesOf('[x]({{ site.url }}/a.md)'), ['template tags ({{ }}, {% %}) left as text']);
    for (const hostile of [
      '![',
      '](',
      '<img ',
      '`',
      '[a]: ',
      '<a href=',
      '```\n',
      '{',
      ' id=',
      'a\n-\n',
      '# [](',
      '[x](#1-1)',
    ]) {
      // At the beginning of a line backticks are a fence, and behind something code in the line.
      for (const start of ['', 'a']) {
        const begun = process.cpuUsage();
        notesOf(start + hostile.repeat(900_000 / hostile.length));
        assert.ok(process.cpuUsage(begun).user < 12_000_000, start + hostile);
      }
    }
  });

  test('is told of when its text leads to places that it does not have', () => {
    const notesOf = (body: string) => read('a.md', `---\ndate: 2020-01-01\n---\n${body}`).notes;
    const places = `# What's *new* in [v1.0](https://example.com/x)?
> ## The \`__proto__\` of &amp; Äpfel {#other .class}
Two lines
of a title
---
## 日本
<h2 id='Own-1'>Own</h2> <a name="old">
### Same
### Same
[^1]: A footnote`;
    const links = [
      [
        'whats-new-in-v10',
        'what-s-new-in-v1-0',
        'the-__proto__-of--äpfel',
        'the-proto-of-apfel',
        '%C3%A4pfel',
        'other',
      ],
      ['two-lines-of-a-title', '日本', 'ri-ben', 'section', 'Own-1', 'old', 'same-1', 'fn1', 'fnref:1', ''],
    ].flat();
    const told = (ids: string[]) => notesOf(`${places}\n\n${ids.map((id) => `[x](#${id})`).join(' ')}`);
    assert.deepEqual(told(links), ['link #%C3%A4pfel leads nowhere']);
    assert.deepEqual(told(['up', 'other', 'x', 'y', 'top', 'Top']), ['link #up and 2 more leads nowhere']);
    assert.deepEqual(notesOf('`[x](#a)` <a href="#b">x</a>\n\n[c]: #c\n\n    [x](#d)'), [
      'link #b and 1 more leads nowhere',
    ]);
    for (const shown of [
      '<a id="a"></a>',
      '<div\n id="a">',
      '`<b id="a">`',
      '<script>\n\n<a id="a"></a>',
      '<b id="a"> <!-- c',
    ]) {
      assert.deepEqual(notesOf(`[x](#a)\n\n${shown}`), [], shown);
    }
    for (const leftOut of [
      '<form id="a"></form>',
      '<!-- <a id="a"></a> -->',
      '<svg><g id="a"/></svg>',
      '<p title=" id=a">',
    ]) {
      assert.deepEqual(notesOf(`[x](#a)\n\n${leftOut}`), ['link #a leads nowhere'], leftOut);
    }
  });

  test('with front matter that cannot be read is skipped with a reason', () => {
    for (const [text, reason] of [
      ['---\ndate: yesterday\n---\nx', /date is not a date: yesterday/],
      ['---\na: [\n---\nx', /front matter/],
      ['---\ntitle: &a [*a]\n---\nx', /front matter/],
      [`+++\n${'a.'.repeat(3000)}a=1\n+++\nx`, /front matter/],
      [`x${'y'.repeat(1_000_001)}`, /1000000 characters/],
    ] as const) {
      const result = readMarkdownPost('a.md', 'f', text);
      assert.match('reason' in result ? result.reason : '', reason);
    }
  });

  test('of any kind never breaks the import', () => {
    const names = ['title', 'date', 'slug', 'tags', 'author', 'image', 'category', 'draft', 'excerpt', 'categories'];
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...names), fc.jsonValue()),
        fc.string({ unit: 'binary' }),
        (fields, body) => {
          const result = readMarkdownPost('x/y.md', 'f', `---\n${JSON.stringify(fields)}\n---\n${body}`);
          if ('reason' in result) return assert.ok(result.reason.length < 200);
          assert.ok(isSlug(result.post.slug ?? result.post.slugHint ?? ''));
          assert.ok(!JSON.stringify(result.post).includes('\\u0000'));
        },
      ),
    );
  });
});

test('what is sent of a file does not depend on the files beside it; written slugs go first', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-plan-'));
  try {
    const add = async (path: string, slug = '') => {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), `---\ndate: 2020-01-01\n${slug}\n---\nx`);
    };
    await add('b/x.md');
    const readAll = async () => {
      const { items } = await readMarkdown(folder, 'f');
      return (await Array.fromAsync(items)).filter((item) => 'post' in item);
    };
    const [alone] = await readAll();
    assert.equal(alone?.post.slugHint, 'x');
    await add('a/x.markdown');
    await add('z/y.md', 'slug: x');
    const posts = await readAll();
    assert.deepEqual(
      posts.map((p) => [p.post.source, p.post.slug, p.post.slugHint]),
      [
        ['f/z/y.md', 'x', undefined],
        ['f/a/x.markdown', undefined, 'x'],
        ['f/b/x.md', undefined, 'x'],
      ],
    );
    assert.deepEqual(posts.at(-1), alone);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('drafts are such whatever name stands for their folder in the sources', async () => {
  const folder = join(await mkdtemp(join(tmpdir(), 'posthorn-drafts-')), '_drafts');
  try {
    await mkdir(join(folder, 'tech'), { recursive: true });
    await writeFile(join(folder, 'tech/a.md'), '---\ndate: 2020-01-01\n---\nb\n{: .lead}');
    for (const path of [folder, join(folder, 'tech'), relative(process.cwd(), join(folder, 'tech'))]) {
      const [item] = await Array.fromAsync((await readMarkdown(path, 'site')).items);
      assert.ok(item && 'post' in item);
      assert.deepEqual([item.post.publishedAt, item.post.body, item.notes], [undefined, 'b', ['a draft']], path);
    }
  } finally {
    await rm(dirname(folder), { recursive: true });
  }
});

test('of several files of one post the newest is taken, and of copies the first', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-states-'));
  try {
    const id = '01900000-0000-7000-8000-000000000001';
    const add = (name: string, updatedAt: string, more = '') =>
      writeFile(join(folder, name), `---\nposthorn: 1\nid: ${id}\nupdatedAt: ${updatedAt}\n${more}---\n\n${name}`);
    await add('middle.md', '2026-01-02T00:00:00.000Z', 'slug: middle\n');
    await add('_draft.md', '2026-01-01T00:00:00.000Z');
    await add('a-new.md', '2026-01-03T00:00:00.000Z', 'slug: a-new\n');
    await add('z-copy.md', '2026-01-03T00:00:00.000Z', 'slug: z-copy\n');
    const { items } = await readMarkdown(folder, 'f');
    const told = (await Array.fromAsync(items)).map((item) => ('post' in item ? item.post.body : item));
    const source = `posthorn/${id}`;
    assert.deepEqual(told, [
      'a-new.md',
      { source, outcome: 'skipped', reason: 'middle.md is an older state of the post in a-new.md' },
      { source, outcome: 'failed', reason: 'z-copy.md has the id or source of a-new.md: a post is one file' },
      { source, outcome: 'skipped', reason: '_draft.md is an older state of the post in a-new.md' },
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a file that cannot be read, or is a link, is told of, and the others come in', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-odd-'));
  try {
    await writeFile(join(folder, 'ok.md'), 'ok');
    await writeFile(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff]), Buffer.from('.md')]), 'x');
    await symlink('/etc/hostname', join(folder, 'link.md'));
    await writeFile(join(folder, 'latin.md'), Buffer.from([0xe9]));
    await writeFile(join(folder, 'gone.md'), 'x');
    const { total, items } = await readMarkdown(folder, 'f');
    await rm(join(folder, 'gone.md'));
    const told = (await Array.fromAsync(items)).map((item) =>
      'post' in item ? item.post.source : [item.source, item.outcome, item.reason],
    );
    assert.equal(total, 5);
    assert.deepEqual(told, [
      ['f/gone.md', 'failed', 'cannot be read (ENOENT)'],
      ['f/latin.md', 'failed', 'not a text in UTF-8'],
      ['f/link.md', 'skipped', 'a symbolic link, which is not followed'],
      'f/ok.md',
      ['f/\ufffd.md', 'failed', 'its name is not UTF-8'],
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('front matter may be TOML or JSON, and a text that begins with plus signs or a brace is one', () => {
  const toml = `+++ \r\ntitle = "T"\r\ndate = 2020-01-02T03:04:05+02:00\r\nlastmod = 2020-02-03\r\ndraft = false
tags = ["a", "b"]\n[cover]\nurl = "https://example.com/c.png"\n[author]\nname = "Ann"\n+++\r\n\r\nText`;
  const json = `{
  "title": "T", "date": "2020-01-02T01:04:05Z", "lastmod": "2020-02-03", "draft": false,
  "tags": ["a", "b"], "cover": {"url": "https://example.com/c.png"}, "author": {"name": "Ann"}
}\n\nText`;
  for (const text of [toml, `\ufeff${json}`]) {
    assert.deepEqual(read('n/a.md', text), {
      post: {
        source: 'folder/n/a.md',
        slugHint: 'a',
        title: 'T',
        body: 'Text',
        category: 'n',
        tags: ['a', 'b'],
        author: 'Ann',
        publishedAt: '2020-01-02T01:04:05.000Z',
        updatedAt: '2020-02-03T00:00:00.000Z',
        coverImageUrl: 'https://example.com/c.png',
      },
      notes: [],
    });
  }
  const refused = readMarkdownPost('a.md', 'f', '+++\ntitle = x y\n+++\nText');
  assert.match('reason' in refused ? refused.reason : '', /^front matter: Invalid TOML document: .+ \(line 1\)$/);
  for (const text of ['+++\nText', 'Text\n+++\nx = 1\n+++\n', '{\n% raw %\n}\n', '{{ x }}\n', '{ a }\n']) {
    assert.equal(read('a.md', text).post.body, text);
  }
  const { post } = read('2020-01-01-a.md', '{"title": "Secret", "draft": true}\nText');
  assert.deepEqual([post.title, post.body, post.publishedAt], ['Secret', 'Text', undefined]);
});
