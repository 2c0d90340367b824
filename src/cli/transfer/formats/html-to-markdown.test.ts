import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withParagraphs } from './autop.ts';
import { HtmlError, htmlToMarkdown } from './html-to-markdown.ts';
import { htmlToText } from './html-to-text.ts';

describe('HTML becomes Markdown', () => {
  const cases: [html: string, markdown: string, notes?: string[]][] = [
    ['', ''],
    [
      '<table><tr><th>a</th><th>b</th></tr><tr><td rowspan="2">c</td><td>d</td></tr><tr><td>e</td></tr></table>',
      '<table><tbody><tr><th>a</th><th>b</th></tr><tr><td rowspan="2">c</td><td>d</td></tr><tr><td>e</td></tr></tbody></table>\n',
    ],
    [
      '<table><tr><td>a</td><td><pre>b\n\n c</pre></td></tr></table><table><tr><td><pre>d</pre></td></tr></table>',
      '<table><tbody><tr><td>a</td><td><pre>b&#10;\n c</pre></td></tr></tbody></table>\n\n```\nd\n```\n',
    ],
    [
      '<table><tr><td>a</td><td>b<table><tr><th rowspan="1">c</th></tr><tr><td>d</td></tr></table></td></tr></table>',
      'a\n\nb\n\n| c   |\n| --- |\n| d   |\n',
    ],
    [
      '<table><tr><td rowspan="2">a<iframe src="https://x.example/?v=1&amp;w=2"></iframe></td><td><video><source src="/v.mp4"></video><embed></td></tr></table>',
      '<table><tbody><tr><td rowspan="2">a<a href="https://x.example/?v=1&amp;w=2">https://x.example/?v=1&amp;w=2</a></td><td><a href="/v.mp4">/v.mp4</a></td></tr></tbody></table>\n',
      ['iframe made a link', 'video made a link', 'embed left out'],
    ],
    ['<!-- wp:x --> \n', ''],
    ['<h2>A</h2><p>b<br>c</p><hr>', '## A\n\nb  \nc\n\n---\n'],
    ['<ul><li>a</li></ul><ol><li>b</li></ol>', '-   a\n\n1.  b\n'],
    ['<ol><li>a</li></ol> <ol><li>b</li></ol>', '1.  a\n\n<!-- -->\n\n1.  b\n'],
    [
      '<ul><li>a</li> <ul><li>b<ol><li>c</li></ol></li></ul> <li>d</li></ul>',
      '-   a\n    -   b\n        1.  c\n-   d\n',
    ],
    [
      '<ul><li><input type="checkbox" checked disabled> a</li><li> <p><label><input type="CHECKBOX"><b>b</b></label></p><ul><li><input type="checkbox">c</li></ul></li></ul>',
      '-   [x] a\n-   [ ] **b**\n    \n    -   [ ] c\n',
    ],
    ['<ul><li>a<input type="checkbox"></li><li><input type="radio">b</li></ul>', '-   a\n-   b\n', ['input left out']],
    ['<ul><li>a<ol start="3"><li>b</li></ol></li><li>c</li></ul>', '-   a\n    \n    3.  b\n    \n-   c\n'],
    ['<p><a href="https://x.example/?a=1&amp;b=2" title="T">l</a></p>', '[l](https://x.example/?a=1&b=2 "T")\n'],
    [
      '<img src="https://x.example/a b.png" alt="An [image] &quot;x&quot;">',
      '![An \\[image\\] "x"](<https://x.example/a b.png>)\n',
    ],
    [
      '<p>a <img class="emoji" src="https://x.example/1f642.svg" alt="🙂"> <img src="https://s.w.org/images/core/emoji/11/svg/1f600.svg" alt="*"><img class="emoji" src="i.png"></p>',
      'a 🙂 \\*![](i.png)\n',
    ],
    [
      '<p><img src="data:image/gif;base64,R0" data-src="https://x.example/a b.png" alt="a"> <img data-lazy-src="i.png"> <img src="i.png" data-src="j.png"></p>',
      '![a](<https://x.example/a%20b.png>) ![](<i.png>) ![](i.png)\n',
    ],
    [
      '<p>a <img src=" DATA:image/png;base64,R0" alt="b_c">d</p>',
      'a b\\_cd\n',
      ['image left out: it stands in the text itself (data:)'],
    ],
    [
      '<div class="wp-block-file"><a href="/f.pdf">f</a><a href="/f.pdf" class="wp-block-file__button" download>Download</a></div>',
      '[f](/f.pdf)\n',
    ],
    ['<p>1. *not* _marked_ `up` # here</p>', '1\\. \\*not\\* \\_marked\\_ \\`up\\` # here\n'],
    ['<p>1) a</p><p>2)</p><p>3.<b> b</b></p><p>4)c</p>', '1\\) a\n\n2\\)\n\n3\\. **b**\n\n4)c\n'],
    ['<p>+</p><p>##</p><p>#<a href="/t">t</a></p>', '\\+\n\n\\##\n\n\\#[t](/t)\n'],
    [
      '<p>a ~~b~~ ~c~ \\~~d</p><p>~~~ https://x.example/~~e/</p>',
      'a \\~\\~b\\~\\~ ~c~ \\\\\\~\\~d\n\n\\~\\~\\~ https://x.example/%7E%7Ee/\n',
    ],
    ['<p>a &lt;b&gt; &amp; &#8220;c&#8221; &nbsp;</p>', 'a \\<b> & “c”\n'],
    [
      '<p>Map&lt;K, V&gt;, &lt;/b&gt; &lt;!-- x --&gt; &amp;lt; &amp;#60; AT&amp;T 2 &lt; 3 &lt;3 <code>&lt;i&gt; &amp;lt;</code></p>',
      'Map\\<K, V>, \\</b> \\<!-- x --> \\&lt; \\&#60; AT&T 2 < 3 <3 `<i> &lt;`\n',
    ],
    ['<h2>a<br>b <em>c<br/>d</em></h2>', '## a b *c d*\n'],
    ['<h2>The &lt;title&gt;</h2><a href="/f">&lt;b&gt;</a>', '## The \\<title>\n\n[\\<b>](/f)\n'],
    ['<pre>a  b\n```\nc</pre>', '````\na  b\n```\nc\n````\n'],
    ['<pre><code class="language-ts">x</code></pre>', '```ts\nx\n```\n'],
    ['<pre class="wp-block-code"><code>a<!-- x --><br>  b<br/><b>c</b></code></pre>', '```\na\n  b\nc\n```\n'],
    ['<pre class="brush: php; title: x">a</pre><pre class="x lang:c++">b</pre>', '```php\na\n```\n\n```c++\nb\n```\n'],
    ['<pre lang="php">a</pre><pre data-lang="c++" lang="en">b</pre>', '```php\na\n```\n\n```c++\nb\n```\n'],
    ['<p><code>a <a href="/f"><b>l_1</b></a></code> <code>`b`` c</code></p>', '`a l_1` ``` `b`` c ```\n'],
    [
      '<p><code>a</code><code>b</code> <code>c</code><!-- --><span><code>`</code></span><code></code><code> d</code></p>',
      '`a`<!-- -->`b` `c`<!-- -->`` ` `` `d`\n',
    ],
    ['x<code> a </code>y <code>`<br></code>', 'x `a` y `` ` ``\n'],
    ['<pre><div>a</div><div><br></div><div>b</div>c</pre>', '```\na\n\nb\nc\n```\n'],
    ['<pre><code><span class="line">a <b>b</b></span><span class="line"> c</span></code></pre>', '```\na b\n c\n```\n'],
    ['<pre><span class="line">a</span>\n<span class="line"></span>\n<span>b</span></pre>', '```\na\n\nb\n```\n'],
    ['<pre class="linenums"><ol><li>a</li><li>b</li></ol></pre>', '```\na\nb\n```\n'],
    [
      '<p>https://x.example/?v=a_b__c*d_ f_g</p><a href="/f">https://x.example/a_b</a>',
      'https://x.example/?v=a_b%5F%5Fc%2Ad%5F f\\_g\n\n[https://x.example/a\\_b](/f)\n',
    ],
    [
      '<p>[see https://x.example.] ["https://x.example/a_b?!"] [https://x.example…] _https://x.example/a._ “https://x.example”</p>',
      '\\[see <https://x.example>.\\] \\["<https://x.example/a_b>?!"\\] \\[<https://x.example>…\\] \\_<https://x.example/a>.\\_ “https://x.example”\n',
    ],
    [
      '<p>[see https://x.example/a_b] [https://x.example/][x]</p>',
      '\\[see <https://x.example/a_b>\\] \\[<https://x.example/>\\]\\[x\\]\n',
    ],
    [
      '<p>_https://x.example/a__b_ **https://x.example/** *https://x.example/a</p>',
      '\\_<https://x.example/a__b>\\_ \\*\\*<https://x.example/>\\*\\* \\*https://x.example/a\n',
    ],
    [
      '<a href="https://x.example/__init__.py" title="T">https://x.example/__init__.py</a><a href="/f"> _https://x.example/_</a>',
      '[https://x.example/\\_\\_init\\_\\_.py](https://x.example/__init__.py "T") [\\_https://x.example/\\_](/f)\n',
    ],
    ['<del>a</del><strong>b</strong>', '~~a~~**b**\n'],
    [
      '<b>a</b><b>b</b> <i>c</i><b>d</b> <s>e</s><strike>f</strike>',
      '**a**<strong>b</strong> *c*<strong>d</strong> ~~e~~<del>f</del>\n',
    ],
    [
      '<p><i><em class="italic">a</em></i> <b><strong>b</strong></b> <b><i><strong>c</strong></i></b> <i>d <em><b>e</b></em></i>',
      '*a* **b** ***c*** *d **e***\n',
    ],
    ['<b>a<br></b>b', '**a**  \nb\n'],
    ['<b>a<br><br>b</b>', '**a**  \n  \n**b**\n'],
    [
      '<p><b>Q:</b>a <i>“c”</i> d<del>(e)</del> f.<b>“g”</b></p>',
      '<strong>Q:</strong>a *“c”* d<del>(e)</del> f.**“g”**\n',
    ],
    ['<p>彼は<strong>「引用。」</strong>と</p>', '彼は<strong>「引用。」</strong>と\n'],
    ['<p>a<span><b> "c" </b></span><b><i>"d"</i></b>e</p>', 'a **"c"** <strong><em>"d"</em></strong>e\n'],
    [
      '<p><strong><a href="/f">l</a></strong>s <b><code>c</code></b>s',
      '<strong>[l](/f)</strong>s <strong>`c`</strong>s\n',
    ],
    ['<video><source src="https://x.example/v.mp4"></video>', '<https://x.example/v.mp4>\n', ['video made a link']],
    ['<iframe src="https://x.example/a<b c"></iframe>', '<https://x.example/a%3Cb%20c>\n', ['iframe made a link']],
    [
      '<object width="1"><param name="movie" value="http://x.example/v/a"><embed src="http://x.example/v/b"></object>',
      '<http://x.example/v/b>\n',
      ['object made a link'],
    ],
    ['<object><param name="Movie" value="//x.example/v"></object>', '<https://x.example/v>\n', ['object made a link']],
    ['a<object data="/b.pdf"></object>', 'a\n\n[/b.pdf](/b.pdf)\n', ['object made a link']],
    ['<object><iframe src="//x.example/v"></iframe></object>', '<https://x.example/v>\n', ['object made a link']],
    ['<object><param name="quality" value="high"></object>', '', ['object left out']],
    [
      '<iframe src="about:blank" data-src="//x.example/v" title="t"></iframe>',
      '[t](https://x.example/v)\n',
      ['iframe made a link'],
    ],
    ['<iframe data-lazy-src="//x.example/v" src></iframe>', '<https://x.example/v>\n', ['iframe made a link']],
    ['<iframe src="about:blank" title="t"></iframe>', '', ['iframe left out']],
    ['<iframe src="//x.example/e_f"></iframe>', '<https://x.example/e_f>\n', ['iframe made a link']],
    [
      '<iframe src="//x.example/e(1)" title="A [b]\n_c_"></iframe>',
      '[A \\[b\\] \\_c\\_](<https://x.example/e(1)>)\n',
      ['iframe made a link'],
    ],
    ['<video src="v_[a] b.mp4"></video>', '[v\\_\\[a\\]%20b.mp4](v_[a]%20b.mp4)\n', ['video made a link']],
    ['<p>a<script>alert(1)</script><style>p{}</style></p>', 'a\n', ['script left out', 'style left out']],
    ['<p>a<input value="x"><form>b</form>', 'a\n', ['input left out', 'form left out']],
    ['<p>never <b>closed', 'never **closed**\n'],
    [
      '<figure><a class="kg-bookmark-container" href="https://x.example/a b(c)"><div><div>T <em>e</em></div><div>D</div></div><div><img src="i.png"></div></a></figure>',
      '[T *e*](<https://x.example/a%20b(c)>)\n\nD\n\n![](i.png)\n',
    ],
    [
      '<div class="kg-card kg-audio-card"><audio src="/a.mp3"></audio><div class="kg-audio-title">T</div><div class="kg-audio-player"><button><svg></svg></button><span>0:00</span><div>/<span>205.8</span></div><input><button>1×</button></div></div>',
      '[/a.mp3](/a.mp3)\n\nT\n',
      ['audio made a link'],
    ],
    [
      '<div class="kg-card kg-file-card"><a href="/a.pdf"><div>T</div><div class="kg-file-card-icon"><svg><defs><style>a{}</style></defs><title>download-circle</title></svg></div></a></div>',
      '[T](/a.pdf)\n',
    ],
    [
      '<a href="/f"><div>T</div><div><img class="kg-bookmark-icon" src="i.ico"><span class="kg-bookmark-author">A</span><span class="kg-bookmark-publisher">P</span></div></a>',
      '[T](/f)\n\nA · P\n',
    ],
    [
      '<p><a href="javascript:void(0)">a <b>b</b></a> <a href=" Java\nScript:x">c</a> <a href="data:text/html,x">d</a> <a href="#">e</a> <a href="javascript:"><h3>f</h3></a>',
      'a **b** c d e\n\n### f\n',
      ['link to javascript: made text', 'link to data: made text'],
    ],
    ['a<a href="/f"><h3>T</h3><p>b<br>c</p></a>d', 'a\n\n### [T](/f)\n\nb  \nc\n\nd\n'],
    ['<a href="/f"><div><img src="i.png" alt="A"></div></a>', '[![A](i.png)](/f)\n'],
    ['<a href="/f(1)"><ul><li>a</li></ul></a>', '[/f(1)](</f(1)>)\n\n-   a\n'],
    ['<a name="x"><p>a</p></a>', 'a\n'],
    [
      '<p>10<sup>6</sup> H<sub>2</sub>O <kbd>Ctrl</kbd> <mark>m*</mark></p>',
      '10<sup>6</sup> H<sub>2</sub>O <kbd>Ctrl</kbd> <mark>m\\*</mark>\n',
    ],
    [
      '<p><u>a <b>b</b></u> <ins>c</ins> <abbr title="A &quot;b&quot; <c>">d</abbr></p>',
      '<u>a **b**</u> <ins>c</ins> <abbr title="A &quot;b&quot; &lt;c>">d</abbr>\n',
    ],
    ['<p><code>a<sup>b</sup></code></p><pre>c<u>d</u></pre>', '`ab`\n\n```\ncd\n```\n'],
    [
      '<details open class="x"><summary>S &lt; <b>t</b></summary><p>a</p><ul><li>b</li></ul></details>c',
      '<details open>\n<summary>S &lt; t</summary>\n\na\n\n-   b\n\n</details>\n\nc\n',
    ],
    ['<details>a</details>', '<details>\n\na\n\n</details>\n'],
  ];
  for (const [html, markdown, notes = []] of cases) {
    test(html || 'nothing', () => {
      const converted = htmlToMarkdown(html);
      assert.deepEqual({ ...converted, notes: converted.notes.toSorted() }, { markdown, notes: notes.toSorted() });
    });
  }

  test('unless it is too long or nested too deeply, also by ends that close nothing', () => {
    assert.equal(htmlToMarkdown(`${'<div>'.repeat(190)}x${'</div>'.repeat(190)}`.repeat(3)).markdown, 'x\n\nx\n\nx\n');
    assert.equal(htmlToMarkdown('<p>a<li>b'.repeat(1000)).markdown.match(/b/g)?.length, 1000);
    for (const html of [
      '<div>'.repeat(20_000),
      '<div></b>'.repeat(20_000),
      '<DIV\n></b>'.repeat(20_000),
      '<b>'.repeat(20_000),
      'x'.repeat(4_000_001),
    ]) {
      assert.throws(() => htmlToMarkdown(html), HtmlError, html.slice(0, 20));
    }
  });
});

describe('the classic editor of WordPress', () => {
  const cases: [content: string, html: string][] = [
    ['a\nb\n\n\nc', '<p>a<br>\nb</p>\n<p>c</p>'],
    ['a\r\n \r\nb', '<p>a</p>\n<p>b</p>'],
    ['<h2>x</h2>\n\ny', '<h2>x</h2>\n<p>y</p>'],
    ['a\n\n<pre>x\n\ny</pre>\nb', '<p>a</p>\n<pre>x\n\ny</pre>\n<p>b</p>'],
    ['<p>a\n\nb</p>', '<p>\n<p>a</p>\n<p>b</p>\n</p>'],
    ['a\n\n<p style="x">b</p>\nc\n\nd', '<p>a</p>\n<p style="x">b</p>\n<p>c</p>\n<p>d</p>'],
    ['<p>a\n\n<pre>b\n\nc</pre>\nd', '<p>a\n<pre>b\n\nc</pre>\n<p>d</p>'],
    ['<!-- wp:paragraph -->\n\na', '<!-- wp:paragraph -->\n\na'],
    ['<img\nsrc="a.png"> b<br />\nc', '<p><img src="a.png"> b<br>\nc</p>'],
    ['<script>a\n\nb</script>', '\n<script>a\n\nb</script>\n'],
  ];
  for (const [content, html] of cases) test(JSON.stringify(content), () => assert.equal(withParagraphs(content), html));

  const lines: [content: string, markdown: string][] = [
    ['<h3>A</h3>\nb\nc', '### A\n\nb  \nc'],
    ['a\nb\n<h3>C\n\nd</h3>', 'a  \nb\n\n### C d'],
    ['<blockquote>a\nb\n\nc</blockquote>\nd\ne', '> a  \n> b\n> \n> c\n\nd  \ne'],
    ['<div class="x">a\nb\n\nc</div>d', 'a  \nb\n\nc\n\nd'],
    ['<p style="text-align:center">a\nb</p>', 'a  \nb'],
    [
      '<ul>\n<li>a\nb</li>\n<li>c\n<ul>\n<li>d</li>\n</ul>\n</li>\n</ul>\ne\nf',
      '-   a  \n    b\n-   c\n    -   d\n\ne  \nf',
    ],
    ['<!--more-->a\nb', 'a  \nb'],
    ['a\n<hr />\nb\nc', 'a\n\n---\n\nb  \nc'],
    [
      '<table>\n<tr>\n<td>a\nb</td>\n<td>c</td>\n</tr>\n</table>\nd\ne',
      '|     |     |\n| --- | --- |\n| a  <br>b | c   |\n\nd  \ne',
    ],
    ['<a href="/b">\n<div>c</div>\n</a>\nd', '[c](/b)\n\nd'],
    ['a\n\n<b>\n\n<div>c</div></b>d\ne', 'a\n\n**c**\n\nd  \ne'],
  ];
  for (const [content, markdown] of lines) {
    test(`shows the lines of ${JSON.stringify(content)}`, () =>
      assert.equal(htmlToMarkdown(withParagraphs(content)).markdown, `${markdown}\n`));
  }
});

describe('HTML of a comment becomes plain text', () => {
  const cases: [html: string, text: string][] = [
    ['<p>a_b *c* [d]</p>\n<p>e</p>', 'a_b *c* [d]\n\ne'],
    [withParagraphs('line one\n\nline two\nthree'), 'line one\n\nline two\nthree'],
    ['<b>a</b> <em>b</em> <code>c</code> <del>d</del> <h2>e</h2>', 'a b c d\n\ne'],
    ['<ul><li>a</li><li>b</li></ul><ol><li>c</li></ol><hr>', '- a\n- b\n\n- c'],
    ['<blockquote>a</blockquote>b', '> a\n\nb'],
    ['<pre>a\n  b</pre>c &lt;d&gt;', 'a\n  b\n\nc <d>'],
    [
      '<a href="https://x.example/a">here</a> <a href="https://x.example/">x.example</a>',
      'here (https://x.example/a) x.example',
    ],
    ['<a href="javascript:x()">a</a><img src="i.png" alt="b"><script>c</script>', 'ab'],
  ];
  for (const [html, text] of cases) test(html, () => assert.equal(htmlToText(html), text));
});

test('bold text is converted in time that grows with it, and beside elements that hold nothing', () => {
  const startedAt = process.cpuUsage();
  const stars = '*'.repeat(40_000);
  assert.ok(htmlToMarkdown(`<p><b><code>${stars} a</code></b></p>`).markdown.includes(stars));
  assert.match(
    htmlToMarkdown(`<p><b>a.</b>${'<span></span>'.repeat(20_000)}b</p>`).markdown,
    /^<strong>a\.<\/strong>b/,
  );
  assert.ok(process.cpuUsage(startedAt).user < 5_000_000);
  assert.match(htmlToMarkdown('<p><b>Q:</b><cite>a</cite></p>').markdown, /<strong>Q:<\/strong>a/);
});
