import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { businessWebhooks, merchantWebhooks, type WebhookName } from '../../../contracts/events/index.ts';
import { isUuid, leastUuidv7, uuidv7 } from '../../../lib/ids.ts';
import { deliveryIdOf, idRangeOf } from './delivery-id.ts';

const NAMES: readonly WebhookName[] = [...merchantWebhooks, ...businessWebhooks];
const AT = Date.UTC(2100, 0, 1);
const eventId = fc.nat(1_000_000).map((ahead) => uuidv7(AT + ahead));
const endpointId = fc.uuid();
const webhook = fc.constantFrom(...NAMES);
const key = fc.tuple(eventId, endpointId, webhook);

test('the id is a UUID of version 7, with the time of the event, in the range of the event', () => {
  fc.assert(
    fc.property(key, ([event, endpoint, name]) => {
      const id = deliveryIdOf(event, endpoint, name);
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.ok(isUuid(id));
      assert.equal(id.slice(0, 18), event.slice(0, 18));
      const { from, to } = idRangeOf(event);
      assert.ok(from <= id && id <= to);
      assert.ok(from <= event && event <= to, 'the event itself has an id of that time');
      assert.ok(leastUuidv7(Number.parseInt(event.replaceAll('-', '').slice(0, 12), 16)) < id);
    }),
  );
});

test('the same three give the same id, any other three another one', () => {
  fc.assert(
    fc.property(fc.uniqueArray(key, { minLength: 2, maxLength: 50, selector: String }), (keys) => {
      const ids = keys.map(([event, endpoint, name]) => deliveryIdOf(event, endpoint, name));
      assert.equal(new Set(ids).size, keys.length);
      assert.deepEqual(
        keys.map(([event, endpoint, name]) => deliveryIdOf(event, endpoint, name)),
        ids,
      );
    }),
  );
});

test('a hundred thousand deliveries of one event have as many ids, in which every random bit is as often 0 as 1', () => {
  const event = uuidv7(AT);
  const ids = Array.from({ length: 100_000 }, (_, i) =>
    deliveryIdOf(event, leastUuidv7(i), NAMES[i % NAMES.length] as WebhookName),
  );
  assert.equal(new Set(ids).size, ids.length);
  const tails = ids.map((id) => BigInt(`0x${id.slice(19).replace('-', '')}`));
  for (let bit = 0n; bit < 62n; bit++) {
    const ones = tails.filter((tail) => ((tail >> bit) & 1n) === 1n).length;
    // 50,000 ± 158 is one standard deviation.
    assert.ok(Math.abs(ones - 50_000) < 1000, `bit ${bit}: ${ones}`);
  }
});

test('events in the order of their ids have their deliveries in the same order', () => {
  const events = Array.from({ length: 2000 }, () => uuidv7(AT));
  const ids = events.map((event) => deliveryIdOf(event, leastUuidv7(1), 'offer.created'));
  assert.deepEqual(ids, ids.toSorted());
});
