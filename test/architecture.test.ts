import assert from 'node:assert/strict';
import { readFileSync, globSync } from 'node:fs';
import { describe, test } from 'node:test';
import { packagesBefore, violations } from './helpers/architecture.ts';
import { dashboardViolations } from './helpers/dashboard-architecture.ts';
import { rawCalls } from './helpers/e2e-architecture.ts';

const ROOT = new URL('../', import.meta.url);
const sources = new Map(
  globSync('src/**/*.ts', { cwd: ROOT.pathname }).map((path) => [path, readFileSync(new URL(path, ROOT), 'utf8')]),
);

test('src/ keeps the rules of the house', () => {
  assert.ok(sources.size > 100, 'the sources were not found');
  assert.deepEqual(violations(sources), []);
});

describe('a start loads what every service needs', () => {
  for (const [entry, packages] of [
    ['src/modules/webhooks/engine/attempt-thread.ts', ['ipaddr.js']],
    ['src/modules/blog/checks/check-thread.ts', ['htmlparser2', 'markdown-it']],
  ] as const) {
    test(`${entry}: ${packages.join(', ')}`, () => assert.deepEqual(packagesBefore(entry, sources), packages));
  }

  test('what only some settings or requests need comes when it is needed', () => {
    const loaded = new Set(packagesBefore('src/app/serve.ts', sources));
    assert.ok(loaded.has('fastify'));
    const later =
      '@electric-sql/pglite @nats-io/jetstream @nats-io/transport-node @redis/client diff highlight.js/lib/common jose nodemailer sax smol-toml turndown undici yaml';
    assert.deepEqual(
      later.split(' ').filter((name) => loaded.has(name)),
      [],
    );
  });
});

test('dashboard/ keeps its own, and knows the service by its client only', () => {
  const files = new Map(
    globSync('dashboard/src/**/*.{ts,tsx}', { cwd: ROOT.pathname }).map((path) => [
      path,
      readFileSync(new URL(path, ROOT), 'utf8'),
    ]),
  );
  assert.ok(files.size > 30, 'the sources were not found');
  assert.deepEqual(dashboardViolations(files), []);
});

test('e2e/ speaks to the service by the client library', () => {
  const files = new Map(
    globSync('e2e/**/*.ts', { cwd: ROOT.pathname }).map((path) => [path, readFileSync(new URL(path, ROOT), 'utf8')]),
  );
  assert.ok(files.size > 10, 'the tests were not found');
  assert.deepEqual(rawCalls(files), []);
});

describe('a request beside the client library is found', () => {
  const path = 'e2e/dashboard.test.ts';
  for (const source of [
    "await service.ok(201, 'POST', '/v1/blog/manage/posts', { token });",
    "await service.ok<{ id: string }>(\n  201,\n  'POST', '/v1/events');",
    "await service.call('GET', `/v1/events/${id}/routing`);",
    "await service.refused('NOT_FOUND', 'GET', '/v1/x');",
    'await fetch(`${service.url}/v1/x`);',
    'await context.request.post(`${service.url}/v1/x`);',
    "import { request } from 'undici';",
    "const { connect } = await import('node:net');",
    'await globalThis.fetch(`${service.url}/v1/x`);',
    'await page.evaluate((url) => window.fetch(url), url);',
    'const ask = fetch;',
    'const { request } = page;\nawait request.get(service.url);',
  ]) {
    test(source.replaceAll(/\s+/g, ' '), () => assert.equal(rawCalls(new Map([[path, source]])).length, 1));
  }
  for (const source of [
    "assert.ok(found, 'is there');",
    'await client.getPost({ slug });',
    '// by fetch(url) it would be another',
    "r.request().method() === 'PATCH'",
    'createClient({ fetch: counted })',
  ]) {
    test(`and this is none: ${source}`, () => assert.deepEqual(rawCalls(new Map([[path, source]])), []));
  }
  test('in a file that makes another by itself', () => {
    const source = 'await fetch(`${service.url}/healthz`);\nawait fetch(`${service.url}/v1/events`);';
    assert.equal(rawCalls(new Map([['e2e/process.test.ts', source]])).length, 1);
  });
  test('an allowance that is not needed', () => {
    assert.match(rawCalls(new Map([['e2e/process.test.ts', 'await client.getMe();']])).join('\n'), /does not/);
  });
});

/** Each: a file of the dashboard with an import that it must not have, and the words that the report must hold. */
const WRONG_IN_DASHBOARD: readonly [path: string, specifier: string, says: RegExp][] = [
  ['dashboard/src/posts/page.tsx', '../../../src/lib/slug.ts', /outside/],
  ['dashboard/src/posts/page.tsx', '../../../client/src/index.ts', /outside/],
  ['dashboard/src/posts/page.tsx', 'node:fs', /@posthorn\/client/],
  ['dashboard/src/posts/page.tsx', '../moderation/use-queue.ts', /another subject/],
  ['dashboard/src/ui/page.tsx', '../posts/fields.ts', /higher/],
  ['dashboard/src/ui/page.tsx', '../shell/use-account.ts', /higher/],
  ['dashboard/src/shell/shell.tsx', '../app/router.ts', /higher/],
];

describe('an injected fault of the dashboard is found', () => {
  for (const [path, specifier, says] of WRONG_IN_DASHBOARD) {
    test(`${path} imports ${specifier}`, () => {
      const found = dashboardViolations(new Map([[path, `import { x } from '${specifier}';`]]));
      assert.equal(found.length, 1, found.join('\n'));
      assert.match(found[0] as string, says);
    });
  }
});

/** Each: a file that breaks one rule, and the words that the report must hold. */
const WRONG: Readonly<Record<string, [path: string, source: string, says: RegExp]>> = {
  'a lower tier imports a higher one': [
    'src/platform/http/app.ts',
    "import { createBlog } from '../../modules/blog/index.ts';",
    /higher tier/,
  ],
  'a dynamic import counts too': [
    'src/lib/slug.ts',
    "const m = await import('../platform/log/log.ts');",
    /higher tier/,
  ],
  'lib imports contracts': ['src/lib/slug.ts', "import type { Caller } from '../contracts/caller.ts';", /higher tier/],
  'modules of one tier import each other': [
    'src/modules/blog/index.ts',
    "import { createWebhooks } from '../webhooks/index.ts';",
    /own tier/,
  ],
  'accounts imports events': [
    'src/modules/accounts/index.ts',
    "import { createEvents } from '../events/index.ts';",
    /own tier/,
  ],
  'a module is entered beside its index.ts': [
    'src/modules/blog/views.ts',
    "import { findUser } from '../accounts/users/store.ts';",
    /index\.ts/,
  ],
  'the composition enters a module beside its index.ts': [
    'src/app/modules.ts',
    "export { routes } from '../modules/blog/reading/routes.ts';",
    /index\.ts/,
  ],
  'cli imports app': ['src/cli/main.ts', "import { start } from '../app/start.ts';", /own tier/],
  'the service imports its own client': [
    'src/app/start.ts',
    "import { createClient } from '../../client/src/index.ts';",
    /for those who call/,
  ],
  'the command line calls the service by itself': [
    'src/cli/people/keys.ts',
    'const reply = await fetch(`${url}/v1/accounts`);',
    /outbound/,
  ],
  'a new folder has no tier': ['src/lib/slug.ts', "import { x } from '../helpers/x.ts';", /no tier/],
  'the service imports a test helper': [
    'src/app/start.ts',
    "import { testService } from '../../test/helpers/service.ts';",
    /for tests/,
  ],
  'the service imports a fixture': ['src/modules/blog/index.ts', "import { post } from './fixtures.ts';", /for tests/],
  'SQL as a template': ['src/modules/blog/rules.ts', 'await sql<{ n: number }>`select 1`.execute(db);', /SQL/],
  'SQL as a builder': ['src/modules/blog/rules.ts', "db.selectFrom('posts').execute();", /SQL/],
  'SQL as a string': ['src/app/deps.ts', "await client.query('select 1');", /SQL/],
  'the environment': ['src/app/start.ts', 'const port = process.env.PORT;', /environment/],
  'the environment by import': ['src/app/start.ts', "import { env } from 'node:process';", /environment/],
  'a request by undici': ['src/modules/webhooks/x.ts', "import { request } from 'undici';", /outbound/],
  'a request by fetch': ['src/modules/webhooks/x.ts', 'const reply = await fetch(url);', /outbound/],
  'a mail': ['src/modules/notifications/x.ts', "import { createTransport } from 'nodemailer';", /outbound/],
  'a socket': ['src/modules/webhooks/x.ts', "import { connect } from 'node:net';", /outbound/],
  'the time': ['src/modules/blog/rules.ts', 'const now = Date.now();', /clock/],
  'the time as a date': ['src/modules/blog/rules.ts', 'const now = new Date();', /clock/],
  'the time of the process': ['src/modules/blog/rules.ts', 'const t = performance.now();', /clock/],
};

describe('an injected fault is found', () => {
  for (const [name, [path, source, says]] of Object.entries(WRONG)) {
    test(name, () => {
      const found = violations(new Map([[path, `/** A file. */\n${source}\n`]]));
      assert.equal(found.length, 1, found.join('\n'));
      assert.match(found[0] as string, says);
      assert.ok(found[0]?.startsWith(`${path}: `));
    });
  }
});

describe('what only looks like a fault is none', () => {
  const RIGHT: Readonly<Record<string, [path: string, source: string]>> = {
    'a comment': ['src/lib/slug.ts', "// import { x } from '../app/start.ts' and process.env and new Date()"],
    'a date of a given time': ['src/lib/slug.ts', 'const at = new Date(now);'],
    'a type of a network library': ['src/modules/webhooks/x.ts', "import type { Dispatcher } from 'undici';"],
    'a function named like fetch': ['src/modules/accounts/keys/x.ts', 'await refetch(); await cache.fetch(id);'],
    'the client in the command line': ['src/cli/x.ts', "import { createClient } from '../../client/src/index.ts';"],
    'its own files': ['src/modules/blog/views.ts', "import { selectPosts } from './reading/store.ts';"],
    'a lower module by its index.ts': ['src/modules/blog/views.ts', "import { x } from '../accounts/index.ts';"],
    'SQL in a store': ['src/modules/blog/reading/store.ts', 'await sql`select 1`.execute(db);'],
    'SQL in a named store': ['src/modules/webhooks/engine/delivery-store.ts', 'await sql`select 1`.execute(db);'],
    'a test that reads the database': ['src/modules/blog/x.test.ts', 'await sql`select 1`.execute(db);'],
  };
  for (const [name, [path, source]] of Object.entries(RIGHT)) {
    test(name, () => assert.deepEqual(violations(new Map([[path, source]])), []));
  }
});
