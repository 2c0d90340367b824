import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { publishPost } from '../authoring/publish-post.ts';
import { unpublishPost } from '../authoring/unpublish-post.ts';
import { BlogFixture, code, COMPLETE } from '../fixtures.ts';
import type { WritablePost } from '../schemas.ts';
import { checkBody } from './check-body.ts';
import { checkPost } from './check-post.ts';
import { readBody } from './read-body.ts';

const blog = new BlogFixture(await withDatabase());
const { run, env, db } = blog;
const ann = await blog.writer('Ann', 'AUTHOR');
const bob = await blog.writer('Bob', 'AUTHOR');

const GOOD: WritablePost = { ...COMPLETE, excerpt: 'Short.' };
let n = 0;
/** The problems of a draft that has, besides these fields, nothing wrong. */
const problemsOf = async (fields: WritablePost) => {
  const { id } = await blog.draft(ann, { ...GOOD, title: `Unique ${++n}`, ...fields });
  const { problems } = await checkPost(db, { writer: ann, id });
  return problems.map((p) => `${p.code} ${p.path}`);
};

describe('the checks of a post', () => {
  const cases: [WritablePost, string[]][] = [
    [{}, []],
    [{ excerpt: '' }, ['EXCERPT_MISSING excerpt']],
    [{ coverImageUrl: 'https://a.b/c' }, ['COVER_WITHOUT_ALT coverImageAlt']],
    [{ coverImageUrl: 'https://a.b/c', coverImageAlt: ' ' }, ['COVER_WITHOUT_ALT coverImageAlt']],
    [{ coverImageUrl: 'https://a.b/c', coverImageAlt: 'A' }, []],
    [{ title: '🎉'.repeat(60) }, []],
    [{ title: '🎉'.repeat(61) }, ['TITLE_LONG title']],
    [{ title: 'x'.repeat(200), seoTitle: 'Short' }, []],
    [{ seoTitle: 'x'.repeat(61) }, ['TITLE_LONG seoTitle']],
    [{ body: '![](a.png)\n\n[](https://a.b)' }, ['IMAGE_WITHOUT_ALT body', 'LINK_WITHOUT_TEXT body']],
    [{ body: ' ' }, ['FIELD_MISSING body']],
  ];
  for (const [fields, expected] of cases) {
    test(`${JSON.stringify(fields).slice(0, 60)}: ${expected.join() || 'nothing'}`, async () => {
      assert.deepEqual(await problemsOf(fields), expected);
    });
  }

  test('are ready exactly when publishing does not refuse', async () => {
    const fields = Object.entries(COMPLETE);
    for (let mask = 0; mask < 2 ** fields.length; mask++) {
      const { id } = await blog.draft(ann, Object.fromEntries(fields.filter((_, i) => mask & (1 << i))));
      const { ready, problems } = await checkPost(db, { writer: ann, id });
      const refused = await run((trx) => publishPost(trx, { writer: ann, id }, env())).then(
        () => [],
        (error: { details: { path: string; message: string }[] }) => error.details,
      );
      const errors = problems.filter((p) => p.severity === 'ERROR');
      assert.deepEqual(
        errors.map(({ path, message }) => ({ path, message })),
        refused,
      );
      assert.equal(ready, refused.length === 0);
    }
  });

  test('find a title that another public or scheduled post has, whatever its case', async () => {
    const twin = 'Ein Ähnlicher TITEL';
    assert.deepEqual(await problemsOf({ title: twin }), []);
    const { id } = await blog.published(bob, { title: 'ein ähnlicher titel' }, '2027-01-01T00:00:00Z');
    assert.deepEqual(await problemsOf({ title: twin }), ['TITLE_NOT_UNIQUE title']);
    const own = await checkPost(db, { writer: bob, id });
    assert.deepEqual(
      own.problems.map((p) => p.code),
      ['EXCERPT_MISSING'],
      'not of itself',
    );
    await run((trx) => unpublishPost(trx, { writer: bob, id }, env()));
    assert.deepEqual(await problemsOf({ title: twin }), []);
  });

  test('are for those who manage the post', async () => {
    const { id } = await blog.draft(ann);
    await assert.rejects(checkPost(db, { writer: bob, id }), code('NOT_FOUND'));
  });
});

describe('the check of a body', () => {
  const found = (markdown: string) => readBody(markdown).map((p) => `${p.code} ${p.line}`);
  const cases: [string, string, string[]][] = [
    ['an image without text', 'a\n\n![ ](x)\n![b](x)', ['IMAGE_WITHOUT_ALT 3']],
    ['one by reference', '![][r]\n\n[r]: x', ['IMAGE_WITHOUT_ALT 1']],
    ['one of HTML', '<p>\n<img src="a">\n<img src="b" alt="">\n<IMG ALT=c src=c></p>', ['IMAGE_WITHOUT_ALT 2']],
    ['one of HTML in a line', 'a <img src="a"> b', ['IMAGE_WITHOUT_ALT 1']],
    ['a link without text', 'a\nb [](https://x.y) [ ](/z)', ['LINK_WITHOUT_TEXT 2', 'LINK_WITHOUT_TEXT 2']],
    ['links with text, code, or an image', '[a](/b) [`c`](/d) [![e](f)](/g) <https://h.i> [*j*](/k)', []],
    ['a link with an image without text', '[![](f)](/g)', ['IMAGE_WITHOUT_ALT 1']],
    ['links of HTML', 'x <a href="/a"></a> <a href="/b">b</a> <a name="c"></a>', ['LINK_WITHOUT_TEXT 1']],
    [
      'a block of them',
      '<div>\n<a href="/a"> </a>\n<a href="#">b</a></div>',
      ['LINK_WITHOUT_TEXT 2', 'LINK_TO_NOWHERE 3'],
    ],
    [
      'links to nowhere',
      '[a](#)\n\n[b]()\n\n[c](<JavaScript:alert(1)>)',
      ['1', '3', '5'].map((l) => `LINK_TO_NOWHERE ${l}`),
    ],
    [
      'hidden ones',
      '<a href="java&#10;script:x">a</a>\n[b](&#106;avascript:x)',
      ['LINK_TO_NOWHERE 1', 'LINK_TO_NOWHERE 2'],
    ],
    ['links to somewhere', '[a](#part) [b](?q) [c](/javascript:) [d](mailto:e@f.g)', []],
    [
      'a level that is skipped',
      '## a\n\n#### b\n\n## c\n\n### d\n\nE\n===\n\n### f',
      ['HEADING_LEVEL_SKIPPED 3', 'HEADING_LEVEL_SKIPPED 12'],
    ],
    ['the first heading', '### a', ['HEADING_LEVEL_SKIPPED 1']],
    ['headings of HTML', '<h2>a</h2>\n\n<h4>b</h4>', ['HEADING_LEVEL_SKIPPED 3']],
    ['code', '```md\n![](x)\n#### a\n```\n\n    [](y)\n\n`![](z)` `<img>`\n\n<!-- <img> [](#) -->', []],
    [
      'lists, quotes and tables',
      '- a\n- > ![](x)\n\n|a|\n|-|\n|[](y)|',
      ['IMAGE_WITHOUT_ALT 2', 'LINK_WITHOUT_TEXT 6'],
    ],
    [
      'frames, players and drawings',
      'A\n\n<iframe src="https://a.b/c"></iframe>\n\nx <video src="/v.mp4">y</video>\n\n<div>\n<svg><path/></svg></div>',
      ['LEFT_OUT 3', 'LEFT_OUT 5', 'LEFT_OUT 8'],
    ],
    [
      'images at addresses that are left out',
      '![a](data:image/png;base64,iVBORw0KGgo=)\n\n<img alt="b" src="blob:x">\n\n![c](//d.e/f) ![g](h:8) ![i](HTTPS://j.k)',
      ['LEFT_OUT 1', 'LEFT_OUT 3', 'LEFT_OUT 5'],
    ],
    ['RTL and emoji', '[שלום](#) ![👩‍👩‍👧](x)', ['LINK_TO_NOWHERE 1']],
    ['nothing', '', []],
  ];
  for (const [name, markdown, expected] of cases) {
    test(name, () => assert.deepEqual(found(markdown), expected));
  }

  test('tells a hundred findings at most', () => assert.equal(readBody('![](x)\n'.repeat(1000)).length, 100));

  test('of a long body goes on in a thread, and gives up in time', async () => {
    const long = `${'A paragraph of text.\n\n'.repeat(20_000)}![](x)`;
    assert.deepEqual(
      (await checkBody(long, 60_000)).map((p) => `${p.code} ${p.line}`),
      ['IMAGE_WITHOUT_ALT 40001'],
    );
    const given = await checkBody('!['.repeat(500_000), 1);
    assert.deepEqual(
      given.map((p) => p.code),
      ['BODY_NOT_CHECKED'],
    );
  });
});
