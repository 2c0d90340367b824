import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withTagsShown } from './template-tags.ts';

describe('tags of Jekyll and Hugo', () => {
  const cases: [text: string, markdown: string][] = [
    [
      'a\n\n{% highlight ruby linenos %}\ndef a\n  1\nend\n{% endhighlight %}\nb',
      'a\n\n```ruby\ndef a\n  1\nend\n```\nb',
    ],
    ['{{< highlight go "linenos=table" >}}\n```\n{{ x }}\n{{< /highlight >}}', '````go\n```\n{{ x }}\n````'],
    ['{% highlight js %}\na', '{% highlight js %}\na'],
    ['{%- highlight -%}\r\na\r\n{%- endhighlight -%}', '```\na\r\n```'],
    [
      '{{< figure src="/a b.png" alt="A [x]" link="/l" caption="C **c**" title="T" >}}',
      '[![A \\[x\\]](</a%20b.png>)](</l>)\n\nT\n\nC **c**',
    ],
    [
      '{{<gist a-/b>}}\n{%- gist a/b- -%}\n{{< gist a  b/>}}',
      '<https://gist.github.com/a-/b>\n<https://gist.github.com/a/b->\n<https://gist.github.com/a/b>',
    ],
    ['{{< figure alt="x" >}}', '{{< figure alt="x" >}}'],
    [
      '{{< youtube dQw_4-X >}}\n{{< youtube id="a" autoplay="true" />}}',
      '<https://www.youtube.com/watch?v=dQw_4-X>\n<https://www.youtube.com/watch?v=a>',
    ],
    [
      '{{% vimeo 1 %}}\n{% gist ann/2 %}\n{{< gist ann 2 >}}',
      '<https://vimeo.com/1>\n<https://gist.github.com/ann/2>\n<https://gist.github.com/ann/2>',
    ],
    ['{{< tweet 1 >}}\n{{< x user="ann" id="2" >}}', '<https://x.com/i/status/1>\n<https://x.com/ann/status/2>'],
    [
      '{{< youtube "a b" >}}\n{{< other x >}} a {{< youtube b >}}',
      '{{< youtube "a b" >}}\n{{< other x >}} a {{< youtube b >}}',
    ],
    [
      '```\n{{< youtube a >}}\n{: .x}\n```\n{{< constructor >}}',
      '```\n{{< youtube a >}}\n{: .x}\n```\n{{< constructor >}}',
    ],
  ];
  for (const [text, markdown] of cases) test(text, () => assert.equal(withTagsShown(text, false), markdown));

  test('are shown where they stand: in a list item, between texts', () => {
    for (const [text, markdown] of [
      [
        '1. item\n\n   {% highlight ruby %}\n   a\n\n     b\n   {% endhighlight %}\n2. b',
        '1. item\n\n   ```ruby\n   a\n\n     b\n   ```\n2. b',
      ],
      ['- a\n\t{% highlight %}\nb\n\n  c\n\t{% endhighlight %}', '- a\n\t```\n\tb\n\n\t  c\n\t```'],
      ['* a\n  1. b\n\n     {{< youtube c >}}\n', '* a\n  1. b\n\n     <https://www.youtube.com/watch?v=c>\n'],
      ['text\n{{< figure src="a.png" caption="Cap" >}}\nNext', 'text\n\n![](<a.png>)\n\nCap\n\nNext'],
      ['{{< figure src="a" >}}\n{{< figure src="b" >}}\n\nx', '![](<a>)\n\n![](<b>)\n\nx'],
      ['- x\n  {{< figure src="a" title="T" >}}\n- y', '- x\n\n  ![](<a>)\n\n  T\n\n- y'],
      ['- x\n- {{< figure src="a" title="T" >}}\n- y', '- x\n- ![](<a>)\n\n  T\n\n- y'],
      ['10. {{< vimeo 1 >}}\n*\t{{< vimeo 2 >}}', '10. <https://vimeo.com/1>\n*\t<https://vimeo.com/2>'],
      ['- {% highlight js %}\n  a\n  {% endhighlight %}\n- b', '- ```js\n  a\n  ```\n- b'],
      ['> a\n> {{< figure src="b" title="T" >}}\n> c', '> a\n>\n> ![](<b>)\n>\n> T\n>\n> c'],
      ['> > - {{< vimeo 1 >}}\n>b\n\n{{< vimeo 2 >}}', '> > - <https://vimeo.com/1>\n> b\n\n<https://vimeo.com/2>'],
      ['>{% highlight js %}\n>  a\n>{% endhighlight %}', '> ```js\n>  a\n> ```'],
      ['{{< figure\n    src="a"\n  title="T"\n>}}\nx', '![](<a>)\n\nT\n\nx'],
      ['- {{< figure\n  src="a" >}}', '- ![](<a>)'],
    ] as const) {
      assert.equal(withTagsShown(text, false), markdown);
    }
  });

  test('stay as they are in code that is indented, or that is fenced in a list item', () => {
    for (const text of [
      'a\n\n    {: .code}\n\n    * TOC\n    {:toc}\n\n\t[b](c){: d}\n    {{< youtube e >}}',
      '- a\n\n      {% highlight %}\n      {% endhighlight %}\n',
      '1. a\n   - b\n\n     ```\n     {{< youtube c >}}\n     {: .d}\n     ```',
      '- a\n\nb\n\n    {{< youtube c >}}',
      '## a\n    {{< youtube c >}}',
      '> ```\n> {{< youtube c >}}\n> ```\n>\n>     {{< youtube d >}}\n>text',
      '{{< figure\n\nsrc="a" >}}\n{{< other\na="b" >}}\n{{< figure\n',
    ]) {
      assert.equal(withTagsShown(text, true), text);
    }
    assert.equal(
      withTagsShown('a\n    {: .b}\n- c\n\n    d\n    {: .e}\n10. f\n\n    {: .g}\n    h', true),
      'a\n- c\n\n    d\n10. f\n\n    h',
    );
  });

  test('raw is read by Jekyll only, in code too: elsewhere a text may tell of it', () => {
    for (const [text, markdown] of [
      ['{% raw %}{{ a }}{% endraw %}\n```\n{% raw %}\n{{ b }}\n{%- endraw -%}\n```', '{{ a }}\n```\n\n{{ b }}\n\n```'],
      ['{% raw %} {{ a }}', '{% raw %} {{ a }}'],
    ] as const) {
      assert.equal(withTagsShown(text, true), markdown);
      assert.equal(withTagsShown(text, false), text);
    }
    const told = 'In Liquid write `{% raw %}` and `{% endraw %}`';
    assert.equal(withTagsShown(told, false), told);
  });

  test('attributes of kramdown are read by Jekyll only', () => {
    const text = 'a\n{: .lead}\n[b](c){:target="_blank"} `d` {: x}\n* TOC\n{:toc}';
    assert.equal(withTagsShown(text, true), 'a\n[b](c) `d` {: x}');
    assert.equal(withTagsShown(text, false), text);
    assert.equal(withTagsShown('a\n{:toc}\n1. b\n{: toc }\n- c\n{: toc-d}', true), 'a\n- c');
    const code = '`f(x){:ok, y}` ``[a]{:b}`` `c`';
    assert.equal(withTagsShown(`${code}{:d} *e*{:f}`, true), `${code} *e*`);
  });

  test('comments, which nobody could read, are left out where Jekyll would read them', () => {
    for (const [text, markdown] of [
      ['a\n\n{::comment}\nsecret\n\n```\n{:/comment}\n\nb', 'a\n\n\nb'],
      ['a {::comment}secret{:/comment}b {::comment}too{:/}c', 'a b c'],
      ['> {::comment}\n> secret\n> {:/}\n> a', '> a'],
      ['```\n{::comment}\na\n{:/comment}\n```', '```\n{::comment}\na\n{:/comment}\n```'],
      ['a{% comment %}secret{% endcomment %}b\n{%- comment -%}\nsecret\n{%- endcomment -%}\nc', 'ab\n\nc'],
      ['{% comment %}a{% comment %}b{% endcomment %}c{% endcomment %}d', 'd'],
      ['{% raw %}{% comment %}a{% endcomment %}{% endraw %}', '{% comment %}a{% endcomment %}'],
      ['{% endcomment %}a {% comment %}b', '{% endcomment %}a {% comment %}b'],
    ] as const) {
      assert.equal(withTagsShown(text, true), markdown);
      assert.equal(withTagsShown(text, false), text);
    }
  });

  test('comments are left out where Hugo would read them, in code too, and tags that a text tells of are no comments', () => {
    for (const [text, markdown] of [
      ['a{{% comment %}} secret {{% /comment %}}b\n{{< comment >}}\nsecret\n\n{{</ comment >}}\nc', 'ab\n\nc'],
      ['```\n{{<comment>}}a{{</comment>}}b\n```', '```\nb\n```'],
      ['{{< comment >}}a{{< comment >}}b{{< /comment >}}c{{< /comment >}}d', 'd'],
      ['{{< /comment >}}a {{< comment >}}b', '{{< /comment >}}a {{< comment >}}b'],
      ['{{</* comment */>}}a{{</* /comment */>}}', '{{</* comment */>}}a{{</* /comment */>}}'],
    ] as const) {
      assert.equal(withTagsShown(text, false), markdown);
      assert.equal(withTagsShown(text, true), text);
    }
  });

  test('ids of headings that stand below them, or above them, are kept', () => {
    for (const [text, markdown] of [
      ['{:.x #a}\n## A\n\nb\n\n{: #c}\n> ## C', '## A {#a}\n\nb\n\n> ## C'],
      ['## A\n{: #a}\n## B\n{: #b}\n\n## C', '## A {#a}\n## B {#b}\n\n## C'],
      ['{: #a}\n\n## A\n\n{: #b}\nb\n## B', '\n## A\n\nb\n## B'],
      ['## H2\n{: #h2id .cls}\n\na', '## H2 {#h2id}\n\na'],
      ['## H2 ##\n{:.x id="b"}', '## H2 {#b}'],
      ['H1\n===\n{: title="#no" #h1}', 'H1 {#h1}\n==='],
      ['H2\n--\n{:#h2}\n* TOC\n{:toc}', 'H2 {#h2}\n--'],
      ['## H2 {#own}\n{: #b}', '## H2 {#own}'],
      ['## H2\n{: .c title="a #no"}', '## H2'],
      ['a\n{: #p}\n\n---\n{: #q}', 'a\n\n---'],
      ['> ## H\n{: #q}\n\n> a\n> --\n> {: #r}', '> ## H {#q}\n\n> a {#r}\n> --'],
      ['```\na\n```\n---\n{: #y}\n\n## Rest', '```\na\n```\n---\n\n## Rest'],
      ['    # install\n    make\n\n    # run\n{: #code .language-sh}', '    # install\n    make\n\n    # run'],
      ['a\n    # b\n{: #c}', 'a\n    # b'],
      ['- item\n---\n{: #t}', '- item\n---'],
      ['- item\n\n  text\n---\n{: #t}', '- item\n\n  text\n---'],
      ['- item\ntext\n---\n{: #t}', '- item\ntext\n---'],
      ['> a\n---\n{: #t}', '> a\n---'],
      ['> ```\n> # a\n> ```\n> ---\n{: #t}', '> ```\n> # a\n> ```\n> ---'],
      ['{% highlight sh %}\n# a\n{% endhighlight %}\n{: #t}', '```sh\n# a\n```'],
      ['<div>\n---\n{: #t}\n\n***\n---\n{: #u}', '<div>\n---\n\n***\n---'],
    ] as const) {
      assert.equal(withTagsShown(text, true), markdown);
    }
  });

  test('are found in time that grows with the text', () => {
    for (const hostile of [
      '{% highlight a %}\n',
      '{{< comment >}}',
      '{{< comment >}}{{< /comment >}}',
      '- a\n',
      '  - a\n\n',
      '\ta\n',
      '- ',
      '\n',
      '{{< ',
      '{% ',
      '){:',
      '{{< x "',
      '{: \n',
      '{% endraw {% raw ',
      '{% endcomment %}{% comment %}',
      '{::comment}\n',
      '{::comment}',
    ]) {
      const startedAt = process.cpuUsage();
      withTagsShown(hostile.repeat(900_000 / hostile.length), true);
      withTagsShown(`${hostile.repeat(900_000 / hostile.length)}\n{% endhighlight %}`, true);
      assert.ok(process.cpuUsage(startedAt).user < 12_000_000, hostile);
    }
    // More lines than the stack holds values.
    const lines = withTagsShown(`{% highlight a %}\n${'a\n'.repeat(450_000)}{% endhighlight %}`, true);
    assert.equal(lines.length, 900_000 + 8);
    // By the square of its length one of 100,000 took fifteen seconds.
    for (const filler of [' ', '/', '-', 'b', ' "', "'", 'b=', '=', ' /', '%', '>']) {
      const startedAt = process.cpuUsage();
      for (const start of ['{% a', '{{< figure src=', '{% a %}', '{: a', '']) {
        const line = start + filler.repeat(100_000 / filler.length);
        withTagsShown(`${line}x\n${line} %}\n${line}%} x\n${line} >}}\n{{< a`, true);
      }
      assert.ok(process.cpuUsage(startedAt).user < 5_000_000, filler);
    }
  });
});
