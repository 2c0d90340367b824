import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { sql } from 'kysely';
import { OPERATIONS as METHODS } from '../../client/src/generated.ts';
import { type Answer, createClient } from '../../client/src/index.ts';
import { openCast } from './callers.ts';
import { Given } from './given.ts';
import { OPERATIONS, type RoleRequest, type RoleRow } from './operations.ts';
import { whoGets } from './rights.ts';

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

const seen = new Map<string, string>();

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

  test('and none is left out', () => {
    assert.deepEqual(Object.keys(METHODS).toSorted(), [...seen.keys()].toSorted());
  });
});

after(() => {
  const lines = [...seen].map(([operationId, request]) => `${operationId} | client.${operationId}() | ${request}`);
  process.stdout.write(`${lines.join('\n')}\n${seen.size} operations, ${Object.keys(METHODS).length} methods\n`);
});
