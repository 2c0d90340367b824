import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Ran, Shell } from '../../../test/helpers/cli.ts';
import { testService } from '../../../test/helpers/service.ts';

const SAMPLES = fileURLToPath(new URL('./formats/samples/', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'posthorn-export-'));
after(() => rm(folder, { recursive: true, force: true }));
const at = (name: string) => join(folder, name);

const from = await testService({ withoutLoops: true });
const to = await testService({ withoutLoops: true });
const empty = await testService({ withoutLoops: true });
const editors = new Map([
  [from, await from.user({ blogRole: 'EDITOR' })],
  [to, await to.user({ blogRole: 'EDITOR' })],
]);

const posthorn = (service: typeof from, ...args: string[]) => posthornIn({}, service, ...args);

function posthornIn(more: Record<string, string>, service: typeof from, ...args: string[]): Promise<Ran> {
  const shell = new Shell({ PH_URL: service.url, PH_TOKEN: editors.get(service)?.token as string, ...more });
  return shell.run(...args);
}

describe('posthorn, with a service', () => {
  test('what options or POSTHORN_KEY say goes before the older variables', async () => {
    const key = editors.get(from)?.token as string;
    const no = {
      PH_TOKEN: 'ph_live_nobody',
      PH_EMAIL: 'nobody@example.com',
      PH_PASSWORD: 'none',
      PH_URL: 'http://127.0.0.1:1',
    };
    const args = ['export', 'ndjson', at('old.ndjson'), '--url', from.url];
    assert.deepEqual((await posthornIn({ ...no, POSTHORN_KEY: key }, from, ...args)).code, 0);
    assert.deepEqual((await posthornIn(no, from, ...args, '--key', key)).code, 0);
    assert.deepEqual((await posthornIn(no, from, ...args)).code, 2, 'a key that is none');
  });

  test('imports, exports and imports again: everything there and back', async () => {
    const ghost = await posthorn(from, 'import', 'ghost', join(SAMPLES, 'ghost.json'), '--verbose');
    assert.equal(ghost.code, 1, 'two posts of the sample cannot be held');
    assert.match(ghost.out, /^created {3}ghost\/6f1ed002\S+ \(welcome\): .*give it with --site/m);
    assert.match(ghost.out, /^failed {4}ghost\/\S+: bad-date: published_at is not a date/m);
    assert.match(
      ghost.out,
      /\n6 created, 0 updated, 0 unchanged, 1 skipped, 2 failed; comments: 3 created, 0 unchanged, 0 skipped\n$/,
    );
    const wordpress = await posthorn(from, 'import', 'wordpress', join(SAMPLES, 'wordpress.xml'), '--json');
    const report = JSON.parse(wordpress.out) as { created: number; comments: object; items: { source: string }[] };
    assert.deepEqual([report.created, report.items.length], [6, 10]);
    assert.deepEqual(report.comments, { created: 2, unchanged: 0, skipped: 0 });

    const exported = await posthorn(from, 'export', 'ndjson', at('one.ndjson'));
    assert.deepEqual(exported, { code: 0, out: '', err: '12 posts and 5 comments written\n' });
    const one = await readFile(at('one.ndjson'), 'utf8');
    assert.equal((await posthorn(from, 'export', 'ndjson', '-')).out, one);
    assert.deepEqual(await posthorn(from, 'export', 'markdown', at('md')), {
      code: 0,
      out: '12 written, 0 unchanged, 0 failed, 0 other files left\n',
      err: '',
    });

    const dry = await posthorn(to, 'import', 'markdown', at('md'), '--dry-run');
    assert.match(dry.out, /^12 created, .* 0 failed \(dry run: nothing was changed\)\n$/);
    const back = await posthorn(to, 'import', 'markdown', at('md'));
    assert.deepEqual([back.code, back.out], [0, '12 created, 0 updated, 0 unchanged, 0 skipped, 0 failed\n']);
    const again = await posthorn(to, 'import', 'ndjson', at('one.ndjson'));
    assert.deepEqual(
      [again.code, again.out],
      [0, '0 created, 0 updated, 12 unchanged, 0 skipped, 0 failed; comments: 5 created, 0 unchanged, 0 skipped\n'],
    );
    assert.equal((await posthorn(to, 'export', 'ndjson', '-')).out, one);
  });

  test('leaves other files of the folder alone, and no half of one', async () => {
    await mkdir(at('kept'));
    await writeFile(at('kept/gone.md'), 'of a post that is gone');
    await posthorn(to, 'export', 'markdown', at('kept'));
    const { out } = await posthorn(to, 'export', 'markdown', at('kept'));
    assert.equal(
      out,
      'left      gone.md: no post of this blog has this name any more\n0 written, 12 unchanged, 0 failed, 1 other files left\n',
    );
    const names = await readdir(at('kept'));
    assert.equal(names.length, 13);
    assert.ok(
      names.every((name) => /^[a-z0-9-]+\.md$/.test(name)),
      names.join(),
    );
    const nowhere = await posthorn(to, 'export', 'ndjson', at('no/such/folder.ndjson'));
    assert.deepEqual([nowhere.code, nowhere.out], [1, '']);
    assert.match(nowhere.err, /^posthorn: ENOENT/);
  });

  test('fails where there is no post to import', async () => {
    await mkdir(at('none'));
    await writeFile(at('none/picture.txt'), 'no post');
    await writeFile(at('none.json'), JSON.stringify({ db: [{ meta: { version: '5.0.0' }, data: { posts: [] } }] }));
    for (const [format, path] of [
      ['markdown', at('none')],
      ['ghost', at('none.json')],
    ] as const) {
      const { code, out, err } = await posthorn(to, 'import', format, path);
      assert.deepEqual([code, out], [1, '']);
      const why = format === 'ghost' ? `cannot read ${path}: no posts in it` : `there is no post in ${path}\n`;
      assert.ok(err.startsWith(`posthorn: ${why}`), err);
    }
  });

  test('says what there was in place of posts, and tells programs the same', async () => {
    const wordpress = (...types: string[]): string =>
      `<rss xmlns:wp="http://wordpress.org/export/1.2/"><channel><wp:wxr_version>1.2</wp:wxr_version>${types
        .map((type, id) => `<item><wp:post_id>${id}</wp:post_id><wp:post_type>${type}</wp:post_type></item>`)
        .join('')}</channel></rss>`;
    await writeFile(at('pages.xml'), wordpress('page', 'attachment', 'nav_menu_item', 'attachment'));
    await writeFile(at('page.xml'), wordpress('page'));
    await writeFile(at('images.xml'), wordpress('attachment'));
    await writeFile(at('empty.ndjson'), '');
    for (const [format, file, why, skipped] of [
      ['wordpress', 'pages.xml', ' (2 other items skipped, 2 attachments)', 2],
      ['wordpress', 'page.xml', ' (1 other item skipped)', 1],
      ['wordpress', 'images.xml', ' (1 attachment)', 0],
      ['ndjson', 'empty.ndjson', '', 0],
    ] as const) {
      const { code, out, err } = await posthorn(to, 'import', format, at(file), '--json');
      assert.deepEqual([code, err], [1, `posthorn: there is no post in ${at(file)}${why}\n`]);
      const told = JSON.parse(out);
      assert.deepEqual([told.created, told.skipped, told.items.length], [0, skipped, skipped]);
    }
    const piped = await posthorn(to, 'import', 'ndjson', '-');
    assert.deepEqual([piped.code, piped.out, piped.err], [1, '', 'posthorn: there is no post in standard input\n']);
  });

  test('an export of a blog without posts is imported, as others are', async () => {
    const { token } = await empty.user({ blogRole: 'EDITOR' });
    const shell = new Shell({ POSTHORN_URL: empty.url, POSTHORN_KEY: token });
    const exported = await shell.run('export', 'ndjson', '-');
    assert.deepEqual([exported.code, exported.err], [0, '0 posts and 0 comments written\n']);
    const { code, out, err } = await shell.start(['import', 'ndjson', '-'], exported.out).ended();
    assert.deepEqual([code, out, err], [0, '0 created, 0 updated, 0 unchanged, 0 skipped, 0 failed\n', '']);
  });

  test('refuses a file that it cannot read to its end, and imports nothing of it', async () => {
    const sample = await readFile(join(SAMPLES, 'wordpress.xml'), 'utf8');
    await writeFile(at('cut.xml'), sample.slice(0, -200));
    for (const [format, file] of [
      ['wordpress', at('cut.xml')],
      ['ghost', at('cut.xml')],
    ] as const) {
      const { code, out, err } = await posthorn(to, 'import', format, file);
      assert.deepEqual([code, out], [1, '']);
      assert.match(err, /^posthorn: cannot read \S+: not (XML|JSON), or not all of it: .*; nothing was imported\n$/);
    }
    assert.equal((await posthorn(to, 'import', 'wordpress', at('none.xml'))).code, 2);
    assert.equal((await posthorn(to, 'export')).code, 2);
  });

  test('leads links within a folder to its own posts, where posts of another have their slugs', async () => {
    for (const name of ['theirs', 'ours']) {
      await mkdir(at(name));
      await writeFile(at(`${name}/b.md`), `# ${name}`);
    }
    await writeFile(at('ours/a-link.md'), '[b]({{< ref "b.md" >}})');
    await posthorn(from, 'import', 'markdown', at('theirs'));
    for (const done of ['2 created, 0 updated, 0 unchanged', '0 created, 0 updated, 2 unchanged']) {
      assert.match((await posthorn(from, 'import', 'markdown', at('ours'))).out, new RegExp(`${done}, 0 skipped`));
      const { out } = await posthorn(from, 'export', 'ndjson', '-');
      assert.ok(out.includes('"[b](/blog/b-2)"') && out.includes('"slug":"b-2"'), out);
    }
  });

  test('is told when the caller is no editor', async () => {
    const author = await to.user({ blogRole: 'AUTHOR' });
    const { code, err } = await posthorn(to, 'export', 'ndjson', at('refused.ndjson'), '--token', author.token);
    assert.equal(code, 4);
    assert.match(err, /^posthorn: FORBIDDEN: This operation is for editors of the blog\. .* \[request \S+\]\n$/);
    assert.ok(!(await readdir(folder)).some((name) => /refused|part/.test(name)));
  });
});
