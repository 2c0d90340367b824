import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { type ReadItem, UnreadableFile } from './fit.ts';
import { exportedFile } from './exported-post.ts';
import { htmlToMarkdown } from './html-to-markdown.ts';
import { readGhost } from './read-ghost.ts';
import { readNdjson } from './read-ndjson.ts';
import { readWordPress } from './read-wordpress.ts';

const sample = (name: string) => readFile(new URL(`./samples/${name}`, import.meta.url), 'utf8');
const chunks = async function* (...parts: (string | Uint8Array)[]) {
  for (const part of parts) yield typeof part === 'string' ? Buffer.from(part) : part;
};
const all = async ({ items }: { items: AsyncIterable<ReadItem> }) => Array.fromAsync(items);
const ghost = async (...parts: (string | Uint8Array)[]) =>
  all(await readGhost(() => chunks(...parts), { name: 'g', category: 'Blog' }));
const wordpress = async (...parts: (string | Uint8Array)[]) =>
  all(await readWordPress(() => chunks(...parts), { category: 'Blog' }));
const wxr = (items: string, head = '') =>
  `<?xml version="1.0"?>${head}<rss><channel><wp:wxr_version>1.2</wp:wxr_version>${items}</channel></rss>`;
const item = (content: string) =>
  `<item><title>T</title><wp:post_id>1</wp:post_id><wp:post_type>post</wp:post_type><wp:status>draft</wp:status>${content}</item>`;
const unreadable = (says: RegExp) => (error: unknown) =>
  error instanceof UnreadableFile && (says.test(error.message) || assert.fail(error.message));
const reasonOf = (read: ReadItem | undefined) =>
  read && 'reason' in read ? `${read.outcome}: ${read.reason}` : 'fine';

describe('a file of another kind, or not all of one, is refused before anything is sent', () => {
  const xml: [string, string | Uint8Array, RegExp][] = [
    ['nothing', '', /not XML|empty/],
    ['text', 'hello', /not XML/],
    ['JSON', '{"db":[]}', /not XML/],
    ['HTML', '<html><body>x</body></html>', /no feed of posts/],
    ['a feed', '<rss><channel><title>x</title><item><title>y</title></item></channel></rss>', /no export of WordPress/],
    ['bytes', Uint8Array.of(0x3c, 0xff, 0xfe, 0x00), /UTF-8/],
    ['a wrong end', wxr('<item></title>'), /not XML, or not all of it: .*line 1/],
  ];
  for (const [name, content, says] of xml) {
    test(`${name} as WXR`, () => assert.rejects(wordpress(content), unreadable(says)));
  }

  const json: [string, string | Uint8Array, RegExp][] = [
    ['nothing', '', /not JSON/],
    ['text', 'hello', /not JSON/],
    ['XML', '<rss/>', /not JSON/],
    ['other JSON', '{"posts":[{"id":1}]}', /no posts/],
    ['JSON of another depth', '{"db":{"data":{"posts":{"a":{"id":1}}}}}', /no posts/],
    ['bytes', Uint8Array.of(0x7b, 0xff), /UTF-8/],
    ['two documents', '{"db":[{"data":{"posts":[{"id":1}]}}]}{}', /not JSON/],
  ];
  for (const [name, content, says] of json) {
    test(`${name} as Ghost`, () => assert.rejects(ghost(content), unreadable(says)));
  }

  test('each sample cut anywhere', async () => {
    const [g, w] = [(await sample('ghost.json')).trimEnd(), (await sample('wordpress.xml')).trimEnd()];
    for (let part = 1; part < 20; part++) {
      await assert.rejects(ghost(g.slice(0, (g.length * part) / 20)), unreadable(/not JSON, or not all of it/));
      await assert.rejects(wordpress(w.slice(0, (w.length * part) / 20)), unreadable(/not XML, or not all of it/));
    }
  });

  test('however it is cut into chunks, a sample reads the same', async () => {
    for (const [name, read] of [['ghost.json', ghost] as const, ['wordpress.xml', wordpress] as const]) {
      const bytes = Buffer.from(await sample(name));
      const whole = await read(bytes);
      for (const size of [7, 100, 1001]) {
        const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
          bytes.subarray(i * size, (i + 1) * size),
        );
        assert.deepEqual(await read(...parts), whole, `${name} in chunks of ${size}`);
      }
    }
  });
});

describe('hostile XML', () => {
  test('declares no entities', async () => {
    const bomb = '<!DOCTYPE rss [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>';
    await assert.rejects(
      wordpress(wxr(item('<content:encoded>&b;&c;</content:encoded>'), bomb)),
      unreadable(/DOCTYPE/),
    );
    await assert.rejects(wordpress(wxr(item('<content:encoded>&b;</content:encoded>'))), unreadable(/entity/i));
  });

  test('with ten million characters in a field, or a hundred thousand elements in each other, fails one item', async () => {
    const large = item(`<content:encoded><![CDATA[${'x'.repeat(10_000_000)}]]></content:encoded>`);
    const larger = item(`<content:encoded>${'y'.repeat(17_000_000)}</content:encoded>`);
    const deep = item(`${'<a>'.repeat(100_000)}${'</a>'.repeat(100_000)}`);
    const nested = item(`<content:encoded><![CDATA[<p>${'<div>'.repeat(20_000)}]]></content:encoded>`);
    const results = await wordpress(wxr(large));
    assert.match(reasonOf(results[0]), /^failed: T: the text has more than/);
    assert.match(reasonOf((await wordpress(wxr(larger)))[0]), /^failed: T: larger than/);
    assert.equal(reasonOf((await wordpress(wxr(deep)))[0]), 'fine');
    assert.match(reasonOf((await wordpress(wxr(nested)))[0]), /^failed: T: the HTML is nested too deeply/);
  });
});

describe('hostile JSON', () => {
  const post = (more: string) => `{"db":[{"data":{"posts":[{"id":"1","slug":"s","status":"draft"${more}}]}}]}`;

  test('with ten million characters in a field, or far too much in a post, fails one post', async () => {
    const html = (n: number) => post(`,"html":"<p>${'x'.repeat(n)}</p>"`);
    assert.match(reasonOf((await ghost(html(10_000_000)))[0]), /^failed: s: the text has more than/);
    assert.match(reasonOf((await ghost(html(17_000_000)))[0]), /^failed: a post is larger than/);
    const deep = post(`,"x":${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    assert.equal(reasonOf((await ghost(deep))[0]), 'fine');
  });

  test('sets no prototype', async () => {
    const [read] = await ghost(post(',"__proto__":{"html":"<p>bad</p>"}'));
    assert.ok(read && 'post' in read);
    assert.equal(read.post.body, '');
    assert.equal(({} as { html?: string }).html, undefined);
  });
});

test('a post of WordPress full of beginnings that nothing closes takes no longer than its length', async () => {
  for (const beginning of [
    '[caption ',
    '[embed ',
    '[code]',
    '[code ',
    '[x y',
    '<pre>',
    '<code>[code]',
    '<p>[text]',
    '[text] ',
    '<div',
    '<blockquote>a\n',
    '<a <b>',
    ' \n',
    '<script>',
  ]) {
    const userMicros = async (times: number): Promise<number> => {
      const before = process.cpuUsage();
      const [item] = await wordpress(
        wxr(`<item><wp:post_id>1</wp:post_id><wp:post_type>post</wp:post_type><wp:status>draft</wp:status>
          <content:encoded><![CDATA[${beginning.repeat(times)}]]></content:encoded></item>`),
      );
      assert.ok(item);
      return process.cpuUsage(before).user;
    };
    // An eighth takes an eighth, on a slow machine as on a quick one. Looked through to the end from each of them, it would be a sixty-fourth: of six to ten seconds.
    const [small, large] = [await userMicros(7500), await userMicros(60_000)];
    assert.ok(large < 12 * small + 2_000_000, `${beginning}: ${large} µs, and ${small} for an eighth`);
  }
});

test('long code that begins with a space takes no longer than its length', () => {
  const code = ` ${'a'.repeat(80_000)}`;
  for (const html of [
    `<pre><code>${code}</code></pre>`,
    `x<code>${code}</code>`,
    `<pre>${'<div>a</div>'.repeat(20_000)}`,
  ]) {
    const before = process.cpuUsage();
    assert.ok(htmlToMarkdown(html).markdown.length > 40_000);
    const { user } = process.cpuUsage(before);
    assert.ok(user < 2_000_000, `${html.slice(0, 20)}: ${user} µs`);
  }
});

describe('a table takes no longer than its length', () => {
  const row = (cells: number, cell = '<td>a</td>') => `<tr>${cell.repeat(cells)}</tr>`;
  const tables: [name: string, of: (cells: number) => string, markdown: RegExp][] = [
    ['of thousands of rows', (cells) => row(2).repeat(cells / 2), /^\|(?: {5}\|){2}\n/],
    ['of rows and columns', (cells) => row(20).repeat(cells / 20), /^\|(?: {5}\|){20}\n/],
    ['of one wide row', row, /^<table>.*<\/table>\n$/],
    [
      'of cells of many columns',
      (cells) => row(90) + row(1, '<td colspan="90">a</td>').repeat(cells / 20),
      /^\|(?: {5}\|){90}\n/,
    ],
    [
      'of rows behind a long heading',
      (cells) => `<thead><tr><th>${'<b>a</b>'.repeat(2 * cells)}</th></tr></thead>${row(1).repeat(cells)}`,
      /\n\| -+ \|\n/,
    ],
    ['of cells of endless columns', (cells) => row(cells, '<td colspan="1e9">a</td>'), /^<table>.*<\/table>\n$/],
  ];
  for (const [name, of, expected] of tables) {
    test(name, () => {
      const userMicros = (cells: number): number => {
        const before = process.cpuUsage();
        assert.match(htmlToMarkdown(`<table>${of(cells)}</table>`).markdown, expected);
        return process.cpuUsage(before).user;
      };
      // By the square of the cells, 4,000 took five seconds, and 8,000 take twenty.
      const [small, large] = [userMicros(1000), userMicros(8000)];
      assert.ok(large < 12 * small + 2_000_000, `${large} µs, and ${small} for an eighth`);
    });
  }
});

test('a post of Ghost without HTML fails where its document shows something, and is empty where it does not', async () => {
  const sections = (text: string) => `{"version":"0.3.1","cards":[],"sections":[[1,"p",[[0,[],0,"${text}"]]]]}`;
  const shows = [
    { mobiledoc: sections('Hello') },
    { mobiledoc: '{"cards":[["image",{"src":"/a.png"}]],"sections":[[10,0]]}' },
    { lexical: '{"root": {"children": [{"text": "Hello", "type": "text"}]}}' },
    { mobiledoc: sections('') },
    { lexical: '{"root":{"children":[{"children":[],"type":"paragraph"}],"type":"root"}}' },
  ];
  const posts = shows.map((document, id) => ({ id, slug: `a${id}`, title: 'T', html: null, ...document }));
  const reasons = (await ghost(JSON.stringify({ db: [{ data: { posts } }] }))).map(reasonOf);
  assert.deepEqual(
    reasons.map((reason) => reason.replace(/^failed: a\d: /, '')),
    [
      ...Array<string>(3).fill('its text is in lexical or mobiledoc only, without the HTML that exports carry'),
      'fine',
      'fine',
    ],
  );
});

test('lines that are no posts fail one by one, and the others are read', async () => {
  const good = JSON.stringify({ slug: 'good', title: 'Good' });
  const lines = [
    'no JSON',
    '[1]',
    'null',
    '{}',
    '',
    `{"slug":"long","body":"${'x'.repeat(10_000_000)}"}`,
    '{"slug":"counted","title":"T","comments":12}',
    good,
    '{"slug":"cut","ti',
  ];
  const read = await Array.fromAsync(readNdjson(chunks(lines.join('\r\n')), 'f'));
  assert.deepEqual(
    read.map((one) => ('post' in one ? one.post.source : `${one.source}: ${one.reason}`)),
    [
      'f, line 1: not JSON, or not all of it',
      'f, line 2: no JSON object',
      'f, line 3: no JSON object',
      'f, line 4: has no source, id or slug by which it is known again',
      'f, line 6: longer than 8000000 characters',
      'f/counted: comments must be a list',
      'f/good',
      'f, line 9: not JSON, or not all of it',
    ],
  );
});

test('a file name never leads out of its folder, whatever the service says', () => {
  const id = '0198c7a0-0000-7000-8000-000000000001';
  const name = (slug: unknown, of: unknown = id) => exportedFile({ slug, id: of, body: '' } as never).name;
  assert.equal(name('a-b'), 'a-b.md');
  for (const slug of ['../../etc/passwd', '/etc/passwd', 'a/b', 'a\\b', '..', '.', 'a\0b', '', null, 'x'.repeat(500)]) {
    assert.equal(name(slug), `_${id}.md`);
  }
  assert.throws(() => name(null, '../x'), UnreadableFile);
});
