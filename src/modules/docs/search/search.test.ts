import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import hljs from 'highlight.js/lib/common';
import { openLibrary } from '../library.ts';
import { createMarkdown } from '../render.ts';
import { operationsOf, passagesOf } from './passages.ts';
import { createSearch } from './search.ts';
import { snippetOf } from './snippet.ts';
import { formsOf } from './words.ts';

const MARKDOWN = `# Shop

Before *anything*
else, [read](x.md) \`THIS_NAME\`.

## Prices

| Item | Price |
|---|---|
| Horn | 12 |

\`\`\`bash
buy horn
\`\`\`

#### Deep

Deep text.

### Prices

Again.
`;

test('a page is passages by headings and by rows, as text', () => {
  const [page, at] = ['Shop', '/docs/shop'];
  assert.deepEqual(passagesOf(createMarkdown(hljs), MARKDOWN, at), [
    { address: at, page, heading: '', text: 'Before anything else, read THIS_NAME.' },
    { address: `${at}#prices`, page, heading: 'Prices', text: 'Item · Price' },
    { address: `${at}#prices`, page, heading: 'Prices', text: 'Horn · 12' },
    {
      address: `${at}#prices`,
      page,
      heading: 'Prices',
      text: 'Item · Price · Horn · 12 · buy horn · Deep · Deep text.',
    },
    { address: `${at}#prices-1`, page, heading: 'Prices', text: 'Again.' },
  ]);
});

test('an operation is a passage that leads to its place in the reference', () => {
  const operation = { operationId: 'blow', tags: ['Post horns'], summary: 'Blow it', description: 'Loud.' };
  assert.deepEqual(operationsOf(JSON.stringify({ paths: { '/v1/horns/{id}': { post: operation } } })), [
    {
      address: '/docs/api#/Post%20horns/blow',
      page: 'API reference',
      heading: 'POST /v1/horns/{id}',
      text: 'Blow it. Loud.',
    },
  ]);
});

describe('a snippet', () => {
  const said = (text: string, ...words: string[]): string =>
    snippetOf(text, words.flatMap(formsOf), formsOf)
      .map((piece) => (piece.isHit ? `[${piece.text}]` : piece.text))
      .join('');
  const filler = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, i) => `w${from + i}`).join(' ');

  test('of a short text is all of it, with the forms of the words marked', () => {
    assert.equal(
      said('(Retries: a retry, retried.) Nothing “else”!', 'retry'),
      '([Retries]: a [retry], [retried].) Nothing “else”!',
    );
    assert.equal(said('Nothing.', 'retry'), 'Nothing.');
    assert.equal(said('', 'retry'), '');
  });

  test('of a long one is where most of the words are', () => {
    const text = `${filler(0, 50)} horn ${filler(50, 100)} blow the horn ${filler(100, 150)}`;
    assert.equal(said(text, 'horn', 'blow'), `… ${filler(94, 100)} [blow] the [horn] ${filler(100, 127)} …`);
  });

  test('ends with the text', () => {
    assert.equal(said(`${filler(0, 50)} horn. The end.`, 'horn'), `… ${filler(44, 50)} [horn]. The end.`);
  });
});

describe('a search of this documentation', async () => {
  const library = await openLibrary(new URL('../../../../', import.meta.url).pathname);
  const search = await createSearch(await library.passages());

  for (const [text, address] of [
    ['rotate a key', '/docs/operations/keys#rotate-an-api-key'],
    ['how do I verify a signature?', '/docs/receiving-webhooks#verify'],
    ['dead lettres', '/docs/receiving-webhooks#dead-letters'],
    ['POST /v1/events', '/docs/api#/Events/publishEvents'],
    ['slug_taken', '/docs/errors'],
    ['NATS_URL', '/docs/settings'],
    ['exit codes', '/docs/cli#when-something-fails'],
    ['offer.accepted', '/docs/events#offeraccepted'],
    ['pausing an endpoint', '/docs/api#/Webhook%20endpoints/pauseEndpoint'],
    ['prev', '/docs/blog#preview-links'],
  ] as const) {
    test(`finds ${text}`, () => {
      const { hits, isPart } = search.find(text);
      const found = hits.slice(0, 3).map((hit) => hit.address);
      assert.ok(found.includes(address), found.join('\n'));
      assert.equal(new Set(hits.map((hit) => hit.address)).size, hits.length);
      assert.ok(!isPart);
    });
  }

  test('leads to a page that there is, and to a heading of it', async () => {
    for (const { address } of search.find('delivery').hits) {
      const [page = '', id] = address.split('#');
      if (page === '/docs/api') continue;
      const found = await library.find(page);
      assert.ok(found && 'page' in found && (id === undefined || found.page.body.toString().includes(` id="${id}"`)));
    }
  });

  test('finds what has some of the words where nothing has all, and nothing without a word', () => {
    assert.equal(search.find('signature xylophone').isPart, true);
    assert.ok(search.find('signature xylophone').hits.length > 0);
    for (const text of ['', ' ', '?!', 'xylophone', '\u0000']) assert.deepEqual(search.find(text).hits, [], text);
    assert.ok(search.find('how to').hits.length > 0);
  });

  test('says where there are more than it gives', () => {
    const [many, few] = [search.find('delivery'), search.find('PgBouncer')];
    assert.deepEqual([many.hits.length, many.isCut, few.isCut], [20, true, false]);
    assert.ok(few.hits.length > 0 && few.hits.length < 20);
  });

  test('takes any text', () => {
    for (const text of [
      '<script>',
      '__proto__',
      'constructor',
      'a'.repeat(200),
      '((((',
      'ü é 日本語',
      'a b '.repeat(50),
    ])
      search.find(text);
  });
});
