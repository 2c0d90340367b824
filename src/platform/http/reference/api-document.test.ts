import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { apiDocument } from './api-document.ts';

test('the document is written down once for each form', () => {
  const asked: unknown[] = [];
  const swagger = (how?: { yaml: true }): unknown => {
    asked.push(how);
    return how ? 'openapi: 3.1.0\n' : { openapi: '3.1.0', info: { title: 'é' } };
  };
  const document = apiDocument({ swagger } as unknown as FastifyInstance);
  assert.deepEqual(asked, []);
  for (let i = 0; i < 3; i++) {
    assert.equal(document.json().toString(), '{"openapi":"3.1.0","info":{"title":"é"}}');
    assert.equal(document.yaml().toString(), 'openapi: 3.1.0\n');
  }
  assert.deepEqual(asked, [undefined, { yaml: true }]);
});
