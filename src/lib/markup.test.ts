import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parseDocument } from 'htmlparser2';
import { escapeMarkup, jsonMarkup, markup, trusted } from './markup.ts';

test('text is escaped, markup is not, lists are put in a row, nothing is nothing', () => {
  const item = (text: string) => markup`<li title="${text}">${text}</li>`;
  assert.equal(
    String(markup`<ul>${['<b>', "a'b"].map(item)}${null}${undefined}${false}${0}</ul>`),
    '<ul><li title="&lt;b&gt;">&lt;b&gt;</li><li title="a&#39;b">a&#39;b</li>0</ul>',
  );
  assert.equal(String(markup`${trusted('<hr>')}`), '<hr>');
});

test('what XML cannot hold is left out', () => {
  assert.equal(escapeMarkup('a\u0000b\u0008c\ufffed\ud800e ]]> \t\n😀'), 'abcd\ufffde ]]&gt; \t\n😀');
});

test('whatever the text: an element and an attribute hold it as text, and nothing else', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const document = parseDocument(String(markup`<p title="${text}">${text}</p>`));
      const [p] = document.children as unknown as [{ attribs: object; children: { type: string; data?: string }[] }];
      assert.equal(document.children.length, 1);
      assert.deepEqual(Object.keys(p.attribs), ['title']);
      assert.ok(p.children.every((child) => child.type === 'text'));
    }),
  );
});

test('JSON in a script element cannot end it, and reads back the same', () => {
  const value = { a: '</script><script>alert(1)</script>', b: '<!--', c: '\u2028&' };
  const text = String(jsonMarkup(value));
  assert.doesNotMatch(text, /[<>&\u2028]/);
  assert.deepEqual(JSON.parse(text), value);
});
