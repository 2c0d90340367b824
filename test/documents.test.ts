import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { generatedFiles } from '../scripts/lib/generated.ts';
import { ROOT } from '../scripts/lib/step.ts';
import { ERRORS } from '../src/contracts/errors.ts';
import { wordsOf } from '../src/lib/schema-words.ts';

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

interface Ref {
  $ref?: string;
}
interface Schema extends Ref {
  type?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  patternProperties?: unknown;
  items?: Schema;
  anyOf?: Schema[];
  examples?: unknown[];
}
interface Parameter extends Ref {
  name: string;
  in: string;
  required?: boolean;
  schema: { default?: unknown };
}
interface Response extends Ref {
  headers?: Record<string, Ref & { required?: boolean }>;
}
interface Operation {
  operationId: string;
  summary?: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, Response>;
  security?: Record<string, unknown>[];
}

describe('openapi.json', () => {
  const document = JSON.parse(textOf('openapi.json')) as {
    paths: Record<string, Record<string, Operation>>;
    webhooks: Record<
      string,
      { post: { requestBody: { content: Record<string, { schema: Schema; example?: unknown }> } } }
    >;
  };
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

  /** What a `$ref` stands for. */
  const resolve = <T extends Ref>(value: T): T =>
    value.$ref === undefined
      ? value
      : (value.$ref
          .slice(2)
          .split('/')
          .reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], document) as T);
  const parametersOf = (operation: Operation): Parameter[] => (operation.parameters ?? []).map(resolve);

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

  test('has no pattern that who sends something else would be told as a regular expression', () => {
    const patternsOf = (value: unknown): string[] => {
      if (typeof value !== 'object' || value === null) return [];
      const { pattern } = value as { pattern?: unknown };
      return [...(typeof pattern === 'string' ? [pattern] : []), ...Object.values(value).flatMap(patternsOf)];
    };
    const sent = operations.flatMap(({ operation }) => [
      ...parametersOf(operation).filter((p) => p.in !== 'header'),
      operation.requestBody,
    ]);
    const wordless = patternsOf(sent).filter((pattern) => wordsOf('pattern', { pattern }) === undefined);
    assert.deepEqual([...new Set(wordless)], []);
  });

  test('has an example of each webhook, and each fits its schema', () => {
    const contents: { schema: Schema; example?: unknown }[] = [
      ...Object.values(document.webhooks).map(({ post }) => post.requestBody.content['application/json']),
      ...operations.flatMap(({ operation }) => Object.values(operation.requestBody?.content ?? {})),
    ].filter((content) => content !== undefined);
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv).addSchema({ ...document, $id: 'openapi', paths: {}, webhooks: {} });
    const examples = contents.flatMap(({ schema, example }) => {
      const { examples: all = [] } = resolve(schema);
      const given = [...all, ...(example === undefined ? [] : [example])];
      return given.map((one) => ({ one, schema: JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')) }));
    });
    for (const { one, schema } of examples) {
      const validate = ajv.compile(schema as object);
      assert.ok(validate(one), JSON.stringify([one, validate.errors]));
    }
    assert.ok(examples.length >= Object.keys(document.webhooks).length + 3);
  });

  test('has every endpoint of the customer’s document that is built', () => {
    const have = new Set(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`));
    for (const wanted of [
      'GET /v1/blog/posts',
      'GET /v1/blog/posts/{slug}',
      'GET /v1/blog/posts/{slug}/comments',
      'POST /v1/blog/posts/{slug}/comments',
      'DELETE /v1/blog/comments/{id}',
      'GET /v1/blog/manage/comments',
      'PATCH /v1/blog/manage/comments/{id}',
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
    const walk = (given: Schema, at: string): void => {
      const schema = resolve(given);
      if (schema.properties && schema.additionalProperties !== false) open.push(at);
      for (const [name, child] of Object.entries(schema.properties ?? {})) walk(child, `${at}.${name}`);
      if (schema.items) walk(schema.items, `${at}[]`);
      for (const branch of schema.anyOf ?? []) walk(branch, at);
    };
    for (const { operation } of operations) {
      for (const { schema } of Object.values(operation.requestBody?.content ?? {})) walk(schema, operation.operationId);
    }
    // Each post of an import is checked by itself, so that one that does not fit is skipped and told.
    assert.deepEqual(open, ['importPosts.posts[]', 'receiveReport']);
  });

  /** Ask by POST, since the question is long, and store nothing. */
  const questions = ['renderPost'];

  test('a parameter with a default is optional, and writes take an Idempotency-Key', () => {
    for (const { method, operation } of operations) {
      const { operationId } = operation;
      const parameters = parametersOf(operation);
      for (const p of parameters)
        assert.ok(p.schema.default === undefined || p.required !== true, `${operationId} ${p.name}`);
      const takesKey = parameters.some((p) => p.name === 'Idempotency-Key' && p.in === 'header' && p.required !== true);
      assert.equal(takesKey, method !== 'get' && !questions.includes(operationId), operationId);
    }
  });

  /** Ids of the operations that take a header field. */
  const taking = (name: string): string[] =>
    operations
      .filter(({ operation }) => parametersOf(operation).some((p) => p.in === 'header' && p.name === name))
      .map(({ operation }) => operation.operationId)
      .toSorted();

  test('names the header fields that operations take', () => {
    assert.equal(taking('X-Request-Id').length, operations.length);
    assert.deepEqual(taking('If-Match'), [
      'deletePost',
      'publishPost',
      'restoreRevision',
      'unpublishPost',
      'updatePost',
    ]);
    assert.deepEqual(taking('If-None-Match'), [
      'getIndex',
      'getPost',
      'getTaxonomy',
      'listComments',
      'listPosts',
      'listReplies',
    ]);
  });

  test('names the header fields of replies, and whether they are always there', () => {
    const fieldsOf = (operationId: string, status: number): Record<string, boolean> => {
      const found = operations.find(({ operation }) => operation.operationId === operationId);
      const { headers = {} } = resolve(found?.operation.responses[status] ?? {});
      return Object.fromEntries(Object.entries(headers).map(([name, h]) => [name, resolve(h).required === true]));
    };
    const always = { 'X-Request-Id': true };
    const counted = { ...always, 'RateLimit-Limit': true, 'RateLimit-Remaining': true, 'RateLimit-Reset': true };
    const cached = { ...counted, ETag: true, 'Cache-Control': true, Vary: true };
    const keyed = { 'Idempotency-Replayed': false };
    assert.deepEqual(fieldsOf('listPosts', 200), cached);
    assert.deepEqual(fieldsOf('listPosts', 304), cached);
    assert.deepEqual(fieldsOf('listPosts', 406), always);
    assert.deepEqual(fieldsOf('getPost', 301), { ...counted, Location: true, 'Cache-Control': true, Vary: true });
    assert.deepEqual(fieldsOf('getPost', 404), counted);
    assert.deepEqual(fieldsOf('updatePost', 200), { ...cached, ...keyed });
    assert.deepEqual(fieldsOf('updatePost', 401), { ...counted, 'WWW-Authenticate': true });
    assert.deepEqual(fieldsOf('updatePost', 404), { ...counted, ...keyed });
    assert.deepEqual(fieldsOf('updatePost', 409), { ...counted, ...keyed, 'Retry-After': false });
    assert.deepEqual(fieldsOf('updatePost', 412), { ...counted, ...keyed, ETag: true });
    assert.deepEqual(fieldsOf('updatePost', 415), { ...counted, 'Accept-Encoding': false });
    assert.deepEqual(fieldsOf('updatePost', 429), { ...counted, 'Retry-After': true });
    assert.deepEqual(fieldsOf('publishEvents', 202), { ...counted, ...keyed, 'Cache-Control': false, Vary: false });
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
