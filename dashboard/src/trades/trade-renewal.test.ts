import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TradeDetail } from '@posthorn/client';
import { renewAfter } from './trade-renewal.ts';

type Trade = Parameters<typeof renewAfter>[0];
const END = Date.parse('2026-03-10T12:00:00.000Z');

/** A trade that ended at noon, with a delivery of this status. */
const ended = (status: string): Trade => ({
  status: 'COMPLETED',
  timeline: [{ kind: 'DELIVERY', at: new Date(END).toISOString(), status }] as unknown as TradeDetail['timeline'],
});

test('a trade is read again until it is over, its deliveries have come to an end, and some time has passed', () => {
  const later = END + 3_600_000;
  assert.equal(renewAfter({ ...ended('DELIVERED'), status: 'ACTIVE' as Trade['status'] }, later), 5000);
  for (const status of ['PENDING', 'HELD']) assert.equal(renewAfter(ended(status), later), 5000, status);
  for (const status of ['DELIVERED', 'DEAD']) assert.equal(renewAfter(ended(status), later), false, status);
  assert.equal(renewAfter(ended('DELIVERED'), END + 60_000), 5000, 'more may follow');
  assert.equal(renewAfter({ status: 'CANCELLED', timeline: [] }, later), false);
});
