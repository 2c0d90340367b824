import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BATCH, BATCH_BYTES, batchesOf, tooLarge } from './batches.ts';

/** Takes so many bytes of a request, with the comma behind it. */
const event = (bytes: number) => ({ data: 'x'.repeat(bytes - 12) });
const lengths = (events: readonly unknown[]) => batchesOf(events).map((batch) => batch.length);

describe('events of a file', () => {
  test('are sent together as long as they fit into a request, by number and by bytes', () => {
    assert.deepEqual(lengths([]), []);
    assert.deepEqual(lengths(Array(BATCH).fill(event(100))), [BATCH]);
    assert.deepEqual(lengths(Array(1100).fill(event(100))), [500, 500, 100]);
    assert.deepEqual(lengths(Array(500).fill(event(20_000))), [104, 104, 104, 104, 84]);
    const large = Array.from({ length: 7 }, (_, i) => ({ ...event(900_000), i }));
    assert.deepEqual(batchesOf(large).flat(), large);
    for (const batch of batchesOf(large))
      assert.ok(Buffer.byteLength(JSON.stringify({ events: batch })) <= 2 * 1024 * 1024);
  });

  test('that no request holds are known before anything is sent', () => {
    assert.equal(tooLarge([event(100), event(BATCH_BYTES)]), -1);
    assert.equal(tooLarge([event(100), event(BATCH_BYTES + 1)]), 1);
    assert.equal(tooLarge([{ data: 'ü'.repeat(BATCH_BYTES / 2) }]), 0);
  });
});
