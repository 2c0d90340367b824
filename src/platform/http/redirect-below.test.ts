import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDatabase } from '../../../test/helpers/database.ts';
import { httpSide } from '../../../test/helpers/http-app.ts';
import { AppError } from '../../contracts/errors.ts';
import { relativeTo } from './relative-to.ts';
import { read } from './route.ts';

const database = await withDatabase();
const moved = read({
  method: 'GET',
  path: '/v1/old',
  operationId: 'old',
  tag: 'test',
  summary: 'test',
  access: 'any',
  errors: ['POST_MOVED'],
  schemas: { replies: { 204: null } },
  handle: () => Promise.reject(new AppError('POST_MOVED', { headers: { location: '/v1/new?page=2' } })),
});

test('a redirection leads from wherever the service is reached', async () => {
  for (const [url, location] of [
    [undefined, '/v1/new?page=2'],
    ['https://shop.example', '/v1/new?page=2'],
    ['https://shop.example/posthorn/', 'new?page=2'],
  ] as const) {
    const { app } = await httpSide([moved], { database, env: url === undefined ? {} : { POSTHORN_PUBLIC_URL: url } });
    const reply = await app.inject({ url: '/v1/old', headers: { authorization: 'Bearer key1' } });
    assert.deepEqual([reply.statusCode, reply.headers.location], [301, location]);
  }
});

test('a relative reference leads where the address does, at any prefix', () => {
  const paths = [
    '/v1/blog/posts/a',
    '/v1/blog/posts/a/',
    '/v1/blog/posts/a/comments',
    '/v1/blog/posts/a/comments/',
    '/x',
    '/',
  ];
  for (const from of paths)
    for (const to of [...paths, '/v1/blog/posts/b?page=2', '/v1/blog/posts/b/comments?sort=newest'])
      for (const prefix of ['', '/posthorn', '/a/b']) {
        const { pathname, search } = new URL(relativeTo(from, to), `https://shop.example${prefix}${from}`);
        assert.equal(pathname + search, prefix + to, `${from} → ${to}`);
      }
});
