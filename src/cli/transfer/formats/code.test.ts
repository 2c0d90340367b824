import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withParagraphs } from './autop.ts';
import { htmlToMarkdown } from './html-to-markdown.ts';

describe('code of several lines', () => {
  const cases: [html: string, markdown: string][] = [
    ['<p><code>def f():\n    return 1</code></p>', '```\ndef f():\n    return 1\n```'],
    ['<code>a<br>b</code>', '```\na\nb\n```'],
    ['a<p><span><code class="language-js">a<br>&nbsp;&nbsp;b<br></code></span><br></p>', 'a\n\n```js\na\n  b\n```'],
    [withParagraphs('a\n\n<code>b:\n    c</code>\n\nd'), 'a\n\n```\nb:\n    c\n```\n\nd'],
    ['<blockquote><p><code>a<br>b</code></p></blockquote>', '> ```\n> a\n> b\n> ```'],
    ['<ul><li><code>a\n b</code></li></ul>', '-   ```\n    a\n     b\n    ```'],
    ['<p>x <code>a<br>`b`<br></code> y</p>', 'x `a`<br>`` `b` `` y'],
    ['<h2><code>a<br>b</code></h2>', '## `a`<br>`b`'],
    ['<table><tr><th>x</th></tr><tr><td><code>a<br>b</code></td></tr></table>', '| x   |\n| --- |\n| `a`<br>`b` |'],
    ['<a href="/f"><code>a<br>b</code></a>', '[`a`<br>`b`](/f)'],
    ['<p><img src="i.png"><code>a<br>b</code></p>', '![](i.png)`a`<br>`b`'],
    ['<p>x <code>a\n  b</code> y</p>', 'x `a b` y'],
  ];
  for (const [html, markdown] of cases) test(html, () => assert.equal(htmlToMarkdown(html).markdown, `${markdown}\n`));
});

test('spaces at the ends of code are those of the line', () => {
  for (const [html, markdown] of [
    ['<p>a<code> b </code>c <code> d</code> <b><code>e </code></b>f</p>', 'a `b` c `d` **`e`** f'],
    ['<p><code>a </code><code> b</code><code>c</code></p>', '`a` `b`<!-- -->`c`'],
    ['<p> <code> b</code></p><p>c<code> </code>d</p>', '`b`\n\nc d'],
    ['<ul><li><code>  a  b </code></li></ul>', '-   `a b`'],
  ] as const) {
    assert.equal(htmlToMarkdown(html).markdown, `${markdown}\n`);
  }
});
