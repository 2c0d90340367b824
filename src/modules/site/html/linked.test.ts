import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { markup } from '../../../lib/markup.ts';
import { linked } from './linked.ts';

const html = (text: string): string => String(markup`${linked(text)}`);
const link = (address: string): string => `<a href="${address}" rel="nofollow ugc noopener">${address}</a>`;

describe('addresses in a text are links', () => {
  test('without the punctuation of the sentence', () => {
    assert.equal(
      html('See https://example.com/a_(b)?x=1&y=2, (http://münchen.example/ü). HTTPS://EXAMPLE.COM!'),
      `See ${link('https://example.com/a_(b)?x=1&amp;y=2')}, (${link('http://münchen.example/ü')}). ${link('HTTPS://EXAMPLE.COM')}!`,
    );
  });

  test('but nothing that is no whole address of the web', () => {
    for (const text of [
      'readme.md, example.com, a@example.com',
      'javascript:alert(1) data:text/html,x //example.com ftp://example.com/ mailto:a@example.com',
      'http:// https:/// https://999.999.999.999/ http://[::1',
    ])
      assert.equal(html(text), text);
  });

  test('that cannot break out of their attribute', () => {
    assert.equal(
      html(`https://x.example/"onclick="a'b<script>`),
      `${link('https://x.example/&quot;onclick=&quot;a&#39;b')}&lt;script&gt;`,
    );
  });

  test('in the time of a longest comment, whatever it is made of', () => {
    const before = process.threadCpuUsage();
    for (const part of ['http://', 'https://a.b/(', '[http://', 'https://a-', 'http://a.de ', `https://a.b/'`])
      html(part.repeat(4000 / part.length));
    const { user, system } = process.threadCpuUsage(before);
    assert.ok(user + system < 2_000_000, `${user + system} µs of this thread`);
  });
});
