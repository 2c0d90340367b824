import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heldBytes } from './held-bytes.ts';

test('the same bytes, and no others beside them', () => {
  for (const content of ['', 'é and 語', 'x'.repeat(40_000), Buffer.from('é'), Buffer.alloc(0)]) {
    const bytes = heldBytes(content);
    assert.deepEqual(bytes, Buffer.from(content as string));
    assert.equal(bytes.buffer.byteLength, bytes.length);
  }
});
