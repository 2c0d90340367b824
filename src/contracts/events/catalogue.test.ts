import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  businessWebhooks,
  EVENTS,
  type EventName,
  entryOf,
  internalEvents,
  isInternalEvent,
  isWebhookName,
  merchantWebhooks,
  subjectOf,
  tradeSessionIdOf,
} from './index.ts';

const names = Object.keys(EVENTS) as EventName[];
const words = (list: string): string[] => list.trim().split(/\s+/).toSorted();

/** interface.md §6.7.3, then the fourteen that the contract adds to make the 31. */
const INTERNAL = words(`
  offer.created offer.accepted offer.rejected offer.cancelled offer.expired offer.countered
  trade.created trade.accepted trade.completed trade.cancelled
  checkout.started checkout.completed checkout.failed
  fulfillment.started fulfillment.completed moderation.flagged fraud_signal.detected
  listing.created listing.updated reservation.created reservation.expired seller.linked
  space_booking.created space_booking.consent_required space_booking.consented space_booking.paid
  space_booking.cancelled space_booking.no_show space_booking.approval_requested space_booking.approved
  space_booking.completed`);

/** interface.md §6.1, in its order. */
const MERCHANT = words(`
  listing.created listing.updated
  offer.created offer.accepted offer.rejected
  trade.created trade.accepted trade.completed trade.cancelled trade.counterparty_hold_started
  trade.closed_unreciprocated
  checkout.started checkout.completed checkout.failed
  reservation.created reservation.expired reservation.failed
  fulfillment.started fulfillment.completed
  seller.linked`);

/** interface.md §6.2. */
const BUSINESS = words(`
  space_booking.created space_booking.consent_required space_booking.consented space_booking.paid
  space_booking.cancelled space_booking.no_show space_booking.approval_requested space_booking.approved
  space_booking.completed`);

const DERIVED = {
  'trade.counterparty_hold_started': 'checkout.completed',
  'trade.closed_unreciprocated': 'trade.cancelled',
  'reservation.failed': 'reservation.expired',
};

test('the internal events are the 31 of the contract', () => {
  assert.equal(INTERNAL.length, 31);
  assert.deepEqual(internalEvents.toSorted(), INTERNAL);
});

test('the merchant webhooks are those of interface.md 6.1', () => {
  assert.equal(MERCHANT.length, 20);
  assert.deepEqual(merchantWebhooks.toSorted(), MERCHANT);
});

test('the business webhooks are the nine of interface.md 6.2', () => {
  assert.equal(BUSINESS.length, 9);
  assert.deepEqual(businessWebhooks.toSorted(), BUSINESS);
});

test('three merchant webhooks are derived, each from an internal event, and are no internal event', () => {
  const derived = names.filter((n) => EVENTS[n].derivedFrom !== null);
  assert.deepEqual(Object.fromEntries(derived.map((n) => [n, EVENTS[n].derivedFrom])), DERIVED);
  for (const name of derived) {
    assert.equal(EVENTS[name].internal, false);
    assert.ok(internalEvents.includes(EVENTS[name].derivedFrom));
    assert.ok(merchantWebhooks.includes(name as (typeof merchantWebhooks)[number]));
  }
  assert.equal(names.length, 34);
});

test('names follow noun.past_tense_verb, and an entry has the name it is found under', () => {
  for (const name of names) {
    assert.match(name, /^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/);
    assert.equal(EVENTS[name].event, name);
    assert.equal(EVENTS[name].schemaVersion, 1);
  }
});

test('only names of the catalogue are events or webhooks', () => {
  assert.ok(isInternalEvent('offer.expired'));
  assert.ok(!isInternalEvent('reservation.failed'));
  assert.ok(isWebhookName('reservation.failed'));
  assert.ok(!isWebhookName('offer.expired'));
  for (const name of ['', 'constructor', '__proto__', 'toString', 'offer.created ', 'OFFER.CREATED']) {
    assert.ok(!isInternalEvent(name), name);
    assert.ok(!isWebhookName(name), name);
  }
});

test('every entry says when, for whom and about what, and its subject is a required field', () => {
  for (const name of names) {
    const { description, audience, subject, data, example } = entryOf(name);
    assert.match(description, /\.$/, name);
    assert.match(audience, /\.$/, name);
    assert.ok(data.required?.includes(subject), `${name}: ${subject}`);
    assert.equal(subjectOf(name, example), example[subject]);
    assert.equal(typeof subjectOf(name, example), 'string');
  }
});

test('holders are not told to unlock by the clock: once a side has paid, a reservation outlasts what it said at first', () => {
  const { description } = EVENTS['reservation.created'].data.properties.expiresAt as { description?: string };
  const guide = readFileSync(new URL('../../app/demo/posts/locking-inventory.md', import.meta.url), 'utf8');
  for (const text of [description ?? '', guide.replaceAll(/\s+/g, ' ')]) {
    assert.match(text, /unless the trade goes on: once a side has paid, it lasts longer/);
    assert.match(text, /on `reservation\.expired`/);
    assert.match(text, /ask `GET \/v1\/trades\/\{tradeSessionId\}`/);
  }
  assert.doesNotMatch(guide, /reserved_until < now\(\)/);
});

test('the trade session is found in each event that has one', () => {
  const of = (name: EventName): string | null => tradeSessionIdOf(name, entryOf(name).example);
  for (const name of names) {
    const inTrade = /^(trade|checkout|reservation|fulfillment)\./.test(name);
    assert.equal(of(name), inTrade ? 'ts_7Qm2Xc' : null, name);
  }
  assert.equal(tradeSessionIdOf('trade.created', {}), null);
  assert.equal(tradeSessionIdOf('offer.created', { tradeSessionId: 'ts_7Qm2Xc' }), null);
  assert.equal(subjectOf('offer.created', { offerId: 7 }), null);
});

interface Node {
  type?: string;
  description?: string;
  properties?: Record<string, Node>;
  items?: Node;
  additionalProperties?: boolean;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
}

/** Every schema of an event's data with its path. */
function nodes(node: Node, path: string): [string, Node][] {
  const inner = Object.entries(node.properties ?? {}).flatMap(([k, v]) => nodes(v, `${path}.${k}`));
  return [[path, node], ...inner, ...(node.items ? nodes(node.items, `${path}[]`) : [])];
}

test('every object is closed, every value bounded, every field described', () => {
  for (const name of names) {
    for (const [path, node] of nodes(entryOf(name).data, name)) {
      if (path !== name) assert.ok(node.description, path);
      if (node.type === 'object') assert.equal(node.additionalProperties, false, path);
      if (node.type === 'array') assert.ok(node.maxItems, path);
      if (node.type === 'integer' || node.type === 'number')
        assert.ok(node.maximum && node.minimum !== undefined, path);
      if (node.type === 'string') {
        assert.ok(node.maxLength || node.enum || node.format || node.pattern === '^[A-Z]{3}$', path);
      }
    }
  }
});

test('data leaves the names of the body to the body', () => {
  for (const name of names) {
    assert.ok(!('event' in entryOf(name).data.properties), name);
    assert.ok(!('timestamp' in entryOf(name).data.properties), name);
  }
});

test('an event with amounts has one currency for all of them', () => {
  for (const name of names) {
    const { data } = entryOf(name);
    const amounts = nodes(data, name).filter(([, node]) => node.type === 'number');
    assert.equal('currency' in data.properties, amounts.length > 0, name);
    if (amounts.length > 0 && name !== 'listing.updated') assert.ok(data.required?.includes('currency'), name);
  }
});
