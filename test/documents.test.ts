import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { generatedFiles } from '../scripts/lib/generated.ts';
import { ROOT } from '../scripts/lib/step.ts';
import { ERRORS } from '../src/contracts/errors.ts';

const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe('a file that the code makes is in the repository as the code makes it now', async () => {
  for (const [path, text] of await generatedFiles()) {
    test(path, () => assert.ok(textOf(path) === text, `${path} is out of date: run npm run openapi`));
  }
});

test('docs/errors.md holds the catalogue of errors', () => {
  const rows = textOf('docs/errors.md').matchAll(/^\| +(\d{3}) +\| `([A-Z_]+)` +\| (.+?) +\| .+ \|$/gm);
  const told = [...rows].map(([, status, code, message]) => [code, Number(status), message]);
  const known = Object.entries(ERRORS).map(([code, { status, message }]) => [code, status, message]);
  const byCode = (a: unknown[], b: unknown[]): number => String(a[0]).localeCompare(String(b[0]));
  assert.deepEqual(told.toSorted(byCode), known.toSorted(byCode));
});

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  patternProperties?: unknown;
  items?: Schema;
  anyOf?: Schema[];
}
interface Operation {
  operationId: string;
  summary?: string;
  parameters?: { name: string; in: string; required?: boolean; schema: { default?: unknown } }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, unknown>;
  security?: Record<string, unknown>[];
}

describe('openapi.json', () => {
  const document = JSON.parse(textOf('openapi.json')) as {
    paths: Record<string, Record<string, Operation>>;
    webhooks: Record<string, unknown>;
  };
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

  test('has no error and no warning in the eyes of a public linter', async () => {
    const redocly = promisify(execFile)(
      'node',
      ['node_modules/.bin/redocly', 'lint', '--format=json', 'openapi.json'],
      {
        cwd: ROOT,
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
        maxBuffer: 64 * 1024 * 1024,
      },
    );
    const output = await redocly.catch((error: { stdout: string }) => error);
    const { totals, problems } = JSON.parse(output.stdout) as { totals: object; problems: { message: string }[] };
    assert.deepEqual(
      problems.map((p) => p.message),
      [],
    );
    assert.deepEqual(totals, { errors: 0, warnings: 0, ignored: 0 });
  });

  test('has every endpoint of the customer’s document that is built', () => {
    const have = new Set(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`));
    for (const wanted of [
      'GET /v1/blog/posts',
      'GET /v1/blog/posts/{slug}',
      'PUT /v1/blog/posts/{slug}/like',
      'DELETE /v1/blog/posts/{slug}/like',
      'POST /v1/blog/posts/{slug}/view',
      'GET /v1/blog/index',
      'GET /v1/blog/taxonomy',
      'GET /v1/blog/manage/me',
      'GET /v1/blog/manage/posts',
      'POST /v1/blog/manage/posts',
      'GET /v1/blog/manage/posts/{id}',
      'PATCH /v1/blog/manage/posts/{id}',
      'DELETE /v1/blog/manage/posts/{id}',
      'POST /v1/blog/manage/posts/{id}/publish',
      'POST /v1/blog/manage/posts/{id}/unpublish',
      'POST /v1/webhooks/business-subscriptions',
      'POST /v1/webhooks/deliveries/{id}/replay',
    ]) {
      assert.ok(have.has(wanted), wanted);
    }
  });

  test('names every operation once', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    assert.deepEqual(
      ids.filter((id, i) => ids.indexOf(id) !== i),
      [],
    );
  });

  test('no object of a request body takes fields that it does not name', () => {
    const open: string[] = [];
    const walk = (schema: Schema, at: string): void => {
      if (schema.properties && schema.additionalProperties !== false) open.push(at);
      for (const [name, child] of Object.entries(schema.properties ?? {})) walk(child, `${at}.${name}`);
      if (schema.items) walk(schema.items, `${at}[]`);
      for (const branch of schema.anyOf ?? []) walk(branch, at);
    };
    for (const { operation } of operations) {
      for (const { schema } of Object.values(operation.requestBody?.content ?? {})) walk(schema, operation.operationId);
    }
    // Each post of an import is checked by itself, so that one that does not fit is skipped and told.
    assert.deepEqual(open, ['importPosts.posts[]']);
  });

  test('a parameter with a default is optional, and writes take an Idempotency-Key', () => {
    for (const { method, operation } of operations) {
      const { operationId, parameters = [] } = operation;
      for (const p of parameters)
        assert.ok(p.schema.default === undefined || p.required !== true, `${operationId} ${p.name}`);
      const takesKey = parameters.some((p) => p.name === 'Idempotency-Key' && p.in === 'header' && p.required !== true);
      assert.equal(takesKey, method !== 'get', operationId);
    }
  });

  test('every operation that needs a credential says which', () => {
    for (const { operation } of operations) {
      assert.ok(Array.isArray(operation.security), operation.operationId);
      if (operation.security.length > 0) assert.ok('401' in operation.responses, operation.operationId);
    }
  });

  test('describes each outbound event', () => {
    assert.equal(Object.keys(document.webhooks).length, 29);
  });
});
