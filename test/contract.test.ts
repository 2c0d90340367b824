import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Contract } from './helpers/contract.ts';

const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });
const contract = new Contract({
  paths: {
    '/v1/things/{id}': {
      get: {
        operationId: 'getThing',
        responses: {
          200: {
            content: { 'application/json': { schema: ref('schemas', 'Thing') } },
            headers: { 'X-Request-Id': ref('headers', 'X-Request-Id'), ETag: { required: true }, Age: {} },
          },
          202: { content: { 'application/x-ndjson': { schema: ref('schemas', 'Thing') } } },
          204: { headers: {} },
          404: ref('responses', 'NOT_FOUND'),
        },
      },
    },
  },
  components: {
    headers: { 'X-Request-Id': { required: true } },
    responses: {
      NOT_FOUND: {
        content: { 'application/json': { schema: { type: 'object', required: ['error'] } } },
        headers: { 'X-Request-Id': ref('headers', 'X-Request-Id') },
      },
    },
    schemas: { Thing: { type: 'object', required: ['id'] } },
  },
});

const type = { 'content-type': 'application/json' };
const thing = { status: 200, headers: { ...type, 'x-request-id': 'x', etag: '"1"' }, body: { id: 1 } };
const lines = { 'content-type': 'application/x-ndjson; charset=utf-8' };
const missing = { status: 404, headers: { ...type, 'x-request-id': 'x' }, body: { error: {} } };
type Seen = { status: number; headers: Record<string, string>; body: unknown };
const check = ({ headers, ...reply }: Seen, path = '/v1/things/1'): void =>
  contract.check({ method: 'GET', path, headers: new Headers(headers), ...reply });

describe('a reply that openapi.json', () => {
  test('declares passes, with and without what it may have', () => {
    check(thing);
    check({ ...thing, headers: { ...thing.headers, age: '1', 'x-other': 'y' } });
    check(missing);
    check({ status: 202, headers: lines, body: '{"id":1}\n{"id":2}\n' });
    check({ status: 204, headers: {}, body: undefined });
  });

  const { etag: _etag, ...withoutEtag } = thing.headers;
  const wrong: Record<string, [Seen, RegExp, path?: string]> = {
    'lacks a header field': [{ ...thing, headers: withoutEtag }, /getThing 200 has no ETag/],
    'lacks a header field of a shared reply': [{ ...missing, headers: type }, /getThing 404 has no X-Request-Id/],
    'has a header field': [
      { ...missing, headers: { ...missing.headers, etag: '"1"' } },
      /getThing 404 has ETag, which openapi.json does not declare/,
    ],
    'has another body': [{ ...thing, body: {} }, /getThing 200 does not fit/],
    'has another body of a shared reply': [{ ...missing, body: {} }, /getThing 404 does not fit/],
    'has a body where none is declared': [{ status: 204, headers: {}, body: {} }, /with a body/],
    'has another body in one line': [
      { status: 202, headers: lines, body: '{"id":1}\n{}\n' },
      /getThing 202 does not fit/,
    ],
    'has another type': [{ ...thing, headers: { ...thing.headers, 'content-type': 'text/html' } }, /getThing 200/],
    'has another status': [{ ...thing, status: 201 }, /answered 201, which openapi.json does not declare/],
    'has another address': [thing, /is no operation/, '/v1/nothing'],
  };
  for (const [name, [reply, says, path]] of Object.entries(wrong)) {
    test(`does not declare, since it ${name}, fails the test`, () => {
      assert.throws(() => check(reply, path), says);
    });
  }
});
