import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { describe, test } from 'node:test';
import { testService } from './helpers/service.ts';

const service = await testService({ withoutLoops: true, env: { BODY_LIMIT_BYTES: '4096' } });
const { key: reader } = await service.key(['blog:read']);
const { token: editor } = await service.user({ blogRole: 'EDITOR' });
const { token: visitor } = await service.user();

describe('Accept', () => {
  const served = [
    '*/*',
    'application/*',
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;profile="a,b";q=0.1',
    'text/html, application/json;q=0.5',
    'application/json, text/plain, */*',
    'application/problem+json, */*;q=0.1',
    'text/html;q=0, */*',
    '',
  ];
  for (const accept of served) {
    test(`Accept: ${accept} is served`, async () => {
      await service.ok(200, 'GET', '/v1/blog/posts', { token: reader, headers: { accept } });
    });
  }

  const refused = [
    'text/html',
    'text/*',
    'application/json;q=0',
    'application/json;q=0, */*',
    'application/*;q=0.0',
    'application/problem+json',
    'application/vnd.api+json',
    'application/jsonp',
    'x-application/json',
    'nonsense',
  ];
  for (const accept of refused) {
    test(`Accept: ${accept} is 406`, async () => {
      await service.refused('NOT_ACCEPTABLE', 'GET', '/v1/blog/posts', { token: reader, headers: { accept } });
    });
  }
});

describe('bodies', () => {
  test('415 for a body of another type, also where none is taken', async () => {
    const options = {
      token: editor,
      body: 'title=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    };
    await service.refused('UNSUPPORTED_MEDIA_TYPE', 'POST', '/v1/blog/manage/posts', options);
    await service.refused('UNSUPPORTED_MEDIA_TYPE', 'POST', '/v1/auth/sign-out', { ...options, token: visitor });
  });

  const post = { token: editor, body: { title: 'Ünïcode' } };
  const types = [
    'application/json',
    'application/json;charset=utf-8',
    'Application/JSON; Charset="UTF-8"',
    'application/json; charset=utf8',
    'application/json; profile=x',
  ];
  for (const type of types) {
    test(`Content-Type: ${type} is taken`, async () => {
      const headers = { 'content-type': type };
      const made = await service.ok(201, 'POST', '/v1/blog/manage/posts', { ...post, headers });
      assert.equal(made['title'], 'Ünïcode');
    });
  }

  for (const charset of ['iso-8859-1', 'utf-16', '"latin1"', 'utf-8x']) {
    test(`415 for a body in charset=${charset}`, async () => {
      const headers = { 'content-type': `application/json; charset=${charset}` };
      await service.refused('UNSUPPORTED_MEDIA_TYPE', 'POST', '/v1/blog/manage/posts', { ...post, headers });
    });
  }

  test('415 for a body with a Content-Encoding, naming what is taken', async () => {
    for (const coding of ['gzip', 'br', 'deflate', 'gzip, identity']) {
      const headers = { 'content-encoding': coding };
      const reply = await service.refused('UNSUPPORTED_MEDIA_TYPE', 'POST', '/v1/blog/manage/posts', {
        ...post,
        headers,
      });
      assert.equal(reply.headers.get('accept-encoding'), 'identity');
    }
    for (const coding of ['identity', 'Identity'])
      await service.ok(201, 'POST', '/v1/blog/manage/posts', { ...post, headers: { 'content-encoding': coding } });
  });

  test('400 for bytes that are not UTF-8, which would be stored as other text', async () => {
    const cut = Buffer.from(JSON.stringify({ title: 'Ü😀' })).subarray(0, -3);
    for (const bytes of [Buffer.from('{"title":"\xdc"}', 'latin1'), Buffer.concat([cut, Buffer.from('"}')])]) {
      const reply = await fetch(`${service.url}/v1/blog/manage/posts`, {
        method: 'POST',
        headers: { authorization: `Bearer ${editor}`, 'content-type': 'application/json' },
        body: bytes,
      });
      assert.equal(reply.status, 400);
      assert.equal(((await reply.json()) as { error: { message: string } }).error.message, 'body: is not UTF-8');
    }
  });

  test('413 for a body over the limit', async () => {
    const body = { title: 'x', body: 'y'.repeat(5000) };
    await service.refused('PAYLOAD_TOO_LARGE', 'POST', '/v1/blog/manage/posts', { token: editor, body });
  });

  test('413 also when the length is not announced', async () => {
    const { hostname, port } = new URL(service.url);
    const status = await new Promise((done, fail) => {
      const request = httpRequest(
        {
          hostname,
          port,
          method: 'POST',
          path: '/v1/blog/manage/posts',
          headers: { authorization: `Bearer ${editor}`, 'content-type': 'application/json' },
        },
        (response) => done(response.resume().statusCode),
      ).once('error', fail);
      request.write(`{"body":"${'y'.repeat(3000)}`);
      request.end(`${'y'.repeat(3000)}"}`);
    });
    assert.equal(status, 413);
  });
});
