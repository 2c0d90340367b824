import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Shell } from '../../../test/helpers/cli.ts';
import { testService } from '../../../test/helpers/service.ts';

const service = await testService({ withoutLoops: true });
const { token } = await service.user({ blogRole: 'EDITOR' });
const shell = new Shell({ POSTHORN_URL: service.url, POSTHORN_KEY: token });

test('posts are brought in, shown, published and taken off', async () => {
  writeFileSync(
    join(shell.home, 'hello.ndjson'),
    `${JSON.stringify({ source: 'h', title: 'Hello', body: 'One *word*.', category: 'News', slug: 'hello' })}\n`,
  );
  assert.match(await shell.ok('posts', 'import', 'ndjson', 'hello.ndjson'), /^1 created, /m);
  const list = await shell.ok('posts', 'list', '--status', 'DRAFT');
  const id = /^([0-9a-f-]{36}) {2}DRAFT +– +0 +hello +Hello$/m.exec(list)?.[1] ?? '';
  assert.match(await shell.ok('posts', 'show', 'hello'), /^title +Hello$/m);
  assert.equal(await shell.ok('posts', 'show', id, '--body'), 'One *word*.\n');
  assert.match(
    await shell.ok('posts', 'publish', 'hello', '--at', '2099-01-31T09:00Z'),
    /^hello is scheduled for 2099-01-31 09:00:00 UTC\.\n$/,
  );
  assert.equal(await shell.ok('posts', 'unpublish', id), 'hello is a draft.\n');
  assert.equal((await shell.json('posts', 'publish', 'hello')).status, 'PUBLISHED');
  assert.equal(await shell.ok('posts', 'unpublish', 'hello'), 'hello is archived.\n');
  const exported = await shell.run('posts', 'export', 'ndjson', '-');
  assert.deepEqual([JSON.parse(exported.out).slug, exported.err], ['hello', '1 posts and 0 comments written\n']);
});

test('what is none is told, before anything is asked where that is possible', async () => {
  const wrong: [string[], number, RegExp][] = [
    [['show', 'nothing'], 1, /^posthorn: there is no post "nothing": see "posthorn posts list"\n$/],
    [['show', '01890000-0000-7000-8000-000000000000'], 1, /^posthorn: NOT_FOUND: .* \[request \S+\]\n$/],
    [['publish', 'hello', '--at', 'tomorrow'], 2, /It is a time like 2026-01-31T09:00, or/],
    [['list', '--limit', '0'], 2, /It is a whole number from 1\./],
    [['list', '--status', 'GONE'], 2, /Allowed choices are DRAFT, SCHEDULED, PUBLISHED, ARCHIVED/],
  ];
  for (const [args, exitCode, message] of wrong) {
    const { code, out, err } = await shell.run('posts', ...args);
    assert.match(err, message);
    assert.deepEqual([code, out], [exitCode, '']);
  }
});
