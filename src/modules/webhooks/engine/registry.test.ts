import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KyselyPlugin } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { systemClock } from '../../../lib/clock.ts';
import { uuidv7 } from '../../../lib/ids.ts';
import { bumpVersion, type Env, inTransaction } from '../../../platform/db/index.ts';
import { createAccount } from '../../accounts/index.ts';
import { type EndpointRow, insertEndpoint, updateEndpointRow, OPEN } from '../endpoints/store.ts';
import { ENDPOINTS_VERSION, EndpointRegistry, type ToEngine } from './registry.ts';

const { db } = await withDatabase();
const env: Env = {
  now: new Date(systemClock.now()),
  newId: () => uuidv7(systemClock.now()),
  requestId: 'test-request',
};
const account = await inTransaction(db, (trx) => createAccount(trx, { name: 'M', type: 'MERCHANT' }, env));

const toEngine: ToEngine = (row) =>
  row.deleted_at === null
    ? {
        id: row.id,
        accountId: row.account_id,
        url: row.url,
        target: null,
        events: new Set(['offer.created']),
        headers: [],
        maxInFlight: 1,
        ratePerSecond: null,
        status: row.status,
        failingSince: null,
        disabledFor: null,
        probeId: null,
        probes: 0,
        openedAt: null,
        afterPosition: row.after_position,
        version: row.version,
      }
    : null;

async function create(afterPosition = 0): Promise<string> {
  const id = env.newId();
  await inTransaction(db, async (trx) => {
    const version = await bumpVersion(trx, ENDPOINTS_VERSION);
    await insertEndpoint(trx, {
      id,
      account_id: account.id,
      kind: 'MERCHANT',
      url: 'http://127.0.0.1:9/',
      events: null,
      description: '',
      headers_sealed: null,
      max_in_flight: null,
      rate_per_second: null,
      status: 'ACTIVE',
      status_reason: null,
      after_position: afterPosition,
      pulled_position: 0,
      version,
      created_at: env.now,
      updated_at: env.now,
      deleted_at: null,
      opened_at: null,
      ...OPEN,
    });
  });
  return id;
}

const change = (id: string, set: Partial<EndpointRow>): Promise<void> =>
  inTransaction(db, async (trx) =>
    updateEndpointRow(trx, id, { ...set, version: await bumpVersion(trx, ENDPOINTS_VERSION) }),
  );

const matching = (
  registry: EndpointRegistry,
  position: number,
  webhook: 'offer.created' | 'offer.accepted' = 'offer.created',
): string[] => {
  const ids: string[] = [];
  registry.match([account.id, env.newId()], webhook, position, (e) => ids.push(e.id));
  return ids;
};

test('a refresh brings what was created, changed and deleted since the last', async () => {
  const registry = new EndpointRegistry(db, toEngine);
  const [a, b] = [await create(), await create(7)];
  await registry.refresh();
  assert.deepEqual(matching(registry, 8), [a, b]);
  assert.deepEqual(matching(registry, 7), [a], 'b takes only what is above position 7');
  assert.deepEqual(matching(registry, 8, 'offer.accepted'), []);
  await change(a, { status: 'PAUSED' });
  await registry.refresh();
  assert.equal(registry.get(a)?.status, 'PAUSED');
  await change(b, { deleted_at: env.now });
  await registry.refresh();
  assert.deepEqual(matching(registry, 8), [a]);
  assert.equal(registry.get(b), undefined);
});

test('an answer that was read earlier and arrives later does not bring an earlier state back', async () => {
  const id = await create();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  let slow = false;
  const reads: string[] = [];
  /** Keeps the answers of one read back after the database has given them. */
  const late: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      const isEndpoint = result.rows.some((r) => 'after_position' in r);
      if (isEndpoint) reads.push('read');
      if (isEndpoint && slow) {
        slow = false;
        await held;
      }
      return result;
    },
  };
  const registry = new EndpointRegistry(db.withPlugin(late), toEngine);
  await registry.refresh();
  await change(id, { status: 'PAUSED' });
  slow = true;
  const first = registry.refresh();
  while (reads.length < 2) await new Promise((done) => setImmediate(done));
  await change(id, { status: 'ACTIVE' });
  const second = registry.refresh();
  // The second would have had the time to be done before the first, if it did not wait for it.
  await Promise.race([second, new EndpointRegistry(db, toEngine).refresh()]);
  release();
  await Promise.all([first, second]);
  assert.equal(registry.get(id)?.status, 'ACTIVE');
});

test('a refresh that fails is tried again by the next', async () => {
  const id = await create();
  let failing = true;
  const registry = new EndpointRegistry(db, (row) => {
    if (failing) throw new Error('cannot be opened');
    return toEngine(row);
  });
  await assert.rejects(registry.refresh(), /cannot be opened/);
  failing = false;
  await registry.refresh();
  assert.equal(registry.get(id)?.id, id);
});
