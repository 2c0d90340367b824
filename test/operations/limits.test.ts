import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { ERRORS } from '../../src/contracts/errors.ts';
import { testDb } from '../helpers/database.ts';
import { isSpread } from '../helpers/spread.ts';
import { openCast } from './callers.ts';
import { callOperation, Declared, type Operation, type Schema, type SendOptions } from './declared.ts';
import { type Edge, edgesOf, queryEdgesOf } from './edges.ts';
import { Given } from './given.ts';
import { OPERATIONS, type RoleRequest, type RoleRow } from './operations.ts';
import { CALLERS, rightOf } from './rights.ts';

const cast = await openCast();
const { service } = cast;
const given = new Given(cast);
const declared = new Declared(service);
let tried = 0;
let fitting = 0;

/** Lengths after trimming, which a schema cannot say (contract section 3: "Limits"; docs/blog.md). */
const TRIMMED: Readonly<Record<string, number>> = { 'createComment body': 4000, 'reportComment reason': 1000 };

/** Of which alone nothing is left when such a text is trimmed. */
const INVISIBLE: readonly string[] = ['white space', 'right-to-left override'];

/** What has to be more than its schema says: an address that may be called, a password that is right, a name that is there. */
const MEANT = new Set([
  'url',
  'currentPassword',
  'cursor',
  'event',
  'events',
  'accountIds',
  'data',
  'token',
  'currency',
]);

interface Good {
  request: RoleRequest;
  options: SendOptions;
}

/** A request that would succeed, by somebody with a session. */
async function good([, kind, , make]: RoleRow): Promise<Good> {
  const people = ['reader', 'author, own', 'editor', 'operator', ...CALLERS];
  const caller = people.find((who) => rightOf(who, kind) === 'ok');
  const them = caller === undefined ? {} : (cast.callers[caller] ?? {});
  return { request: await make(given, them), options: { token: them.token } };
}

/** What is wrong with the answer; null: nothing. */
async function fault(
  operation: Operation,
  { request, options }: Good,
  { where, edge }: { where: string; edge: Edge },
): Promise<string | null> {
  // What does not fit is refused before a database is asked; of what fits, every second shows that this one takes it.
  if (isSpread && (!edge.fits || ++fitting % 2 === 0)) return null;
  tried++;
  const { status, body } = await callOperation(service, operation, request, options);
  const paths = status === ERRORS.VALIDATION_ERROR.status ? (body.error.details ?? []).map((d) => d.path) : [];
  const named = paths.filter(
    (path) => path === where || path.startsWith(`${where}.`) || ['body', 'url'].includes(path),
  );
  const isRefused = named.length > 0;
  if (status !== 500 && isRefused === !edge.fits) return null;
  return `${where}, ${edge.what}: ${status} ${JSON.stringify(body)?.slice(0, 200)}`;
}

const withQuery = (request: RoleRequest, name: string, value: unknown): RoleRequest => {
  const kept = (request.query ?? '').split('&').filter((part) => part !== '' && !part.startsWith(`${name}=`));
  const values = Array.isArray(value) ? value : [value];
  return { ...request, query: [...kept, ...values.map((v) => `${name}=${encodeURIComponent(String(v))}`)].join('&') };
};

const isTried = (name: string, edge: Edge): boolean => !edge.fits || !MEANT.has(name);

async function bodyFaults(operationId: string, operation: Operation, from: Good): Promise<(string | null)[]> {
  const { properties = {}, required = [] } = operation.body as Schema;
  const faults: (string | null)[] = [];
  const attempt = async (name: string, body: object, edge: Edge): Promise<void> => {
    faults.push(
      await fault(operation, { ...from, request: { ...from.request, body } }, { where: `body.${name}`, edge }),
    );
  };
  for (const [name, schema] of Object.entries(properties)) {
    const max = TRIMMED[`${operationId} ${name}`];
    const edges = edgesOf(max === undefined ? declared.resolve(schema) : { ...schema, maxLength: max });
    const trimmed = max === undefined ? [] : [{ what: 'spaces around', value: ` ${'a'.repeat(max)}\n`, fits: true }];
    for (const edge of [...edges, ...trimmed]) {
      const fits = edge.fits && !(max !== undefined && INVISIBLE.includes(edge.what));
      if (isTried(name, edge)) await attempt(name, { ...from.request.body, [name]: edge.value }, { ...edge, fits });
    }
  }
  for (const name of required) {
    const { [name]: _, ...rest } = { ...from.request.body } as Record<string, unknown>;
    await attempt(name, rest, { what: 'is missing', value: undefined, fits: false });
  }
  // Reports are kept as they come, with whatever else they say (contract, "Inbound").
  const isOpen = (operation.body as Schema).additionalProperties !== false;
  await attempt('noSuchField', { ...from.request.body, noSuchField: 1 }, { what: 'unknown', value: 1, fits: isOpen });
  assert.equal(isOpen, operationId === 'receiveReport');
  return faults;
}

async function queryFaults(operation: Operation, from: Good): Promise<(string | null)[]> {
  const faults: (string | null)[] = [];
  const unknown = { name: 'noSuchParameter', edges: [{ what: 'unknown', value: '1', fits: false }] };
  const known = operation.query.map(({ name, schema }) => ({
    name,
    // No text of a search is an error (contract §3).
    edges: queryEdgesOf(declared.resolve(schema)).map((e) =>
      name === 'q' && e.what === 'U+0000' ? { ...e, fits: true } : e,
    ),
  }));
  for (const { name, edges } of [...known, unknown]) {
    for (const edge of edges.filter((e) => isTried(name, e))) {
      const request = withQuery(from.request, name, edge.value);
      faults.push(await fault(operation, { ...from, request }, { where: `query.${name}`, edge }));
    }
  }
  return faults;
}

describe('every field and parameter at its limits', () => {
  const rows = new Map(
    OPERATIONS.filter(([, , , , particular]) => particular === undefined).map((row) => [row[0], row]),
  );
  for (const [operationId, operation] of declared.operations) {
    test(operationId, async () => {
      const row = rows.get(operationId) ?? OPERATIONS.find(([id]) => id === operationId);
      const from = await good(row as RoleRow);
      const faults = [
        ...(operation.body ? await bodyFaults(operationId, operation, from) : []),
        ...(await queryFaults(operation, from)),
      ];
      assert.deepEqual(
        faults.filter((f) => f !== null),
        [],
      );
    });
  }
});

after(() => {
  process.stdout.write(
    `limits on ${testDb}: ${tried} values at the limits of ${declared.operations.size} operations\n`,
  );
});
