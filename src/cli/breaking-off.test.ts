import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cleanup } from '../../test/helpers/cleanup.ts';
import { Shell } from '../../test/helpers/cli.ts';
import { until } from '../../test/helpers/engine.ts';
import { testService } from '../../test/helpers/service.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const service = await testService({ withoutLoops: true });
const { token } = await service.user({ blogRole: 'EDITOR' });
const shell = new Shell({ POSTHORN_URL: service.url, POSTHORN_KEY: token });

async function listening(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanup(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Stands before the service, and keeps back its answers from the second one on. */
async function holdingBack(): Promise<{ url: string; held: () => number }> {
  let requests = 0;
  let held = 0;
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const isFirst = ++requests === 1;
    const reply = await fetch(service.url + (request.url ?? ''), {
      method: request.method ?? 'GET',
      headers: { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' },
      body: await buffer(request),
    });
    const text = await reply.text();
    if (isFirst) response.writeHead(reply.status, { 'content-type': 'application/json' }).end(text);
    else held++;
  };
  return { url: await listening((request, response) => void pass(request, response)), held: () => held };
}

const POSTS = 120;
mkdirSync(join(shell.home, 'posts'));
for (let i = 0; i < POSTS; i++)
  writeFileSync(
    join(shell.home, 'posts', `p${i}.md`),
    `---\ntitle: Post ${i}\ndate: 2020-01-01\n---\n${'Text. '.repeat(50)}`,
  );

describe('Ctrl-C', () => {
  test('in the middle of an import: what is done is told, and the next run goes on', async () => {
    const proxy = await holdingBack();
    const running = shell.start(['import', 'markdown', 'posts', '--url', proxy.url]);
    await until('the second request is under way', () => proxy.held() === 1);
    const { code, out, err } = await running.interrupt();
    assert.deepEqual([code, out, err], [130, '', 'Interrupted: 50 posts are done. Run it again to go on.\n']);
    // The second portion had arrived, and was not heard of.
    const again = await shell.ok('import', 'markdown', 'posts');
    assert.equal(again, '20 created, 0 updated, 100 unchanged, 0 skipped, 0 failed\n');
  });

  test('in the middle of an export: there is no half of a file', async () => {
    const url = await listening((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.write(`${JSON.stringify({ id: 'a', title: 'A' })}\n`);
    });
    const running = shell.start(['export', 'ndjson', 'all.ndjson', '--url', url]);
    await until('the file is begun', () => readdirSync(shell.home).some((name) => name.endsWith('.part')));
    const { code, out, err } = await running.interrupt();
    assert.deepEqual([code, out, err], [130, '', '']);
    assert.deepEqual(
      readdirSync(shell.home).filter((name) => name !== 'posts'),
      [],
    );
  });
});

describe('a disk that is full', () => {
  /** Runs it by a shell that lets no file become larger than 4 KiB. */
  async function onFullDisk(command: string): Promise<{ code: unknown; err: string }> {
    const { promise, resolve } = Promise.withResolvers<{ code: unknown; err: string }>();
    const script = `trap '' XFSZ; ulimit -f 8; exec "${process.execPath}" "${MAIN}" ${command}`;
    const env = { ...shell.env, NODE_COMPILE_CACHE: '' };
    execFile('/bin/sh', ['-c', script], { env, cwd: shell.home }, (error, _out, err) =>
      resolve({ code: error?.code ?? 0, err }),
    );
    return promise;
  }

  test('leaves nothing of an export under its name, nor beside it', async () => {
    await shell.ok('import', 'markdown', 'posts');
    const { code, err } = await onFullDisk('export ndjson all.ndjson');
    assert.deepEqual([code, /^posthorn: E(FBIG|NOSPC): .*\n$/.test(err)], [1, true], err);
    assert.deepEqual(
      readdirSync(shell.home).filter((name) => name !== 'posts'),
      [],
    );
  });

  test('is told of a device, which stays one, and of standard output', async () => {
    const device = await shell.run('export', 'ndjson', '/dev/full');
    assert.deepEqual([device.code, device.out], [1, '']);
    assert.match(device.err, /^posthorn: ENOSPC: .* The disk is full\.\n$/);
    assert.ok(statSync('/dev/full').isCharacterDevice());
    const redirected = await onFullDisk('posts list --json > /dev/full');
    assert.deepEqual(
      [redirected.code, /^posthorn: cannot write the output: ENOSPC.*\n$/.test(redirected.err)],
      [1, true],
    );
  });

  test('who has read enough is no failure', async () => {
    assert.deepEqual(await onFullDisk('posts list --all | head -1 > /dev/null'), { code: 0, err: '' });
  });
});

describe('a service of another version', () => {
  const answering = (version: string | undefined) =>
    listening((request, response) => {
      const isHealth = request.url === '/healthz';
      const error = { code: 'NOT_FOUND', message: 'There is no such address.', requestId: 'r1' };
      response.writeHead(isHealth ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isHealth ? { status: 'ok', version } : { error }));
    });

  test('is named when it does not understand: exit code 5', async () => {
    for (const [version, told] of [
      ['9.1.0', 'Posthorn 9.1.0'],
      [undefined, 'Posthorn of an older version'],
    ] as const) {
      const url = await answering(version);
      const { code, out, err } = await shell.run('posts', 'list', '--url', url);
      assert.deepEqual([code, out], [5, '']);
      assert.ok(err.startsWith(`posthorn: the service at ${url} is ${told} and this program is 0.1.0: use `), err);
      assert.equal(err.trim().split('\n').length, 1);
    }
  });

  /** One of the same series that answers each request with this. */
  const replying = (body: unknown) =>
    listening((request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(request.url === '/healthz' ? { status: 'ok', version: '0.1.9' } : body));
    });

  test('a delivery of before there were replays, and what holds one now, is shown', async () => {
    const delivery = {
      id: 'd1',
      event: 'offer.created',
      eventId: 'e1',
      endpointId: 'p1',
      status: 'HELD',
      errorClass: 'ENDPOINT_PAUSED',
      nextAttemptAt: null,
      replayOf: null,
      createdAt: '2026-01-01T00:00:00.000Z',
      requestId: 'r1',
      body: null,
      log: [],
    };
    const url = await replying(delivery);
    const shown = await shell.run('deliveries', 'show', 'd1', '--url', url);
    assert.deepEqual([shown.code, shown.err], [0, '']);
    assert.match(shown.out, /^status +HELD, ENDPOINT_PAUSED$/m);
    assert.doesNotMatch(shown.out, /undefined|replayed|held because/);
    const end = { deliveryId: 'd1', event: 'offer.created', createdAt: delivery.createdAt };
    const group = { endpointId: 'p1', errorClass: 'DNS', count: 3, countIsExact: true, oldest: end, newest: end };
    for (const [command, row] of [
      ['list', delivery],
      ['dead', group],
    ] as const) {
      const listed = await shell.run('deliveries', command, '--url', await replying({ data: [row], nextCursor: null }));
      assert.deepEqual([listed.code, listed.err], [0, '']);
      assert.match(listed.out, / – /);
    }
  });

  test('a reply that is none is told with the version of the service, in one line', async () => {
    const commands = [
      'deliveries list',
      'deliveries show d1',
      'deliveries dead',
      'deliveries replay --status DEAD --yes',
    ];
    commands.push(
      'deliveries jobs list',
      'deliveries jobs show j1',
      'endpoints list',
      'endpoints show p1',
      'events list',
    );
    commands.push(
      'events show e1',
      'trades list',
      'trades show t1',
      'inbound list',
      'inbound show i1',
      'accounts list',
    );
    commands.push('users list', 'keys list', 'posts list', 'posts show p1', 'whoami', 'status');
    for (const body of [{}, { data: [{}], nextCursor: null }, null]) {
      const url = await replying(body);
      const told = `posthorn: the service at ${url} (Posthorn 0.1.9) answered what this program (0.1.0) does not understand: `;
      for (const command of commands) {
        const { code, err } = await shell.run(...command.split(' '), '--url', url);
        assert.doesNotMatch(err, /^ +at |^TypeError/m, command);
        if (body === null) assert.deepEqual([code, err.startsWith(told)], [1, true], `${command}: ${err}`);
      }
    }
  });

  test('an id that a reply lacks is told as one, and not as of the command line', async () => {
    const account = { name: 'Acme', type: 'SITE' };
    const job = { state: 'RUNNING', total: 1, totalIsExact: true, done: 0, skipped: {}, error: null };
    const url = await replying({
      ...job,
      count: 1,
      countIsExact: true,
      user: { operator: false },
      accounts: [account],
      data: [account],
      nextCursor: null,
    });
    for (const command of ['deliveries replay --status DEAD --yes', 'keys list --account Acme']) {
      const { code, err } = await shell.run(...command.split(' '), '--url', url);
      const told = `posthorn: the service at ${url} (Posthorn 0.1.9) answered what this program (0.1.0) does not understand: id is missing. `;
      assert.deepEqual(
        [
          code,
          err
            .split('\n')
            .findLast((line) => line !== '')
            ?.startsWith(told),
        ],
        [1, true],
        err,
      );
      assert.doesNotMatch(err, /^ +at |^TypeError/m, command);
    }
  });

  test('an id that no address can hold is wrong use', async () => {
    for (const [command, name] of [
      ['deliveries jobs show ..', '<id>'],
      ['deliveries replay .', '<id>'],
      ['endpoints show ..', '<id>'],
    ] as const) {
      const { code, out, err } = await shell.run(...command.split(' '));
      const typed = command.split(' ').at(-1);
      assert.deepEqual([code, out, err], [2, '', `posthorn: ${name} cannot be "${typed}"\n`]);
    }
  });

  test('one of the same series is taken at its word', async () => {
    const { code, err } = await shell.run('posts', 'list', '--url', await answering('0.1.9'));
    assert.deepEqual([code, err], [1, 'posthorn: NOT_FOUND: There is no such address. [request r1]\n']);
  });
});
