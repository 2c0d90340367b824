import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import {
  type AnyEventData,
  businessWebhooks,
  derivedData,
  type EventName,
  EVENTS,
  entryOf,
  exampleBody,
  internalEvents,
  isWebhookName,
  merchantWebhooks,
  validateEventData,
  webhookBody,
  webhookBodySchema,
  type WebhookName,
  webhooksFor,
} from './index.ts';

const webhooks: readonly WebhookName[] = [...merchantWebhooks, ...businessWebhooks];
const AT = new Date('2026-03-01T09:05:00.007Z');

/** The event that causes the webhook. */
const sourceOf = (name: WebhookName): EventName => (entryOf(name).derivedFrom as EventName | null) ?? name;

// A second opinion on the bodies: formats are not looked at here, validate.test.ts does.
const ajv = new Ajv2020({ strict: true, formats: { 'date-time': true, uuid: true } });
const fitsBody = (name: WebhookName, body: unknown): void => {
  const validate = ajv.compile(webhookBodySchema(name));
  assert.ok(validate(body), `${name}: ${ajv.errorsText(validate.errors)}`);
};

test('an event causes the webhook of its name, if there is one', () => {
  for (const name of internalEvents) {
    const own = isWebhookName(name) ? [name] : [];
    assert.deepEqual(webhooksFor(name, {}), own, name);
  }
  assert.deepEqual(webhooksFor('offer.expired', EVENTS['offer.expired'].example), []);
});

test('the three derived webhooks are caused by their condition only', () => {
  const checkout = (counterpartyCompleted: boolean): readonly string[] =>
    webhooksFor('checkout.completed', { ...EVENTS['checkout.completed'].example, counterpartyCompleted });
  assert.deepEqual(checkout(false), ['checkout.completed', 'trade.counterparty_hold_started']);
  assert.deepEqual(checkout(true), ['checkout.completed']);

  for (const reason of EVENTS['trade.cancelled'].data.properties.reason.enum) {
    const caused = webhooksFor('trade.cancelled', { tradeSessionId: 't', reason });
    const derived = reason === 'UNRECIPROCATED' ? ['trade.closed_unreciprocated'] : [];
    assert.deepEqual(caused, ['trade.cancelled', ...derived]);
  }
  for (const cause of EVENTS['reservation.expired'].data.properties.cause.enum) {
    const caused = webhooksFor('reservation.expired', { ...EVENTS['reservation.expired'].example, cause });
    assert.deepEqual(caused, ['reservation.expired', ...(cause === 'UNAVAILABLE' ? ['reservation.failed'] : [])]);
  }
});

test('the body of checkout.started is that of interface.md 6.4, byte for byte', () => {
  assert.equal(
    webhookBody('checkout.started', EVENTS['checkout.started'].example, AT),
    '{"event":"checkout.started","tradeSessionId":"ts_7Qm2Xc","side":"INITIATOR","originalPrice":149.9,"tradeAmount":29.9,"currency":"EUR","timestamp":"2026-03-01T09:05:00.007Z"}',
  );
});

test('every example makes a body that fits the body schema', () => {
  for (const name of webhooks) {
    const body = JSON.parse(webhookBody(name, entryOf(sourceOf(name)).example, AT));
    fitsBody(name, body);
    fitsBody(name, exampleBody(name));
    assert.equal(Object.keys(body)[0], 'event');
    assert.equal(Object.keys(body).at(-1), 'timestamp');
  }
});

test('the body schema names its event and takes nothing else', () => {
  for (const name of webhooks) {
    const validate = ajv.compile(webhookBodySchema(name));
    assert.equal(validate({ ...exampleBody(name), event: 'other.happened' }), false, name);
    assert.equal(validate({ ...exampleBody(name), extra: 1 }), false, name);
    const { timestamp: _, ...late } = exampleBody(name);
    assert.equal(validate(late), false, name);
  }
  const ids = { listingId: 'l', merchantAccountId: '0198c2a0-3f10-7c5e-8a51-6f0f5f3a1b01' };
  const empty = { event: 'listing.updated', ...ids, timestamp: AT.toISOString() };
  assert.equal(ajv.compile(webhookBodySchema('listing.updated'))(empty), false, 'an update without a change');
});

test('a derived webhook has no more than its schema; deriving twice changes nothing', () => {
  for (const name of webhooks) {
    const source = entryOf(sourceOf(name)).example;
    const data = derivedData(name, source);
    assert.deepEqual(validateEventData(name, data), [], name);
    assert.deepEqual(derivedData(name, data), data, name);
  }
  assert.deepEqual(derivedData('trade.closed_unreciprocated', { tradeSessionId: 't', reason: 'UNRECIPROCATED' }), {
    tradeSessionId: 't',
  });
});

interface Node {
  type?: string;
  properties?: Record<string, Node>;
  required?: string[];
  items?: Node;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

const visible = fc.string({ unit: fc.constantFrom(...Array.from('abXY09_-:/."\\&<\'')), minLength: 1, maxLength: 128 });

function stringOf(node: Node): fc.Arbitrary<unknown> {
  if (node.format === 'uuid') return fc.uuid();
  if (node.format === 'date-time') {
    return fc.date({ min: new Date(0), max: AT, noInvalidDate: true }).map((d) => d.toISOString());
  }
  if (node.pattern === '^[A-Z]{3}$') return fc.constantFrom('EUR', 'USD', 'BHD');
  if (node.pattern?.startsWith('^https')) return visible.map((s) => `https://${s}`);
  if (node.pattern === '^[!-~]+$') return visible;
  return fc
    .string({ unit: 'binary', minLength: 1, maxLength: Math.min(node.maxLength ?? 20, 60) })
    .filter((s) => !s.includes('\0'));
}

/** Values that fit a schema of the catalogue. */
function fitting(node: Node): fc.Arbitrary<unknown> {
  if (node.enum) return fc.constantFrom(...node.enum);
  switch (node.type) {
    case 'object': {
      const fields = Object.entries(node.properties ?? {}).map(([k, v]) => [k, fitting(v)] as const);
      return fc.record(Object.fromEntries(fields), { requiredKeys: node.required ?? [], noNullPrototype: true });
    }
    case 'array':
      return fc.array(fitting(node.items ?? {}), {
        minLength: node.minItems ?? 0,
        maxLength: Math.min(node.maxItems ?? 3, 3),
      });
    case 'number':
      return fc.integer({ min: 0, max: 10_000_000_000_000 }).map((cents) => cents / 100);
    case 'integer':
      return fc.integer({ min: node.minimum ?? 0, max: node.maximum ?? 10 });
    case 'boolean':
      return fc.boolean();
    case undefined:
    default:
      return stringOf(node);
  }
}

/** Payloads of an event; those of listing.updated that change nothing or lack a currency are left out. */
const payloads = (name: EventName): fc.Arbitrary<AnyEventData> =>
  (fitting(entryOf(name).data) as fc.Arbitrary<AnyEventData>).filter(
    (d) => name !== 'listing.updated' || (Object.keys(d).length > 2 && (d.price === undefined || 'currency' in d)),
  );

test('property: a body parses back to the data that it was made from', () => {
  for (const name of webhooks) {
    const at = fc.date({ min: new Date(0), max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true });
    fc.assert(
      fc.property(payloads(sourceOf(name)), at, (data, at) => {
        assert.deepEqual(validateEventData(sourceOf(name), data), []);
        const { event, timestamp, ...fields } = JSON.parse(webhookBody(name, data, at)) as Record<string, unknown>;
        assert.equal(event, name);
        assert.equal(timestamp, at.toISOString());
        const known = Object.keys(EVENTS[name].data.properties);
        assert.deepEqual(fields, Object.fromEntries(Object.entries(data).filter(([field]) => known.includes(field))));
        fitsBody(name, { event, ...fields, timestamp });
      }),
      { numRuns: 40 },
    );
  }
});
