import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AppError } from '../src/contracts/errors.ts';
import { createLog } from '../src/platform/log/log.ts';
import { VERSION } from '../src/app/version.ts';
import { read } from '../src/platform/http/route.ts';
import { withDatabase } from './helpers/database.ts';
import { httpApp } from './helpers/http-app.ts';
import { testService } from './helpers/service.ts';

const database = await withDatabase();
const service = await testService({ withoutLoops: true, database });

describe('system addresses', () => {
  test('/healthz and /readyz need no credential', async () => {
    assert.deepEqual(await service.ok(200, 'GET', '/healthz'), { status: 'ok', version: VERSION });
    assert.deepEqual(await service.ok(200, 'GET', '/readyz'), { status: 'ready' });
  });

  test('/readyz is 503 while the database does not answer; /healthz stays 200', async () => {
    for (const isReady of [
      async () => false,
      async () => {
        throw new Error('away');
      },
    ]) {
      const app = await httpApp([], { database, isReady });
      assert.equal((await app.inject('/readyz')).statusCode, 503);
      assert.equal((await app.inject('/healthz')).statusCode, 200);
    }
  });

  test('/metrics counts requests by operation and status', async () => {
    await service.refused('UNAUTHENTICATED', 'GET', '/v1/auth/me');
    const reply = await service.call<string>('GET', '/metrics');
    assert.match(reply.headers.get('content-type') ?? '', /^text\/plain/);
    assert.match(reply.body, /posthorn_http_request_seconds_count\{operation="getMe",status="401"\} 1/);
  });

  test('/openapi.json is the document of the repository', async () => {
    const { body } = await service.call<{ openapi: string; paths: object }>('GET', '/openapi.json');
    assert.equal(body.openapi, '3.1.0');
    assert.ok(Object.keys(body.paths).length > 20);
    const other = await service.call<{ paths: object }>('GET', '/docs/api/json');
    assert.match(other.headers.get('content-type') ?? '', /^application\/json/);
    assert.deepEqual(other.body, body);
    const yaml = await fetch(`${service.url}/docs/api/yaml`);
    assert.equal(yaml.headers.get('content-type'), 'application/x-yaml');
    assert.match(await yaml.text(), /^openapi: 3\.1\.0\n/);
  });

  for (const [address, sources] of [
    ['/docs', "default-src 'none'"],
    ['/docs/getting-started', "default-src 'none'"],
    ['/docs/api', "default-src 'self'"],
  ] as const) {
    test(`${address} is a page under a content security policy`, async () => {
      const reply = await service.call<string>('GET', address);
      assert.equal(reply.status, 200);
      assert.match(reply.headers.get('content-type') ?? '', /^text\/html/);
      const policy = reply.headers.get('content-security-policy') ?? '';
      assert.ok(policy.startsWith(sources), policy);
      assert.doesNotMatch(policy, /script-src[^;]*unsafe-(inline|eval)/);
    });
  }
});

describe('a failure that nobody expected', () => {
  const lines: string[] = [];
  const log = createLog('error', { write: (line: string) => void lines.push(line) });
  const fail = (error: unknown) =>
    read({
      method: 'GET',
      path: '/v1/fail',
      operationId: 'fail',
      tag: 'test',
      summary: 'test',
      access: 'public',
      schemas: { replies: { 204: null } },
      handle: async () => {
        throw error;
      },
    });
  async function sent(error: unknown) {
    const app = await httpApp([fail(error)], { database, log });
    lines.length = 0;
    const reply = await app.inject({ url: '/v1/fail', headers: { 'x-request-id': 'request-of-test' } });
    return { status: reply.statusCode, text: reply.body, headers: reply.headers };
  }

  test('is 500, tells nothing of the inside, and is in the log with the request id', async () => {
    const { status, text } = await sent(new Error('relation "posts" does not exist'));
    assert.equal(status, 500);
    assert.deepEqual(JSON.parse(text), {
      error: {
        code: 'INTERNAL_ERROR',
        message: 'Something failed on our side; quote the requestId.',
        requestId: 'request-of-test',
      },
    });
    const logged = JSON.parse(lines[0] ?? '{}') as { requestId: string; operationId: string; err: { message: string } };
    assert.deepEqual([logged.requestId, logged.operationId], ['request-of-test', 'fail']);
    assert.match(logged.err.message, /posts/);
  });

  test('of something thrown that is no Error is 500 too', async () => {
    assert.equal((await sent('text')).status, 500);
  });

  test('of a library with a status of its own does not decide our status', async () => {
    assert.equal((await sent(Object.assign(new Error('teapot'), { statusCode: 418 }))).status, 500);
  });

  test('of a database that is away is 503 with Retry-After', async () => {
    const { status, headers, text } = await sent(
      Object.assign(new Error('x'), { code: 'ECONNREFUSED', syscall: 'connect' }),
    );
    assert.deepEqual([status, headers['retry-after']], [503, '2']);
    assert.equal((await sent(Object.assign(new Error('x'), { code: '57P01' }))).status, 503);
    assert.doesNotMatch(text, /ECONN/);
  });

  test('that was expected is not an error in the log', async () => {
    assert.equal((await sent(new AppError('NOT_FOUND'))).status, 404);
    assert.deepEqual(lines, []);
  });
});
