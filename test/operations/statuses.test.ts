import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { sql } from 'kysely';
import { uuidv7 } from '../../src/lib/ids.ts';
import { testDb } from '../helpers/database.ts';
import { type TestService, testService } from '../helpers/service.ts';
import { openCast } from './callers.ts';
import { callOperation, Declared, outcomeOf, type SendOptions } from './declared.ts';
import { Given } from './given.ts';
import { OPERATIONS, type RoleRequest, type RoleRow } from './operations.ts';
import { PARTICULAR } from './particular.ts';
import { whoGets } from './rights.ts';
import { spreadRows } from './spread-rows.ts';

/** Bytes; small, so that a body above it costs little. */
const BODY_LIMIT = 4096;
const cast = await openCast({ BODY_LIMIT_BYTES: String(BODY_LIMIT) });
const { service } = cast;
const given = new Given(cast);
const declared = new Declared(service);
const { db, newId } = service.service.opened.platform;
const { database } = service.service.opened.platform;

const beside = (env: Record<string, string>): Promise<TestService> =>
  testService({ database, env, withoutLoops: true });
/** The same data behind other settings: everybody may call once a minute; nothing more is taken; shutting down. */
const stingy = await beside({ RATE_LIMIT_SESSION: '1', RATE_LIMIT_KEY: '1', RATE_LIMIT_ANONYMOUS: '1' });
const full = await beside({ WEBHOOK_MAX_ENDPOINTS: '1', POSTHORN_SIGN_UP: 'false' });
const leaving = await beside({});
leaving.service.http.refuse();

/** Most of what is declared is answered before a database is asked, or alike over any. What has a cause of its own has it there: all of that. */
const rows = spreadRows(5);
const isTried = (operationId: string): boolean => rows.some(([id]) => id === operationId);

/** Those who are seen to have called: operation and outcome. */
const seen = new Map<string, Set<string>>();
let requests = 0;

async function send(row: RoleRow, request: RoleRequest, options: SendOptions = {}, at = service): Promise<string> {
  requests++;
  const reply = await callOperation(at, declared.get(row[0]), request, options);
  const outcome = outcomeOf(reply);
  const outcomes = seen.get(row[0]) ?? new Set();
  seen.set(row[0], outcomes.add(outcome));
  return outcome;
}

const tokenOf = (caller: string | undefined): string | undefined =>
  caller === undefined ? undefined : cast.callers[caller]?.token;
/** A request that would succeed, and who may send it. */
async function good(row: RoleRow): Promise<{ request: RoleRequest; options: SendOptions }> {
  const caller = whoGets(row[1], 'ok');
  const request = await row[3](given, cast.callers[caller ?? ''] ?? {});
  return { request, options: { token: tokenOf(caller) } };
}

const RUNNING = '409 IDEMPOTENCY_IN_PROGRESS';
/**
 * PGlite runs a request without a pause to its end, so none of an operation that waits for nothing else is met while it
 * runs; platform/http/idempotency/at-once.test.ts shows there what is answered.
 */
const isMetRunning = testDb === 'postgres';

/** The same request many times at once under one key, and then another one under it. */
async function keyed(row: RoleRow): Promise<void> {
  for (let attempt = 0; attempt < (isMetRunning ? 10 : 1) && !seen.get(row[0])?.has(RUNNING); attempt++) {
    const { request, options } = await good(row);
    const headers = { 'idempotency-key': newId() };
    await Promise.all(Array.from({ length: 6 }, () => send(row, request, { ...options, headers })));
    const again = await good(row);
    const other = { ...request, ...(again.request.token === undefined ? {} : { token: again.request.token }) };
    const text = request.body === undefined ? '{}' : `${JSON.stringify(request.body)} `;
    await send(row, other, { ...options, headers, text });
  }
}

const UNKNOWN: Record<string, string> = { slug: 'nothing-here', token: 'nothing', number: '9' };

async function notFound(row: RoleRow): Promise<void> {
  const { request, options } = await good(row);
  const hidden = whoGets(row[1], '404 NOT_FOUND');
  if (hidden !== undefined) await send(row, request, { token: tokenOf(hidden) });
  if (request.params === undefined) return;
  const nowhere = Object.keys(request.params).map((name) => [name, UNKNOWN[name] ?? uuidv7(0)]);
  await send(row, { ...request, params: Object.fromEntries(nowhere) }, options);
}

async function moved(row: RoleRow): Promise<void> {
  const { request, options } = await good(row);
  await send(row, { ...request, params: { slug: await given.oldSlug() } }, options);
}

async function unchanged(row: RoleRow): Promise<void> {
  const { request, options } = await good(row);
  const { headers } = await callOperation(service, declared.get(row[0]), request, options);
  await send(row, request, { ...options, headers: { 'if-none-match': headers.get('etag') ?? '' } });
}

/** What is refused whoever asks and whatever for. */
async function refused(row: RoleRow): Promise<void> {
  const { request, options } = await good(row);
  await send(row, request, { ...options, query: 'no_such_parameter=1' });
  await send(row, request, { ...options, headers: { accept: 'text/html' } });
  const { method } = declared.get(row[0]);
  if (method !== 'GET') {
    await send(row, request, { ...options, text: JSON.stringify({ x: 'x'.repeat(BODY_LIMIT) }) });
    await send(row, request, { ...options, text: 'x', headers: { 'content-type': 'text/plain' } });
  }
  await send(row, request, { ...options, headers: { 'if-match': '"999"' } });
  // A minute may have begun between the two.
  for (let i = 0; i < 3; i++) await send(row, request, options, stingy);
  await send(row, request, options, leaving);
  const wrong = whoGets(row[1], '403 FORBIDDEN');
  if (wrong !== undefined) await send(row, request, { token: tokenOf(wrong) });
  await send(row, request, {});
  if (method !== 'GET') await fromElsewhere(row, request);
}

/** What another site has a browser send with the cookie of a session. */
async function fromElsewhere(row: RoleRow, { token: _token, ...request }: RoleRequest): Promise<void> {
  if (!declared.get(row[0]).outcomes.includes('403 FORBIDDEN')) return;
  const cookie = `posthorn_session=${cast.editor.token}`;
  const outcome = await send(row, request, { headers: { cookie, 'sec-fetch-site': 'cross-site' } });
  if (row[1] !== 'open' && row[1] !== 'setup') assert.equal(outcome, '403 FORBIDDEN');
}

async function checkRow(row: RoleRow): Promise<void> {
  const { outcomes } = declared.get(row[0]);
  const has = (outcome: string): boolean => outcomes.includes(outcome);
  if (has(RUNNING) && row[1] !== 'setup') await keyed(row);
  else {
    const { request, options } = await good(row);
    await send(row, request, options);
  }
  await refused(row);
  if (has('404 NOT_FOUND')) await notFound(row);
  if (has('301 POST_MOVED')) await moved(row);
  if (has('304')) await unchanged(row);
}

describe('what an operation declares is seen', () => {
  for (const row of rows) {
    const [operationId, , , , particular] = row;
    test(`${operationId}${particular ? ` (${particular})` : ''}`, () => checkRow(row));
  }
});

describe('what has a cause of its own', () => {
  for (const [operationId, outcome, make] of PARTICULAR) {
    test(`${operationId}: ${outcome}`, async () => {
      const row = OPERATIONS.find(([id]) => id === operationId) as RoleRow;
      const { at, options, ...request } = await make(given);
      assert.equal(await send(row, request, options, at === 'full' ? full : service), outcome);
    });
  }
});

test('setUpOperator, with nobody who is one', async () => {
  const row = OPERATIONS.find(([id]) => id === 'setUpOperator') as RoleRow;
  await sql`update users set disabled_at = now() where operator`.execute(db);
  const env = { now: new Date(service.service.opened.platform.clock.now()), newId, requestId: 'statuses' };
  const token = await service.service.modules.accounts.offerSetup(env);
  const request = { body: { ...given.newcomer(), token } };
  const headers = { 'idempotency-key': 'setup' };
  await Promise.all(Array.from({ length: 3 }, () => send(row, request, { headers })));
  await send(row, request, { headers, text: `${JSON.stringify(request.body)} ` });
  await sql`update users set disabled_at = null where operator`.execute(db);
});

test('a database that fails is 500, and tells nothing of the inside', async () => {
  const prepared = [];
  for (const row of rows) prepared.push({ row, ...(await good(row)) });
  const { rows: tables } = await sql<{ name: string }>`select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`.execute(db);
  const rename = async (from: string, to: string): Promise<void> => {
    for (const { name } of tables)
      await sql`alter table ${sql.table(name + from)} rename to ${sql.id(name + to)}`.execute(db);
  };
  await rename('', '_gone');
  try {
    for (const { row, request, options } of prepared)
      assert.equal(await send(row, request, options), '500 INTERNAL_ERROR', row[0]);
  } finally {
    await rename('_gone', '');
  }
});

test('every status and code of every operation was seen', () => {
  const tried = [...declared.operations].filter(([operationId]) => isTried(operationId));
  const missing = tried.flatMap(([operationId, { outcomes }]) =>
    outcomes
      .filter((outcome) => !seen.get(operationId)?.has(outcome) && (isMetRunning || outcome !== RUNNING))
      .map((outcome) => `${operationId} ${outcome}`),
  );
  assert.deepEqual(missing, []);
});

after(() => {
  const total = [...declared.operations.values()].reduce((sum, { outcomes }) => sum + outcomes.length, 0);
  process.stdout.write(
    `outcomes on ${testDb}: ${total} declared by ${declared.operations.size} operations, ${requests} requests\n`,
  );
});
