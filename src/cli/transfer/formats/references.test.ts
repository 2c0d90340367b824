import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { Fit } from './fit.ts';
import { readMarkdown } from './read-markdown.ts';
import { ImportedFiles } from './imported-files.ts';
import { withReferences } from './references.ts';

const files = new ImportedFiles();
for (const [at, slug] of [
  ['/s/content/posts/one.md', 'first'],
  ['/s/content/posts/two/index.md', 'two'],
  ['/s/content/docs/one.md', 'docs-one'],
  ['/s/_posts/tech/2020-01-02-three.markdown', 'three'],
] as const)
  files.add(at, { source: at, slug, title: 'T', category: 'Big News', publishedAt: '2020-01-02T03:04:05Z' });
files.add('/s/x/own.md', { source: 'own', slug: 'own', title: 'T' }, ['/my/own-place/', 'https://s.example/was.html']);
for (const at of ['/s/a/same.md', '/s/b/same.md']) files.add(at, { source: at, slugHint: 'same', title: 'T' });

function read(markdown: string): [text: string, ...notes: string[]] {
  const fit = new Fit();
  return [
    withReferences(markdown, (kind, target) => files.slugOf({ kind, target, from: '/s/content/posts/here.md' }), fit),
    ...fit.notes,
  ];
}

describe('references to files, in links', () => {
  const cases: [text: string, markdown: string][] = [
    ['[a]({{< ref "posts/one.md" >}})', '[a](/blog/first)'],
    [
      '[a]({{<relref "/posts/two/index.md#Part.1 é" >}} "T") [b]({{% ref path="one" %}})',
      '[a](/blog/two#Part.1%20%C3%A9 "T") [b](/blog/first)',
    ],
    ['[a]({{< relref "#part" >}})', '[a](#part)'],
    ['[a](<{{< ref ../docs/one >}}>)', '[a](</blog/docs-one>)'],
    ['[a]: {{< ref "two" >}}\n<a href="{{< relref "two/" >}}">', '[a]: /blog/two\n<a href="/blog/two">'],
    [
      '[a](one.md) [b](./two/index.md#Part "T") [c](/content/docs/one.md)',
      '[a](/blog/first) [b](/blog/two#Part "T") [c](/blog/docs-one)',
    ],
    [
      '[a]: ../docs/one.md "T"\n\n<a class="b" href="../../_posts/tech/2020-01-02-three.markdown">',
      '[a]: /blog/docs-one "T"\n\n<a class="b" href="/blog/three">',
    ],
    [
      '[a](https://x.example/one.md) [b](//x.example/one.md) ![c](one.md.png) `[a](one.md)`',
      '[a](https://x.example/one.md) [b](//x.example/one.md) ![c](one.md.png) `[a](one.md)`',
    ],
    ['[a]({{ site.baseurl }}{% post_url tech/2020-01-02-three %})', '[a](/blog/three)'],
    ['[a]({{ site.url }}/{{site.baseurl}}/{% post_url 2020-01-02-three %})', '[a](/blog/three)'],
    ['[a]({{ site.url }}{{site.baseurl}}{%- link _posts/tech/2020-01-02-three.markdown -%}#x)', '[a](/blog/three#x)'],
    [
      '[a](/posts/two/?x=1#Part "T") [b](/s/posts/one.html) [c](</big-news/2020/01/02/three.html>) [d](/posts/two/index.html)',
      '[a](/blog/two?x=1#Part "T") [b](/blog/first) [c](</blog/three>) [d](/blog/two)',
    ],
    [
      '[a `![x` b](/posts/two) \\![c](/posts/two) [d `]` \\\\](/posts/two)',
      '[a `![x` b](/blog/two) \\![c](/blog/two) [d `]` \\\\](/blog/two)',
    ],
    ['[a](/my/own-place) [b](/was/)', '[a](/blog/own) [b](/blog/own)'],
    [
      '[a]: /2020/1/three\n\n[![b](/posts/two)](/docs/docs-one/)',
      '[a]: /blog/three\n\n[![b](/posts/two)](/blog/docs-one)',
    ],
    ['<a\nhref="{{ site.baseurl }}/2020/01/02/three.html">', '<a\nhref="/blog/three">'],
    ...[
      '![a](/posts/two) ![a [b] c](/posts/two) ![a](</posts/two>) [b](/x/two.png) `[g](/posts/two)`',
      // The text of an image goes on behind code, and what is code or escaped is no bracket of it.
      '![a `b` c](/posts/two) ![a `[x](y)` b](/posts/two) ![a `]` b](/posts/two) ![a ``[`` b](/posts/two)',
      '![a \\] b](/posts/two) ![a \\[ b](/posts/two)',
      '[c](//posts/two) [d](/blog/not-here) [e](/blog/tag/x) [f](/blog/) [g](/blog/tag/two)',
      '[^1]: /posts/two\n\n<a data-href="/posts/two">',
      '[a](/posts/two{{x}}) [b](/posts/two_(x))',
    ].map((text): [string, string] => [text, text]),
  ];
  for (const [text, markdown] of cases) test(text, () => assert.deepEqual(read(text), [markdown]));

  test('by a path that may be of another page stay as they are', () => {
    for (const path of [
      '/two/',
      '/about/me/',
      '/tags/three',
      '/2020/three',
      '/b/x/same',
      '/posts',
      '/a/b/one/%',
      '/shop/posts/two/',
      '/fr/posts/two',
      '/shop/2020/01/three',
      '/2019/01/three',
    ])
      assert.deepEqual(read(`[a](${path})`), [
        `[a](${path})`,
        `link ${path} left as written: it leads to no imported post`,
      ]);
  });

  test('stay as they are where no imported post is meant, or one of two, and in code', () => {
    for (const target of ['none.md', 'same', '/']) {
      const text = `[a]({{< ref "${target}" >}})`;
      assert.deepEqual(read(text), [text, `link ${target} left as written: it leads to no imported post`]);
    }
    for (const text of [
      '`[a]({{< ref "one" >}})`\n\n    [a]({{< ref "one" >}})\n```\n[a]({{< ref "one" >}})\n```',
      '{{< ref "one" >}} [a]({{</* ref "one" */>}})',
      '[a]({{< ref >}})',
    ]) {
      assert.deepEqual(read(text), [text]);
    }
  });

  test('are found in time that grows with the text', () => {
    for (const hostile of [
      '[a]({{< ref ',
      '](',
      '{{ site.url }}',
      ']({{site.url}}',
      '`',
      '[a]({{< ref "x" >}})',
      ']({% link ',
      '](',
      'href=a',
      '](one.md',
      '[a](b/one.md#c) ',
      'href=/',
      'href=/a?',
      '](/a',
      '![](/',
      '![`a` ](/a ',
      '[a](/posts/two) ',
      '[a](/b ',
      '[]: /a ',
      ' href=/a',
    ]) {
      const startedAt = process.cpuUsage();
      read(`a ${hostile.repeat(600_000 / hostile.length)}`);
      assert.ok(process.cpuUsage(startedAt).user < 12_000_000, hostile);
    }
    const startedAt = process.cpuUsage();
    read(`${'href=a.md#'.repeat(60_000)}(`);
    assert.ok(process.cpuUsage(startedAt).user < 12_000_000, 'a hash without an end');
  });
});

test('a folder has its references to its own files resolved, whichever is read first', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-references-'));
  try {
    const add = async (path: string, text: string) => {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    };
    await add(
      '_posts/2020-01-01-a.md',
      '[b]({% post_url 2020-01-02-b %}) [b](/2020/01/02/other.html) [c]({% link _posts/2020-01-03-c.md %})',
    );
    await add('_posts/2020-01-02-b.md', '---\nslug: other\n---\n[a](2020-01-01-a.md#x) [c](2020-01-03-c.md)');
    const { items } = await readMarkdown(folder, 'f');
    const told = (await Array.fromAsync(items)).map((item) => 'post' in item && [item.post.body, ...item.notes]);
    assert.deepEqual(told, [
      ['[a](/blog/a#x) [c](2020-01-03-c.md)', 'link 2020-01-03-c.md left as written: it is relative to the file'],
      [
        '[b](/blog/other) [b](/blog/other) [c]({% link _posts/2020-01-03-c.md %})',
        'link _posts/2020-01-03-c.md left as written: it leads to no imported post',
        'template tags ({{ }}, {% %}) left as text',
      ],
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a link to the address that a post declares leads to it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-declared-'));
  try {
    const addresses = ['/my/place/here/', '/2020/x-url', '/o/x-old/', '/from/there.html'];
    await writeFile(join(folder, 'a.md'), addresses.map((address) => `[x](${address})`).join(' '));
    await writeFile(join(folder, 'b.md'), '---\npermalink: /my/place/here/\nredirect_from: [/from/there.html]\n---\nx');
    await writeFile(join(folder, 'c.md'), '---\nurl: /2020/x-url/\naliases: [/o/x-old/]\n---\nx');
    const { items } = await readMarkdown(folder, 'f');
    const [a] = (await Array.fromAsync(items)).filter((item) => 'post' in item && item.post.source === 'f/a.md');
    assert.ok(a && 'post' in a);
    assert.equal(a.post.body, '[x](/blog/here) [x](/blog/x-url) [x](/blog/x-url) [x](/blog/here)');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a reference leads to the slug that the service gives its post', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-given-'));
  try {
    const links = ['taken', 'deleted', 'written', 'same'].map((name) => `[x]({{< ref "${name}.md" >}})`).join(' ');
    await writeFile(join(folder, 'a.md'), links);
    for (const name of ['taken', 'deleted', 'same', 'alone']) await writeFile(join(folder, `${name}.md`), 'x');
    await writeFile(join(folder, 'written.md'), '---\nslug: own\n---\nx');
    await writeFile(join(folder, 'other.md'), '---\nslug: same\n---\nx');
    const asked: unknown[] = [];
    const { items } = await readMarkdown(folder, 'f', async (posts) => {
      asked.push(...posts);
      return new Map([['f/taken.md', 'taken-2']]);
    });
    const [a] = (await Array.fromAsync(items)).filter((item) => 'post' in item && item.post.source === 'f/a.md');
    assert.ok(a && 'post' in a);
    assert.equal(
      a.post.body,
      '[x](/blog/taken-2) [x]({{< ref "deleted.md" >}}) [x](/blog/own) [x]({{< ref "same.md" >}})',
    );
    assert.deepEqual(asked, [
      { source: 'f/taken.md', slugHint: 'taken', title: 'taken' },
      { source: 'f/deleted.md', slugHint: 'deleted', title: 'deleted' },
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a reference stays as it is where another post of the folder may get the slug', async () => {
  const ref = (name: string) => `[x]({{< ref "${name}.md" >}})`;
  const cases: [files: Record<string, string>, target: string, given: Record<string, string>, slug?: string][] = [
    [{ b: 'x', 'b-2': 'x' }, 'b', { b: 'b-2' }],
    [{ b: 'x', 'b-2': 'x' }, 'b-2', { b: 'b-2', 'b-2': 'b-2-2' }],
    [{ b: 'x', 'b-2': 'x' }, 'b-2', { b: 'b-3', 'b-2': 'b-2' }],
    [{ b: 'x', 'b-2': 'x' }, 'b-2', { b: 'b', 'b-2': 'b-2' }, 'b-2'],
    [{ b: 'x', 'b-2': 'x' }, 'b', { b: 'b' }, 'b'],
    [{ b: 'x', c: '---\nslug: b-2\n---\nx' }, 'b', { b: 'b-2' }],
    [{ b: 'x', c: '---\naliases: [/b-2/]\n---\nx' }, 'b', { b: 'b-2' }],
    [{ b: 'x', c: '---\naliases: [/b/]\n---\nx' }, 'b', { b: 'b' }],
    [{ b: 'x', c: '---\nslug: b-3\n---\nx' }, 'b', { b: 'b-2' }, 'b-2'],
  ];
  for (const [texts, target, given, slug] of cases) {
    const folder = await mkdtemp(join(tmpdir(), 'posthorn-contested-'));
    try {
      for (const [name, text] of Object.entries({ a: ref(target), ...texts }))
        await writeFile(join(folder, `${name}.md`), text);
      const { items } = await readMarkdown(
        folder,
        'f',
        async (posts) =>
          new Map(posts.map(({ source }) => [source, given[source.replace(/^f\/|\.md$/g, '')] ?? 'not asked'])),
      );
      const [a] = (await Array.fromAsync(items)).filter((item) => 'post' in item && item.post.source === 'f/a.md');
      assert.ok(a && 'post' in a);
      const about = JSON.stringify([texts, target, given]);
      assert.equal(a.post.body, slug === undefined ? ref(target) : `[x](/blog/${slug})`, about);
      const note = `link ${target}.md left as written: it leads to no imported post`;
      assert.equal(a.notes.includes(note), slug === undefined, about);
    } finally {
      await rm(folder, { recursive: true });
    }
  }
});

test('slugs are asked for in time that grows with the folder, whatever many files wish for', async () => {
  const imported = new ImportedFiles();
  const count = 6000;
  for (let n = 2; n < count; n++) {
    imported.add(`/x/${n}/post.md`, { source: `${n}`, slugHint: 'post', title: 'T', body: '' });
    imported.add(`/x/post-${n}.md`, { source: `post-${n}`, slugHint: `post-${n}`, title: 'T', body: '' });
    for (const target of [`post-${n}`, 'post-2']) imported.refer({ kind: 'file', target, from: '/x/a.md' });
  }
  const startedAt = process.cpuUsage();
  await imported.ask(async (posts) => new Map(posts.map(({ source }) => [source, source])));
  for (let n = 2; n < count; n++)
    assert.equal(imported.slugOf({ kind: 'file', target: `post-${n}`, from: '/x/a.md' }), undefined);
  // By the square of their number these took fifteen seconds.
  assert.ok(process.cpuUsage(startedAt).user < 5_000_000);
});
