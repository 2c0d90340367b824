import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { sql } from 'kysely';
import { OPERATIONS as METHODS } from '../client/src/generated.ts';
import { type Answer, createClient } from '../client/src/index.ts';
import { openCast } from '../test/operations/callers.ts';
import { Given } from '../test/operations/given.ts';
import { OPERATIONS, type RoleRequest, type RoleRow } from '../test/operations/operations.ts';
import { whoGets } from '../test/operations/rights.ts';

const cast = await openCast();
const given = new Given(cast);

type Input = Record<string, unknown>;
type Method = (input: Input) => Promise<unknown> & {
  withHeaders(): Promise<Answer<unknown>>;
  [Symbol.asyncIterator]?(): AsyncIterator<unknown>;
};

/** What a program gives the client's method: path, query and body in one object. */
function inputOf({ params, query, body, sign }: RoleRequest): Input {
  const asked = new URLSearchParams(query);
  const lists = [...new Set(asked.keys())].map((name) => {
    const values = asked.getAll(name);
    return [name, values.length === 1 ? values[0] : values];
  });
  return {
    ...params,
    ...Object.fromEntries(lists),
    ...(body === undefined ? {} : { body }),
    ...(sign === undefined ? {} : { signingSecret: sign }),
  };
}

/** By operation: the request that was made, with the status of its reply. */
const seen = new Map<string, string>();

const FOLDER = import.meta.dirname;
const SOURCES = globSync('**/*.ts', { cwd: FOLDER })
  .toSorted()
  .map((name) => ({ name: `e2e/${name}`, text: readFileSync(`${FOLDER}/${name}`, 'utf8') }));

/** The files that test an operation by the client from outside: this one if it called it here, and those that name its method. */
function testsOf(operationId: string): string[] {
  const called = new RegExp(`\\.${operationId}\\(`);
  const others = SOURCES.filter(({ name, text }) => name !== 'e2e/operations.test.ts' && called.test(text));
  return [...(seen.has(operationId) ? ['e2e/operations.test.ts'] : []), ...others.map(({ name }) => name)];
}

/** Operation, method of the client, what it did, and its tests. */
const coverage = (): string[][] =>
  Object.keys(METHODS).map((operationId) => [
    operationId,
    `client.${operationId}()`,
    seen.get(operationId) ?? '',
    testsOf(operationId).join(', '),
  ]);

/** Calls the operation as somebody who may, by the method of its name. */
async function call([operationId, kind, expected, make]: RoleRow): Promise<void> {
  const caller = whoGets(kind, 'ok');
  const request = await make(given, cast.callers[caller ?? ''] ?? {});
  const token = request.token ?? cast.callers[caller ?? '']?.token;
  const client = createClient({
    baseUrl: cast.service.url,
    ...(token === undefined ? {} : { credential: token }),
  }) as unknown as Record<string, Method>;
  const method = client[operationId];
  assert.ok(method, `the client has no ${operationId}`);
  const [verb, path, list] = METHODS[operationId as keyof typeof METHODS] as readonly [string, string, string?];
  const reply = method(inputOf(request));
  const { status, data } = await reply.withHeaders();
  assert.equal(status, expected);
  if (data instanceof ReadableStream) await data.cancel();
  if (list === 'page' || list === 'cursor') {
    const items = reply[Symbol.asyncIterator]?.();
    assert.ok(items, 'its items can be walked through');
    await items.next();
  }
  seen.set(operationId, `${verb} ${path} → ${status}`);
}

/** Runs it with the token of a service that has no operator yet, which this one has not meanwhile. */
async function withoutOperator(run: (token: string) => Promise<void>): Promise<void> {
  const { modules, opened } = cast.service.service;
  const { db, clock } = opened.platform;
  const { rows: operators } = await sql<{ id: string }>`
    update users set disabled_at = now() where operator and disabled_at is null returning id`.execute(db);
  const token = await modules.accounts.offerSetup({
    now: new Date(clock.now()),
    newId: opened.platform.newId,
    requestId: 'setup',
  });
  await run(token ?? assert.fail('no setup is offered'));
  for (const { id } of operators) await sql`update users set disabled_at = null where id = ${id}`.execute(db);
}

/** The same row with a setup token that is good. */
const withToken = ([operationId, kind, expected, make]: RoleRow, token: string): RoleRow => [
  operationId,
  kind,
  expected,
  async (...args) => {
    const request = await make(...args);
    return { ...request, body: { ...request.body, token } };
  },
];

describe('each operation is called by the method of the client that has its name', () => {
  for (const row of OPERATIONS) {
    const [operationId, kind, , , particular] = row;
    const run = kind === 'setup' ? () => withoutOperator((token) => call(withToken(row, token))) : () => call(row);
    test(`client.${operationId}()${particular ? ` (${particular})` : ''}`, run);
  }

  test('and none is left out: no cell of the table is empty', () => {
    assert.deepEqual(Object.keys(METHODS).toSorted(), [...seen.keys()].toSorted());
    for (const row of coverage()) assert.ok(!row.includes(''), row.join(' | '));
  });
});

after(() => {
  const table = coverage();
  const journeys = table.filter(([operationId]) => testsOf(operationId ?? '').length > 1).length;
  process.stdout.write(`${table.map((row) => row.join(' | ')).join('\n')}\n`);
  process.stdout.write(`${seen.size} of ${table.length} operations, ${journeys} of them also in a journey\n`);
});
