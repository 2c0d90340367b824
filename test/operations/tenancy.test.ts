import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { isUuid } from '../../src/lib/ids.ts';
import type { Envelope, TestReply } from '../helpers/service.ts';
import { openCast } from './callers.ts';
import { callOperation, Declared } from './declared.ts';
import { Given } from './given.ts';
import { OPERATIONS, type RoleRequest, type RoleRow } from './operations.ts';
import type { Kind } from './rights.ts';

/**
 * What one merchant learns of another by asking: nothing. Every operation on things of accounts, asked about something of
 * another account, answers as it does about something that does not exist: status, code, body, fields of the header.
 */
const cast = await openCast();
const { service, merchant } = cast;
const given = new Given(cast);
const declared = new Declared(service);

const elsewhere = await service.account('MERCHANT');
const strangerKey = await service.key(['webhooks:manage', 'inbound:write', 'events:publish', 'blog:read'], elsewhere);
const member = await service.user();
const operator = await service.operator();
await service.ok(204, 'PUT', `/v1/admin/accounts/${elsewhere}/members/${member.id}`, { token: operator });
const STRANGERS: Readonly<Record<string, string>> = {
  'a key of another merchant': strangerKey.key,
  'a member of another merchant': member.token,
  'a key of a business': (await service.key(['webhooks:manage', 'inbound:write'], await service.account('BUSINESS')))
    .key,
};

/** Kinds of right that depend on whose a thing is. */
const OF_AN_ACCOUNT: readonly Kind[] = ['merch', 'merchId', 'busi', 'busiId', 'report', 'staff'];
/** Ids of what there is, with one for each that does not exist. */
const twins = new Map<string, string>();

function twinOf(id: string): string {
  const twin = twins.get(id) ?? (isUuid(id) ? randomUUID() : `${id}-none`);
  twins.set(id, twin);
  return twin;
}

/** What comes of the path that could name a thing; an event's name or a number names none. */
const isId = (value: string): boolean => isUuid(value) || /^(ts|off)-\d+$/.test(value);
const replaced = (text: string): string => text.replaceAll(/[\w-]+/g, (word) => (isId(word) ? twinOf(word) : word));

/** The same request about things that do not exist. */
const absent = ({ params, query, body, ...rest }: RoleRequest): RoleRequest => ({
  ...rest,
  ...(params ? { params: Object.fromEntries(Object.entries(params).map(([k, v]) => [k, replaced(v)])) } : {}),
  ...(query === undefined ? {} : { query: replaced(query) }),
  ...(body === undefined ? {} : { body: JSON.parse(replaced(JSON.stringify(body))) as object }),
});

/** A reply without what differs between any two requests. */
function comparable({ status, headers, body }: TestReply<Envelope>): unknown {
  const text = JSON.stringify(body ?? null).replaceAll(/"requestId":"[^"]*"/g, '"requestId":"…"');
  // The twin first: that of an id that is no UUID begins with it.
  const ids = [...twins].flatMap(([id, twin]) => [twin, id]);
  const withoutIds = ids.reduce((rest, id) => rest.replaceAll(id, '…'), text);
  return { status, fields: [...headers.keys()].toSorted(), body: withoutIds };
}

let compared = 0;
async function assertAlike(operationId: string, request: RoleRequest): Promise<void> {
  const operation = declared.get(operationId);
  const other = absent(request);
  assert.notDeepEqual(other, request, 'the request names a thing');
  for (const [who, token] of Object.entries(STRANGERS)) {
    compared++;
    const [there, nowhere] = [
      await callOperation(service, operation, request, { token }),
      await callOperation(service, operation, other, { token }),
    ];
    assert.deepEqual(comparable(there), comparable(nowhere), `${operationId} by ${who}`);
  }
}

after(() => {
  process.stdout.write(`tenancy: ${compared} pairs of replies\n`);
});

const rows: readonly RoleRow[] = OPERATIONS.filter(([, kind]) => OF_AN_ACCOUNT.includes(kind));

test('every operation on a thing of an account is among them', () => {
  const covered = new Set(rows.map(([operationId]) => operationId));
  const others = [...declared.operations]
    .filter(([, { path }]) => /^\/v1\/(webhooks|trades|events\/)/.test(path))
    .map(([operationId]) => operationId)
    .filter((operationId) => !covered.has(operationId));
  // Lists of what one may see are asked with filters below; the others are for operators.
  const known = OPERATIONS.filter(([, kind]) => kind === 'visible' || kind === 'admin').map(([id]) => id);
  assert.deepEqual(
    others.filter((operationId) => !known.includes(operationId)),
    [],
  );
  assert.ok(rows.length >= 28, `${rows.length} rows`);
});

describe('asked about a thing of another account, as about one that does not exist:', () => {
  for (const [operationId, , , make, particular] of rows) {
    test(`${operationId}${particular ? ` (${particular})` : ''}`, async () => {
      await assertAlike(operationId, await make(given, { token: operator }));
    });
  }
});

/** By name of a query parameter: a value that names something of the merchant. */
const OF_THE_MERCHANT: Readonly<Record<string, () => Promise<string>>> = {
  accountId: async () => merchant,
  endpointId: () => given.endpoint('endpoints'),
  deliveryId: () => given.delivery(),
  eventId: () => given.published(),
  causedBy: () => given.published(),
  tradeSessionId: () => given.trade(),
};

describe('a list that is filtered by a thing of another account is as one filtered by what does not exist:', () => {
  for (const [operationId, kind] of OPERATIONS) {
    if (kind !== 'visible') continue;
    for (const { name } of declared.get(operationId).query) {
      const make = OF_THE_MERCHANT[name];
      if (!make) continue;
      test(`${operationId}?${name}=`, async () => {
        await assertAlike(operationId, { query: `${name}=${await make()}` });
      });
    }
  }
});

test('no list that a stranger may see holds anything of the merchant', async () => {
  const things = [
    merchant,
    await given.endpoint('endpoints'),
    await given.paused('endpoints'),
    await given.delivery(),
    await given.published(),
    await given.trade(),
    await given.received(),
  ];
  for (const [operationId, kind] of OPERATIONS) {
    if (kind !== 'visible') continue;
    for (const token of Object.values(STRANGERS)) {
      const { status, body } = await callOperation(service, declared.get(operationId), {}, { token });
      assert.ok(status === 200 || status === 403, `${operationId} ${status}`);
      const found = things.filter((id) => JSON.stringify(body).includes(id));
      assert.deepEqual(found, [], operationId);
    }
  }
});

test('the Idempotency-Key of another account brings back nothing of it', async () => {
  const operation = declared.get('createEndpoint');
  const body = { url: 'http://127.0.0.1:9/same' };
  const headers = { 'idempotency-key': 'one-key-for-both' };
  const owner = await service.key(['webhooks:manage'], merchant);
  const first = await callOperation(service, operation, { body }, { token: owner.key, headers });
  assert.equal(first.status, 201);
  for (const token of [strangerKey.key, member.token]) {
    const {
      status,
      headers: fields,
      body: made,
    } = await callOperation(service, operation, { body }, { token, headers });
    assert.equal(status, 201);
    assert.equal(fields.get('idempotency-replayed'), null);
    assert.equal((made as unknown as { accountId: string }).accountId, elsewhere);
  }
});
