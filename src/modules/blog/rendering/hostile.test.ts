import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { openBrowser } from '../../../../test/helpers/browser.ts';
import { chromiumPath } from '../../../../test/helpers/services.ts';
import { renderMarkdown } from './render.ts';

/** What has run scripts in one renderer, sanitizer or browser or another. `P` stands for what must not run. */
const P = 'window.pwned=1';
const VECTORS: readonly string[] = [
  `<script>${P}</script>`,
  `<scr<script>ipt>${P}</scr</script>ipt>`,
  `<SCRIPT/SRC="data:,${P}"></SCRIPT>`,
  `<img src=x onerror=${P}>`,
  `<img src=x onerror=${P}//`,
  `<img/src="x"/onerror="${P}">`,
  `<img src="x\` \`<script>${P}</script>"\` \`>`,
  `<svg onload=${P}>`,
  `<svg><script>${P}</script></svg>`,
  `<svg><style><img src=x onerror=${P}></style></svg>`,
  `<svg><animate onbegin=${P} attributeName=x dur=1s>`,
  `<svg><a xlink:href="javascript:${P}"><text y=20>x</text></a></svg>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${P}&gt;">`,
  `<math><mi><style><img src=x onerror=${P}></style></mi></math>`,
  `<form><math><mtext></form><form><mglyph><style></math><img src onerror=${P}>`,
  `<noscript><p title="</noscript><img src=x onerror=${P}>"></noscript>`,
  `<title><img src=x onerror=${P}></title>`,
  `<textarea><img title="</textarea><img src=x onerror=${P}>"></textarea>`,
  `<xmp><p title="</xmp><img src=x onerror=${P}>"></xmp>`,
  `<plaintext><img src=x onerror=${P}>`,
  `<template><img src=x onerror=${P}></template>`,
  `<iframe src="javascript:${P}"></iframe>`,
  `<iframe srcdoc="<script>parent.${P}</script>"></iframe>`,
  `<object data="javascript:${P}"></object><embed src="javascript:${P}">`,
  `<body onload=${P}>`,
  `<details open ontoggle=${P}><summary>x</summary></details>`,
  `<input autofocus onfocus=${P}><select autofocus onfocus=${P}></select>`,
  `<video><source onerror=${P}></video><audio src=x onerror=${P}>`,
  `<marquee onstart=${P}>x</marquee>`,
  `<meta http-equiv="refresh" content="0;url=javascript:${P}"><base href="javascript:${P}//"><link rel=stylesheet href=x onerror=${P}>`,
  `<style>@import "x";*{background:url(javascript:${P})}</style><p style="background:url(javascript:${P})">x</p>`,
  `[x](javascript:${P})`,
  `[x](JaVaScRiPt:${P})`,
  `[x](java&#10;script:${P})`,
  `[x](&#x6A;avascript:${P})`,
  `[x](data:text/html;base64,PHNjcmlwdD4=)`,
  `[x](vbscript:${P})`,
  `[x]: javascript:${P}\n\n[x]`,
  `<javascript:${P}>`,
  `![x](javascript:${P})`,
  `![x](data:image/svg+xml,<svg/onload=${P}>)`,
  `![x](a"onerror="${P})`,
  `[a](<b" onclick="${P}>)`,
  `[a](b 'c" onclick="${P}')`,
  `<a href="java\tscript:${P}">x</a><a href=" javascript:${P}">x</a><a href="\u0001javascript:${P}">x</a>`,
  `<a href="javascript&colon;${P}">x</a><a href="x" onclick="${P}" target=_blank>x</a>`,
  `<!--><img src=x onerror=${P}>-->`,
  `<!-- --!><img src=x onerror=${P}> -->`,
  `<![CDATA[><img src=x onerror=${P}>]]>`,
  `<?xml ><img src=x onerror=${P}>?>`,
  `</p></div></body><script>${P}</script>`,
  `<p id="x"></p><a id="__proto__" name="constructor" class="x y" is="z">x</a>`,
  `\`\`\`js"><img src=x onerror=${P}>\nx\n\`\`\``,
  `\`\`\`html\n<script>${P}</script>\n\`\`\``,
  `[^<img src=x onerror=${P}>]\n\n[^<img src=x onerror=${P}>]: x`,
  `# <img src=x onerror=${P}>`,
  `|a|\n|-|\n|<img src=x onerror=${P}>|`,
  `<table><tr><td><script>${P}</script></td></tr></table><select><img src=x onerror=${P}></select>`,
  `<a href="x"><a href="y"><table><a href="javascript:${P}">z</table>`,
];

/** The grammar of what the sanitizer writes: nothing but these elements with these attributes, and escaped text. */
const TAG = /<(\/?)([a-z][a-z0-9]*)((?: [a-z]+(?:="[^"<>]*")?)*)( \/)?>/gy;
const ATTRIBUTES = new Set(
  'id title lang dir href rel src alt width height loading decoding start reversed value align colspan rowspan scope open datetime type checked disabled class'.split(
    ' ',
  ),
);
const ELEMENTS =
  /^(?:h[1-6]|p|br|hr|blockquote|pre|code|[uod]l|li|d[td]|a|img|fig(?:ure|caption)|details|summary|section|div|span|table|t(?:head|body|foot|r|h|d)|caption|em|strong|[biusq]|del|ins|su[bp]|kbd|samp|var|mark|small|abbr|cite|dfn|time|bd[io]|r(?:uby|t|p)|wbr|input)$/;
const ADDRESS = /^(?:https?:|mailto:|tel:|(?![a-z][a-z0-9+.-]*:))/i;

/** Throws where a text is not made of these alone, or leaves an element open. */
function assertSafe(html: string): void {
  const open: string[] = [];
  let at = 0;
  while (at < html.length) {
    if (html[at] !== '<') {
      at++;
      continue;
    }
    TAG.lastIndex = at;
    const found = TAG.exec(html);
    assert.ok(found, `no tag of ours: ${html.slice(at, at + 80)}`);
    const [all, close, name = '', attributes = '', empty] = found;
    assert.match(name, ELEMENTS);
    for (const [, attribute = '', value = ''] of attributes.matchAll(/ ([a-z]+)(?:="([^"]*)")?/g)) {
      assert.ok(ATTRIBUTES.has(attribute), `${attribute} of ${all}`);
      if (attribute === 'href' || attribute === 'src') assert.match(value, ADDRESS);
      if (attribute === 'id') assert.match(value, /^user-content-/);
    }
    if (close) assert.equal(open.pop(), name);
    else if (!empty) open.push(name);
    at += all.length;
  }
  assert.deepEqual(open, []);
}

/** In the page: puts the HTML in, and in again as the browser wrote it, and gives what ran. */
const INSERT = `async (html) => {
  const host = document.body.appendChild(document.createElement('div'));
  host.innerHTML = html;
  const again = document.body.appendChild(document.createElement('div'));
  again.innerHTML = host.innerHTML;
  for (const link of document.querySelectorAll('a')) if (link.protocol === 'javascript:') window.pwned = link.href;
  await new Promise((done) => setTimeout(done, 20));
  return { pwned: window.pwned ?? null, end: document.querySelector('body > #end') !== null };
}`;

describe('hostile Markdown', () => {
  for (const vector of VECTORS) {
    test(vector.slice(0, 60), () => {
      assertSafe(renderMarkdown(vector).html);
      assertSafe(renderMarkdown(`text **${vector}** text`).html);
    });
  }

  test('any mixture of its pieces is safe', () => {
    const pieces = VECTORS.flatMap((vector) => vector.split(/(?<=[<>"'=\s])/));
    const mixture = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(mixture, (markdown) => assertSafe(renderMarkdown(markdown).html)),
      { numRuns: 1500 },
    );
  });

  test('runs nothing in a browser, however it gets into the page', {
    skip: chromiumPath === null && 'needs chromium',
  }, async () => {
    const page = await (await openBrowser()).newPage();
    const parts = VECTORS.map((vector) => renderMarkdown(vector).html);
    for (const html of [...parts, parts.join('\n')]) {
      await page.setContent(`<!doctype html><main>${html}</main><p id="end"></p>`, { waitUntil: 'domcontentloaded' });
      const seen = await page.evaluate(`(${INSERT})(${JSON.stringify(html)})`);
      assert.deepEqual(seen, { pwned: null, end: true }, html);
    }
  });
});
