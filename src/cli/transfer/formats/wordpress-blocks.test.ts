import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWordPress } from './read-wordpress.ts';

async function postOf(content: string, footnotes = '') {
  const xml = `<rss><channel><wp:wxr_version>1.2</wp:wxr_version>
    <item><wp:post_id>1</wp:post_id><title>t</title><wp:post_type>post</wp:post_type><wp:status>draft</wp:status>
      <content:encoded><![CDATA[${content}]]></content:encoded>
      <wp:postmeta><wp:meta_key>footnotes</wp:meta_key><wp:meta_value><![CDATA[${footnotes}]]></wp:meta_value></wp:postmeta>
    </item>
    <item><wp:post_id>7</wp:post_id><wp:post_type>wp_block</wp:post_type><wp:status>publish</wp:status>
      <content:encoded><![CDATA[<!-- wp:paragraph --><p>Shared <b>text</b></p><!-- /wp:paragraph -->]]></content:encoded></item>
    <item><wp:post_id>8</wp:post_id><wp:post_type>wp_block</wp:post_type><wp:status>publish</wp:status>
      <content:encoded><![CDATA[<p>Itself</p><!-- wp:block {"ref":8} /-->]]></content:encoded></item>
    <item><wp:post_id>10</wp:post_id><wp:post_type>wp_block</wp:post_type><wp:status>publish</wp:status>
      <wp:post_password>p</wp:post_password><content:encoded>secret</content:encoded></item>
    <item><wp:post_id>9</wp:post_id><wp:post_type>wp_block</wp:post_type><wp:status>trash</wp:status>
      <content:encoded>gone</content:encoded></item></channel></rss>`;
  const open = async function* () {
    yield Buffer.from(xml);
  };
  const [item] = await Array.fromAsync((await readWordPress(open, { category: 'Blog', name: 'blocks' })).items);
  assert.ok(item);
  return 'post' in item ? { body: item.post.body, notes: item.notes } : { reason: item.reason };
}

const mark = (id: string, number: number): string =>
  `<sup data-fn="${id}" class="fn"><a href="#${id}" id="${id}-link">${number}</a></sup>`;

test('footnotes of WordPress, whose texts are in a custom field, come in as footnotes', async () => {
  const texts = JSON.stringify([
    { content: 'See <a href="https://x.example/">x</a>.', id: 'b-2' },
    { content: '<p>One</p><p>Two</p>', id: 'a-1' },
  ]);
  const content = `<p>A${mark('b-2', 1)} b${mark('a-1', 2)}${mark('none', 3)}</p><!-- wp:footnotes /-->`;
  assert.deepEqual(await postOf(content, texts), {
    body: 'A[^1] b[^2]<sup>[3](#none)</sup>\n\n[^1]: See [x](https://x.example/).\n\n[^2]: One\n\n    Two\n',
    notes: [],
  });
  const table = `<table><tr><td rowspan="2">A${mark('b-2', 1)}</td><td>b${mark('a-1', 2)}${mark('none', 3)}</td></tr></table>`;
  const { body = '' } = await postOf(`<!-- wp:table -->${table}<p>c</p>`, texts);
  const link = (n: number) => `<sup><a href="#fn${n}">${n}</a></sup>`;
  assert.ok(body.includes(`<td rowspan="2">A${link(1)}</td><td>b${link(2)}<sup data-fn="none"`), body);
  assert.ok(body.includes('</table>\n\n[^1] [^2]\n\nc\n\n[^1]: See'), body);
  const around = `<table><tr><td><ul><li>A</li></ul>${table}</td></tr></table>`;
  assert.ok((await postOf(`<!-- wp:table -->${around}`, texts)).body?.includes('</table>\n\n[^1] [^2]\n\n[^1]: See'));
  for (const unread of ['[{', '{}']) {
    assert.deepEqual((await postOf(content, unread)).notes, ['footnotes left out: they cannot be read']);
  }
  assert.deepEqual(await postOf('<p>a</p>', '[]'), { body: 'a\n', notes: [] });
});

test('marks of footnotes that Markdown cannot hold in their place stand behind it, and all are counted as the service counts them', async () => {
  const texts = JSON.stringify(['d', 'c', 'b', 'a'].map((id) => ({ id, content: id.toUpperCase() })));
  const notes = '[^1]: A\n\n[^2]: B\n\n[^3]: C\n\n[^4]: D\n';
  const kept = (text: string): string => `<table><tr><td rowspan="2">${text}</td></tr></table>`;
  const link = (n: number): string => `<sup><a href="#fn${n}">${n}</a></sup>`;
  for (const [content, body] of [
    [
      `<details><summary>S${mark('a', 1)}</summary><p>T${mark('b', 2)}</p></details><pre>c${mark('c', 3)}d</pre>${kept(mark('d', 4))}`,
      `<details>\n<summary>S</summary>\n\n[^1]\n\nT[^2]\n\n</details>\n\n\`\`\`\ncd\n\`\`\`\n\n[^3]\n\n<table><tbody><tr><td rowspan="2">${link(4)}</td></tr></tbody></table>\n\n[^4]`,
    ],
    [
      `<form>${mark('d', 1)}</form>${kept(`<pre>${mark('a', 1)}</pre>`)}<p><code>e${mark('b', 2)}</code>f${mark('a', 1)}</p><p><code>g<br>h${mark('c', 3)}</code></p>`,
      `<table><tbody><tr><td rowspan="2"><pre>${link(1)}</pre></td></tr></tbody></table>\n\n[^1]\n\n\`e\`[^2]f[^1]\n\n\`\`\`\ng\nh\n\`\`\`\n\n[^3]`,
    ],
    [
      `<form><pre>x${mark('d', 1)}</pre><p><code>y${mark('c', 2)}</code></p></form><p>a${mark('a', 3)}</p>${kept(`z${mark('b', 4)}`)}<pre>c${mark('c', 2)}</pre>`,
      `a[^1]\n\n<table><tbody><tr><td rowspan="2">z${link(2)}</td></tr></tbody></table>\n\n[^2]\n\n\`\`\`\nc\n\`\`\`\n\n[^3]`,
    ],
  ] as const) {
    assert.equal((await postOf(`<!-- wp:x -->${content}`, texts)).body, `${body}\n\n${notes}`);
  }
});

test('synced patterns of WordPress come in where they are shown', async () => {
  const shown = (id: number): string => `<p>a</p><!-- wp:block {"ref":${id}} /--><p>b</p>`;
  assert.deepEqual(await postOf(shown(7)), { body: 'a\n\nShared **text**\n\nb\n', notes: [] });
  assert.deepEqual(await postOf(shown(8)), {
    body: 'a\n\nItself\n\nb\n',
    notes: ['synced pattern within another left out'],
  });
  for (const id of [5, 9, 10]) {
    assert.deepEqual(await postOf(shown(id)), {
      body: 'a\n\nb\n',
      notes: ['synced pattern left out: the file does not hold it'],
    });
  }
  assert.deepEqual(await postOf('<!-- wp:block {"ref":7} /-->'.repeat(20_000)), {
    reason: 't: its synced patterns have more than 1000000 characters',
  });
});
