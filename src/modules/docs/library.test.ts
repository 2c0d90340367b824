import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { openLibrary } from './library.ts';

const root = mkdtempSync(join(tmpdir(), 'posthorn-library-'));
after(() => rmSync(root, { recursive: true, force: true }));

const FILES: Readonly<Record<string, string>> = {
  'docs/README.md':
    '# Contents\n\n## Start\n\n- [First](first.md): a page\n- [Code](../examples/code.ts)\n\n## More\n\n- [Deep](a/deep.md)\n',
  'docs/first.md':
    '# First\n\n## Twice\n\n## Twice\n\n[deep](a/deep.md#end) [out](https://example.com) [gone](gone.md) [here](#twice-1) [folder](../lib/) [run](../compose.yaml) [source](../src/code.ts)\n\n```sh background=4000\necho "a" # b\n```\n\n`an_example.of/it & more`\n\n<script>alert(1)</script>\n\n| a |\n|---|\n| b |\n',
  'docs/a/deep.md': '# Deep\n\n![A drawing of it](drawing.svg)\n\n## End\n',
  'docs/a/drawing.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'examples/code.ts': 'export const a = 1;\n',
  'examples/.env': 'KEY=secret\n',
  'docs/.drafts/idea.md': '# Not yet\n',
  'compose.yaml': 'environment: { DATABASE_PASSWORD: secret }\n',
  'src/code.ts': 'export const b = 1;\n',
  'src/secret.ts': 'nobody links here\n',
  'lib/README.md': '# Lib\n\n[secret](../src/secret.ts)\n',
};
for (const [path, text] of Object.entries(FILES)) {
  mkdirSync(join(root, dirname(path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
const library = await openLibrary(root);

const pageAt = async (address: string): Promise<string> => {
  const found = await library.find(address);
  assert.ok(found && 'page' in found, address);
  return found.page.body.toString();
};

test('the table of contents is the navigation', () => {
  assert.deepEqual(library.sections, [
    {
      title: 'Start',
      links: [
        { text: 'First', address: '/docs/first' },
        { text: 'Code', address: '/docs/-/examples/code.ts' },
      ],
    },
    { title: 'More', links: [{ text: 'Deep', address: '/docs/a/deep' }] },
  ]);
});

describe('a page', () => {
  test('has links to where things are served, and none to what is not there', async () => {
    const html = await pageAt('/docs/first');
    for (const part of [
      '<a href="/docs/a/deep#end">deep</a>',
      '<a href="https://example.com">out</a>',
      '<a>gone</a>',
      '<a href="/docs/first#twice-1">here</a>',
      '<a href="/docs/-/lib/README.md">folder</a>',
      '<a>run</a>',
      '<a>source</a>',
    ])
      assert.ok(html.includes(part), part);
    assert.ok((await pageAt('/docs/a/deep')).includes('<img src="/docs/a/drawing.svg" alt="A drawing of it">'));
  });

  test('has ids as GitHub gives them, coloured code, tables that can be scrolled by keys, and no HTML of its own', async () => {
    const html = await pageAt('/docs/first');
    assert.ok(html.includes('<h2 id="twice">') && html.includes('<h2 id="twice-1">'));
    assert.ok(html.includes('<pre tabindex="0"><code><span class="hljs-built_in">echo</span>'));
    assert.ok(html.includes('tabindex="0"><table>'));
    assert.ok(html.includes('<code>an_<wbr>example.<wbr>of/<wbr>it &amp; more</code>'));
    assert.ok(html.includes('&lt;script&gt;') && !html.includes('<script'));
    const found = await library.find('/docs/first');
    assert.deepEqual(found && 'page' in found && found.page.headings.map(({ id }) => id), ['twice', 'twice-1']);
  });

  test('is found by the name of its file as well', async () => {
    assert.equal(await pageAt('/docs/first.md'), await pageAt('/docs/first'));
    assert.equal(await pageAt('/docs/README.md'), await pageAt('/docs'));
  });
});

describe('a file', () => {
  test('is served as what it is, code as text', async () => {
    for (const [address, type] of [
      ['/docs/a/drawing.svg', 'image/svg+xml'],
      ['/docs/-/examples/code.ts', 'text/plain; charset=utf-8'],
    ] as const) {
      const found = await library.find(address);
      assert.ok(found && 'file' in found, address);
      assert.equal(found.type, type);
    }
  });

  for (const address of [
    '/docs/-/src/secret.ts',
    '/docs/-/src/code.ts',
    '/docs/-/compose.yaml',
    '/docs/-/examples/.env',
    '/docs/.drafts/idea',
    '/docs/../src/secret.ts',
    '/docs/-/../src/secret.ts',
    '/docs/a/../../src/secret.ts',
    '/docs/a',
    '/docs/nothing',
    '/docs/-/docs/first.md',
  ]) {
    test(`is not served when no page links to it, or it is no documentation: ${address}`, async () => {
      assert.equal(await library.find(address), null);
    });
  }
});
