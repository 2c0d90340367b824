import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { OPERATIONS as METHODS } from '../../client/src/generated.ts';
import { type Answer, createClient, PosthornError } from '../../client/src/index.ts';
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
async function call(row: RoleRow): Promise<void> {
  const [operationId, kind, expected, make] = row;
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
  if (kind === 'setup') {
    // There is an operator: it is over, and says so.
    const error: unknown = await method(inputOf(request)).catch((reason: unknown) => reason);
    assert.ok(error instanceof PosthornError && error.status !== null, String(error));
    seen.set(operationId, `${verb} ${path} → ${error.status} ${error.code}`);
    return;
  }
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

describe('each operation is called by the method of the client that has its name', () => {
  for (const row of OPERATIONS) {
    const [operationId, , , , particular] = row;
    test(`client.${operationId}()${particular ? ` (${particular})` : ''}`, () => call(row));
  }

  test('and none is left out', () => {
    assert.deepEqual(Object.keys(METHODS).toSorted(), [...seen.keys()].toSorted());
  });
});

after(() => {
  const lines = [...seen].map(([operationId, request]) => `${operationId} | client.${operationId}() | ${request}`);
  process.stdout.write(`${lines.join('\n')}\n${seen.size} operations, ${Object.keys(METHODS).length} methods\n`);
});
