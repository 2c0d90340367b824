import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDatabase } from '../../../test/helpers/database.ts';
import { httpSide } from '../../../test/helpers/http-app.ts';
import { AppError } from '../../contracts/errors.ts';
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

test('a redirection names the path below which the service is reached', async () => {
  for (const [url, location] of [
    [undefined, '/v1/new?page=2'],
    ['https://shop.example', '/v1/new?page=2'],
    ['https://shop.example/posthorn/', '/posthorn/v1/new?page=2'],
  ] as const) {
    const { app } = await httpSide([moved], { database, env: url === undefined ? {} : { POSTHORN_PUBLIC_URL: url } });
    const reply = await app.inject({ url: '/v1/old', headers: { authorization: 'Bearer key1' } });
    assert.deepEqual([reply.statusCode, reply.headers.location], [301, location]);
  }
});
