import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { renderMarkdown } from './render.ts';
import { renderPlain } from './render-with.ts';

const html = (markdown: string): string => renderMarkdown(markdown).html.trim();
const REL = 'rel="nofollow ugc noopener"';

describe('Markdown', () => {
  for (const [name, markdown, expected] of [
    [
      'paragraphs and marks',
      'a *b* **c** ~~d~~ `e`\n\nf',
      '<p>a <em>b</em> <strong>c</strong> <s>d</s> <code>e</code></p>\n<p>f</p>',
    ],
    ['a link out', '[x](https://e.com)', `<p><a href="https://e.com" ${REL}>x</a></p>`],
    ['a bare link', 'https://e.com', `<p><a href="https://e.com" ${REL}>https://e.com</a></p>`],
    ['a name that looks like one', 'node.js', '<p>node.js</p>'],
    ['a link within the blog', '[x](/blog/y)', '<p><a href="/blog/y">x</a></p>'],
    ['a link within the page', '[x](#y)', '<p><a href="#user-content-y">x</a></p>'],
    ['a link that runs a script', '[a *b*](javascript:x()) [c](file:///d)', '<p><a>a <em>b</em></a> <a>c</a></p>'],
    ['an image', '![alt](a.png "t")', '<p><img src="a.png" alt="alt" title="t" loading="lazy" decoding="async" /></p>'],
    ['a heading', '## Été & co', '<h2 id="user-content-ete-co">Été &amp; co</h2>'],
    ['tasks', '- [x] a', '<ul>\n<li class="task-list-item"><input type="checkbox" disabled checked /> a</li>\n</ul>'],
    [
      'code',
      '```js\nlet a;\n```',
      '<pre><code class="language-js"><span class="hljs-keyword">let</span> a;\n</code></pre>',
    ],
    ['code of an unknown language', '```x1\n<b>\n```', '<pre><code class="language-x1">&lt;b&gt;\n</code></pre>'],
    [
      'HTML',
      '<kbd title="k">Ctrl</kbd> <details open><summary>s</summary>t</details>',
      '<p><kbd title="k">Ctrl</kbd> </p><details open><summary>s</summary>t</details><p></p>',
    ],
  ] as const) {
    test(name, () => assert.equal(html(markdown), expected));
  }

  test('tables are aligned without styles', () => {
    assert.match(
      html('|a|b|\n|:-:|--|\n|1|2|'),
      /<th align="center">a<\/th>\n<th>b<\/th>[\s\S]*<td align="center">1<\/td>/,
    );
  });

  test('footnotes lead there and back', () => {
    const out = html('a[^n]\n\n[^n]: note');
    const [, there] = /href="#([^"]+)">\[1\]/.exec(out) ?? [];
    const [, back] = /class="footnote-backref" href="#([^"]+)"/.exec(out) ?? [];
    assert.ok(
      out.includes(`class="footnote-item" id="${there}"`) || out.includes(`id="${there}" class="footnote-item"`),
      out,
    );
    assert.ok(out.includes(`id="${back}"`), out);
  });

  test('a heading has the id that its writer chose, unless another has it', () => {
    const { html: out, toc } = renderMarkdown(
      '## A {#über}\n\n## b\n\n## *C* {#b .x y=1}\n\n## D {#b}\n\n## E \\{#e}\n\n# {#f"}',
    );
    assert.match(out, /^<h2 id="user-content-über">A<\/h2>\n/);
    assert.deepEqual(
      toc.map(({ text, id }) => `${text}: ${id.slice('user-content-'.length)}`),
      ['A: über', 'b: b-2', 'C: b', 'D {#b}: d-b', 'E {#e}: e-e', '{#f"}: f'],
    );
  });

  test('an id is had once, by the element or footnote that it was written for', () => {
    const cases: [markdown: string, ...ids: string[]][] = [
      ['## Intro\n\n<p id="intro">a</p>', 'intro-2'],
      ['## Intro\n\n<div\nid=intro>a</div>\n\n<input name="b">\n\n## B', 'intro-2', 'b'],
      ['## <a class="c" NAME="intro"></a>Intro', 'intro-2'],
      ['## T {#old}\n\n<a name="old"></a>a', 't'],
      ['a[^1]\n\n[^1]: b\n\n## H {#fn1}\n\n## Fnref1\n\n## Fn2', 'h', 'fnref1-2', 'fn2'],
      ['a[^x] b[^x]\n\n[^x]: c\n\n## H {#fnref1:1}\n\n## I {#fnref1:2}', 'h', 'fnref1:2'],
      ['`<p id="a">` id="b"\n\n## A\n\n## B', 'a', 'b'],
      ['## A\n\n<form id="a"><p id="b">x</p></form>\n\n## B', 'a', 'b-2'],
      ['## A\n\n<iframe id="a"></iframe> <input id="a"> <x-y id="a">', 'a'],
      ['## A\n\n<script id="a">\n\n</script>\n\n<svg><g id="a"></svg>\n\nx <svg> <a id="a"></a> y</svg>', 'a'],
      ['## A\n\n<!-- <a id="a"></a>\n\n<a id="a"></a> -->\n\n<p title=\' id="a"\'>x <b lang="id=a">y</b></p>', 'a'],
      ['## A\n\n<input type="checkbox" id="a"> x\n\n<script>\n\n## B\n\n<a id="b"></a>', 'a-2', 'b-2'],
    ];
    for (const [markdown, ...expected] of cases) {
      const { html: out, toc } = renderMarkdown(markdown);
      assert.deepEqual(
        toc.map(({ id, text }) => `${id.slice('user-content-'.length)}${text.includes('{') ? text : ''}`),
        expected,
      );
      const ids = Array.from(out.matchAll(/ id="([^"]+)"/g), ([, id]) => id);
      assert.deepEqual(ids, [...new Set(ids)], markdown);
    }
  });

  test('a heading that would be nothing but its id is a text', () => {
    const { html: out, toc } = renderMarkdown('## {#if user.name}\n\n## {#each}\n\n## ![a](/b.png) {#c}');
    assert.match(out, /^<h2 id="[^"]*">\{#if user\.name\}<\/h2>\n<h2 id="[^"]*">\{#each\}<\/h2>\n/);
    assert.deepEqual(
      toc.map(({ id }) => id.slice('user-content-'.length)),
      ['if-user-name', 'each', 'c'],
    );
  });

  test('links lead to what had the id elsewhere', () => {
    const to = (id: string, text: string): string => `<a href="#user-content-${id}">${text}</a>`;
    const body = '## What\'s *new* in 2.0?\n\n## Über\n\n## Über\n\n<a name="old"></a><b id="fn:1">c</b>';
    const links = '[a](#whats-new-in-20) [b](#%C3%BCber-1) [c](#Old) [d](#old) [e](#fn:1) [f](#uber) [g](#%)';
    assert.ok(
      html(`${links}\n\n${body}`).startsWith(
        `<p>${to('whats-new-in-2-0', 'a')} ${to('uber-2', 'b')} ${to('Old', 'c')} ${to('old', 'd')} ${to('fn:1', 'e')} ${to('uber', 'f')} ${to('%25', 'g')}</p>`,
      ),
      html(`${links}\n\n${body}`),
    );
    assert.ok(html(body).endsWith('<p><a id="user-content-old"></a><b id="user-content-fn:1">c</b></p>'));
  });

  test('a heading in another script has an id of its sound, and links to the id that it had before lead to it', () => {
    const { html: out, toc } = renderMarkdown(
      '## Привет, мир\n\n## 你好\n\n## API 문서\n\n## API\n\n## 👍\n\n[a](#section) [b](#section-2) [c](#section-3) [d](#api) [e](#привет-мир)',
    );
    assert.deepEqual(
      toc.map(({ id }) => id.slice('user-content-'.length)),
      ['privet-mir', 'ni-hao', 'api-munseo', 'api', 'section'],
    );
    assert.deepEqual(
      [...out.matchAll(/<a href="#user-content-([^"]+)">/g)].map(([, id]) => id),
      ['section', 'ni-hao', 'section', 'api', 'privet-mir'],
    );
  });

  test('a link leads to its heading, whatever is left out has the id', () => {
    assert.match(
      html('[c](#contact)\n\n## Contact\n\n<form id="contact"><p>x</p></form>'),
      /^<p><a href="#user-content-contact">c<\/a><\/p>\n<h2 id="user-content-contact">/,
    );
  });

  test('a link to the beginning of the page leads there, unless something has that id', () => {
    const up = '[a](#) [b](#top) <a href="#Top">c</a>';
    assert.equal(html(up), '<p><a href="#">a</a> <a href="#top">b</a> <a href="#Top">c</a></p>');
    for (const top of ['## Top', '<a name="top"></a>']) {
      assert.match(html(`${up}\n\n${top}`), /^<p><a href="#">a<\/a> <a href="#user-content-top">b<\/a>/);
    }
    assert.equal(
      html('<a name="TOP"></a>x <a href="#TOP">up</a> <a href="#top">b</a>'),
      '<p><a id="user-content-TOP"></a>x <a href="#user-content-TOP">up</a> <a href="#top">b</a></p>',
    );
  });

  test('headings have ids of their own, and a table of contents', () => {
    const { toc } = renderMarkdown('# A\n\n## A\n\n## *B* `c`\n\n### 東京\n\n# a-2');
    assert.deepEqual(toc, [
      { level: 1, text: 'A', id: 'user-content-a' },
      { level: 2, text: 'A', id: 'user-content-a-2' },
      { level: 2, text: 'B c', id: 'user-content-b-c' },
      { level: 3, text: '東京', id: 'user-content-dong-jing' },
      { level: 1, text: 'a-2', id: 'user-content-a-2-2' },
    ]);
  });
});

test('plain text is escaped, in paragraphs', () => {
  assert.equal(renderPlain('a <b>\n\n\n"c" & d').html, '<p>a &lt;b&gt;</p>\n<p>&quot;c&quot; &amp; d</p>\n');
});

test('what becomes too long is shown as it was written', () => {
  const { html: out } = renderMarkdown(`[^1]: x\n\n${'[^1] '.repeat(60_000)}`);
  assert.ok(out.startsWith('<p>[^1]: x</p>') && out.length < 400_000);
});
