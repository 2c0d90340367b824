import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDatabase } from '../../../test/helpers/database.ts';
import { uuidv7Maker } from '../../lib/ids.ts';
import { inTransaction } from '../../platform/db/index.ts';
import { insertEvents, selectFirstsOfTrades } from './store.ts';
import type { NewEvent } from './types.ts';

const { db } = await withDatabase();
const newId = uuidv7Maker();
const NOW = new Date();

const payment = (side: 'INITIATOR' | 'COUNTERPARTY'): NewEvent => ({
  id: newId(NOW.getTime()),
  event: 'checkout.completed',
  data: { tradeSessionId: 'ts_1', side, tradeAmount: 1, currency: 'EUR', counterpartyCompleted: false },
  accountIds: [],
  occurredAt: NOW,
  requestId: 'request',
  causedBy: null,
});

test('what is behind the events asked about is not a first of their trade: what is committed later may come before it', async () => {
  const [counterparty, initiator, again] = await insertEvents(
    db,
    [payment('COUNTERPARTY'), payment('INITIATOR'), payment('INITIATOR')],
    NOW,
  );
  assert.ok(counterparty && initiator && again);
  const firstsAt = async (...about: (typeof again)[]): Promise<number[]> => {
    const found = await inTransaction(db, (trx) =>
      selectFirstsOfTrades(trx, about, { name: 'checkout.completed', among: 100 }),
    );
    return found.map(({ position }) => position);
  };
  assert.deepEqual(await firstsAt(counterparty), [counterparty.position]);
  assert.deepEqual(await firstsAt(initiator), [counterparty.position, initiator.position]);
  assert.deepEqual(await firstsAt(counterparty, again), [counterparty.position, initiator.position]);
});
