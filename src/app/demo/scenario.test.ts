import assert from 'node:assert/strict';
import { test } from 'node:test';
import { businessWebhooks, merchantWebhooks, validateEventData } from '../../contracts/events/index.ts';
import { bookingSteps, listingStep, offerSteps, type Publishing, tradeSteps } from './scenario.ts';

const input = {
  run: 'a1b2c3d4',
  now: new Date('2026-03-01T09:00:00.000Z'),
  merchantId: '0198c2a0-3f10-7c5e-8a51-6f0f5f3a1b01',
  otherMerchantId: '0198c2a0-3f10-7c5e-8a51-6f0f5f3a1b02',
  businessId: '0198c2a0-3f10-7c5e-8a51-6f0f5f3a1b03',
};

const trade = tradeSteps(input, 'ts_1');
const published = [...offerSteps(input), ...trade, ...bookingSteps(input), listingStep(input)].filter(
  (step): step is Publishing => 'event' in step,
);

test('every event of the play fits its schema and names the run', () => {
  for (const { event, data } of published) {
    assert.deepEqual(validateEventData(event, data, 'data'), [], event);
    assert.ok(JSON.stringify(data).includes(input.run), event);
  }
});

test('the trade goes from the offer to its completion; each webhook comes once, to an endpoint that takes it', () => {
  const merchant = [...offerSteps(input), ...trade].flatMap((step) => step.webhooks);
  assert.equal(merchant[0], 'offer.created');
  assert.equal(merchant.at(-1), 'trade.completed');
  assert.deepEqual(merchant, [...new Set(merchant)]);
  assert.ok(merchant.every((name) => (merchantWebhooks as readonly string[]).includes(name)));
  const business = bookingSteps(input).flatMap((step) => step.webhooks);
  assert.ok(business.every((name) => (businessWebhooks as readonly string[]).includes(name)));
});
