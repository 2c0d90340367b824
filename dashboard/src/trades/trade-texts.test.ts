import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkoutText, fulfillmentText } from './trade-texts.ts';

test('of a cancelled trade no payment is open, and no handing over is pending', () => {
  assert.deepEqual([checkoutText('OPEN', 'HOLD'), checkoutText('OPEN', 'CANCELLED')], ['open', 'not paid']);
  assert.equal(checkoutText('COMPLETED', 'CANCELLED'), 'completed');
  const parcel = { carrier: null, trackingNumber: null, estimatedDeliveryAt: null, returnedAt: null };
  const pending = { ...parcel, status: 'PENDING' } as const;
  assert.deepEqual(
    [fulfillmentText(pending, 'FULFILLMENT'), fulfillmentText(pending, 'CANCELLED')],
    ['pending', 'not handed over'],
  );
  assert.equal(fulfillmentText({ ...parcel, status: 'STARTED', carrier: 'DHL' }, 'CANCELLED'), 'started, DHL');
});
