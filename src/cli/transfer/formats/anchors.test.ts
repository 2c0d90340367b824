import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { htmlToMarkdown } from './html-to-markdown.ts';

/** Links to these places, and what they become. */
const links = (...ids: string[]): string => ids.map((id) => `<a href="#${id}">l</a>`).join(' ');
const written = (...ids: string[]): string => ids.map((id) => `[l](#${id})`).join(' ');

describe('what links of a text lead to keeps its id', () => {
  const cases: [ids: string[], html: string, markdown: string, note?: string][] = [
    [[], '<h2 id="a">b</h2><p id="c">d<a name="e"></a></p>', '## b\n\nd'],
    [['a', 'b'], '<p><a id="a"></a>c <a name="b">d</a></p>', '<a id="a"></a>c <a id="b"></a>d'],
    [['own', 'x'], '<h2 id="own">T</h2><h3>a <a name="x"></a><b>b</b></h3>', '## T {#own}\n\n### a **b** {#x}'],
    [['a-b', 'c'], '<h2 id="a-b">A b</h2><h2>C</h2><h2 id="c">C</h2>', '## A b\n\n## C\n\n## C {#c}'],
    [
      ['_a_', 'b_c', '-_d', 'e*f*', '~g~'],
      '<h2 id="_a_">T</h2><h2 id="b_c">T</h2><h2 id="-_d">T</h2><h2 id="e*f*">T</h2><h2 id="~g~">T</h2>',
      '## <a id="_a_"></a>T\n\n## T {#b_c}\n\n## <a id="-_d"></a>T\n\n## <a id="e*f*"></a>T\n\n## <a id="~g~"></a>T',
    ],
    [
      ['long-'.repeat(20) + 'title'],
      `<h2 id="${'long-'.repeat(20)}title">${'Long '.repeat(20)}title</h2>`,
      `## ${'Long '.repeat(20)}title {#${'long-'.repeat(20)}title}`,
    ],
    [['x', 'i'], '<h2 id="x"></h2><h2 id="i"><img src="i.png"></h2>', '<a id="x"></a>\n\n## ![](i.png) {#i}'],
    [
      ['i', 'j', 'k'],
      '<ul><li id="i"><input type="checkbox" checked> done</li><li id="j"><label><input type="checkbox" id="k">open</label></li></ul>',
      '-   [x] <a id="i"></a>done\n-   [ ] <a id="j"></a><a id="k"></a>open',
    ],
    [[], '<h2>a {#b}</h2>', '## a \\{#b}'],
    [
      ['p', 'li', 'b'],
      '<p id="p"> <b>a</b></p><ul><li id="li"><p>c.<b id="b">“d”</b></p></li></ul>',
      '<a id="p"></a>**a**\n\n-   <a id="li"></a>c.<a id="b"></a>**“d”**',
    ],
    [['a', 'b'], '<div id="a"><section><h2 id="b">T</h2></section></div>', '## <a id="b"></a>T {#a}'],
    [
      ['pre', 'line', 'img', 'in'],
      '<pre id="pre">a<b id="line">b</b></pre><p><img id="img" src="i.png"></p><a href="/f"><h3 id="in">T</h3></a>',
      '<a id="pre"></a><a id="line"></a>\n\n```\nab\n```\n\n<a id="img"></a>![](i.png)\n\n<a id="in"></a>\n\n### [T](/f)',
    ],
    [
      ['td', 'tr', 'as'],
      '<table><tr id="tr"><th>a</th></tr><tr><td id="td">b</td></tr></table><table><tr><td rowspan="2" id="as">c</td></tr></table>',
      '<a id="tr"></a>\n\n| a   |\n| --- |\n| <a id="td"></a>b |\n\n<table><tbody><tr><td rowspan="2" id="as">c</td></tr></tbody></table>',
    ],
    [['%C3%BCber', 'fn:1'], '<p id="über">a</p><p id="fn:1">b</p>', '<a id="über"></a>a\n\n<a id="fn:1"></a>b'],
    [['top'], '<p>a</p>', 'a'],
    [['no'], '<p>a</p>', 'a', 'link #no leads nowhere'],
    [['x', 'y', ''], '<p id="x&quot;>">a</p>', 'a', 'link #x and 1 more leads nowhere'],
    [['x`'], '<p id="x`">a</p>', 'a', 'link #x` leads nowhere'],
  ];
  for (const [ids, html, markdown, note] of cases) {
    test(`${ids.join(' ')} in ${html}`, () => {
      const to = ids.filter((id) => id !== '');
      const before = [written(...to), ...(ids.includes('') ? ['l'] : [])].filter((text) => text !== '').join(' ');
      assert.deepEqual(htmlToMarkdown(`<p>${links(...ids)}</p>${html}`), {
        markdown: `${before === '' ? '' : `${before}\n\n`}${markdown}\n`,
        notes: note === undefined ? [] : [note],
      });
    });
  }

  test('in time that grows with the text', () => {
    const startedAt = process.cpuUsage();
    htmlToMarkdown(`<a href="#x">${'<p>a<li>b'.repeat(10_000)}</a>`);
    const many = Array.from({ length: 2000 }, (_, n) => `<p id="i${n}">${links(`i${n}`)}</p>`).join('');
    assert.match(htmlToMarkdown(many).markdown, /<a id="i1999"><\/a>\[l\]\(#i1999\)\n$/);
    assert.ok(process.cpuUsage(startedAt).user < 10_000_000);
  });
});
