import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { type Ran, Shell } from '../../test/helpers/cli.ts';

const shell = new Shell();
const folder = await mkdtemp(join(tmpdir(), 'posthorn-cli-'));
after(() => rm(folder, { recursive: true, force: true }));
await writeFile(join(folder, 'a.md'), '---\ntitle: A\ndate: 2020-01-01\n---\nText');

const posthorn = (...args: string[]): Promise<Ran> => shell.run(...args);

/** Something that listens in place of a service. */
async function listening(answer: (...args: Parameters<RequestListener>) => unknown): Promise<string> {
  const server = createServer((request, reply) => void answer(request, reply)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('posthorn', { concurrency: 4 }, () => {
  const usage: [string, string[], RegExp][] = [
    ['no command', [], /Usage: posthorn/],
    ['an unknown command', ['fly'], /unknown command/],
    ['no folder', ['import', 'markdown'], /missing required argument/],
    ['an unknown option', ['import', 'markdown', folder, '--fast'], /unknown option/],
    ['a folder that is not there', ['import', 'markdown', join(folder, 'nope'), '--token', 'x'], /there is no folder/],
    [
      'an address that is none',
      ['status', '--url', 'http://a b'],
      /^posthorn: --url: http:\/\/a b is not an address\n$/,
    ],
    [
      'a key that is mistyped',
      ['whoami', '--key', 'ph_live_x'],
      /^posthorn: --key: the API key is mistyped or cut off\n$/,
    ],
  ];
  for (const [name, args, message] of usage) {
    test(`${name}: exit code 2`, async () => {
      const { code, err } = await posthorn(...args);
      assert.match(err, message);
      assert.equal(code, 2);
    });
  }

  const empty: [string[], string][] = [
    [['deliveries', 'show', ''], '<id>'],
    [['deliveries', 'replay', ' '], '<id>'],
    [['endpoints', 'delete', '', '--yes'], '<id>'],
    [['keys', 'revoke', ''], '<id>'],
    [['events', 'show', ''], '<id>'],
    [['posts', 'import', 'markdown', ''], '<folder>'],
    [['listen', '--endpoint', ''], '--endpoint'],
    [['endpoints', 'list', '--account', ''], '--account'],
    [['whoami', '--key', ''], '--key'],
    [['trigger', 'checkout.started', '--account', 'a', ''], '--account'],
  ];
  for (const [args, what] of empty) {
    test(`${args.join(' ')} with nothing for ${what}: exit code 2`, async () => {
      const { code, out, err } = await posthorn(...args, '--url', 'http://127.0.0.1:1');
      assert.deepEqual([code, out, err], [2, '', `posthorn: ${what} is empty\n`]);
    });
  }

  test('--help: exit code 0', async () => {
    const { code, out } = await posthorn('import', 'markdown', '--help');
    assert.deepEqual([code, out.includes('--dry-run')], [0, true]);
  });

  test('without a credential nothing is asked: exit code 4', async () => {
    const { code, err } = await posthorn('import', 'markdown', folder);
    assert.match(err, /^posthorn: nobody is signed in at http:\/\/127\.0\.0\.1:3000: run "posthorn login", or .*\n$/);
    assert.equal(code, 4);
  });

  test('a service that is down, or is none, is told in one line: exit code 3', async () => {
    const none = await listening((_request, reply) => reply.end('<h1>Hello</h1>'));
    for (const [url, message] of [
      [none.replace(/\d+$/, '1'), /cannot reach http:\/\/127\.0\.0\.1:1: /],
      [none, /is no Posthorn service/],
    ] as const) {
      for (const args of [['import', 'markdown', folder], ['whoami'], ['status'], ['login']]) {
        const { code, out, err } = await posthorn(...args, '--url', url, '--key', 'x');
        assert.match(err, message);
        assert.equal(err.trim().split('\n').length, 1, err);
        assert.deepEqual([code, out], [3, '']);
      }
    }
  });

  test('a service that is somewhere else is told with its address: exit code 3', async () => {
    const url = await listening((_request, reply) => reply.writeHead(301, { location: 'https://b.example/' }).end());
    for (const args of [['import', 'markdown', folder], ['whoami']]) {
      const { code, out, err } = await posthorn(...args, '--url', url, '--key', 'x');
      assert.match(err, /redirect to https:\/\/b\.example\/, .*: mend baseUrl \(--url or POSTHORN_URL\)\.\n$/);
      assert.equal(err.trim().split('\n').length, 1, err);
      assert.deepEqual([code, out], [3, '']);
    }
  });

  test('what failed is told with its reason: exit code 1; what was skipped is fine', async () => {
    const asked: { path: string | undefined; body: string }[] = [];
    const url = await listening(async (request, reply) => {
      asked.push({ path: request.url, body: await text(request) });
      const outcome = asked.length === 1 ? 'failed' : 'skipped';
      const data = [
        { source: 'f/a.md', outcome, reason: 'edited \u001b[31m', postId: null, slug: null, comments: null, notes: [] },
      ];
      reply.setHeader('content-type', 'application/json').end(JSON.stringify({ data }));
    });
    const args = ['import', 'markdown', folder, '--name', 'f', '--url', url, '--token', 'x'];
    const failed = await posthorn(...args);
    assert.deepEqual(failed, {
      code: 1,
      out: 'failed    f/a.md: edited ?[31m\n0 created, 0 updated, 0 unchanged, 0 skipped, 1 failed\n',
      err: '',
    });
    const skipped = await posthorn(...args, '--dry-run');
    assert.equal(skipped.code, 0);
    assert.match(skipped.out, /^skipped {3}f\/a\.md: edited .*\n.* 1 skipped, 0 failed \(dry run/);
    const [request] = asked;
    assert.equal(request?.path, '/v1/blog/manage/import');
    assert.deepEqual(JSON.parse(request?.body ?? ''), {
      posts: [
        {
          source: 'f/a.md',
          slugHint: 'a',
          title: 'A',
          body: 'Text',
          category: 'f',
          tags: [],
          publishedAt: '2020-01-01T00:00:00.000Z',
        },
      ],
      dryRun: false,
    });
  });
});
