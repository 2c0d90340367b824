import assert from 'node:assert/strict';
import { createHmac, createSecretKey } from 'node:crypto';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { hmacSha256 } from './hmac.ts';

test('it is what createHmac makes, for any key and text', () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 150 });
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', 'a'.repeat(22_000), '€'.repeat(30_000)));
  fc.assert(
    fc.property(bytes, fc.array(text, { minLength: 1, maxLength: 3 }), (secret, texts) => {
      const key = createSecretKey(secret);
      // The same key again and again, and another in between.
      for (const one of texts) {
        hmacSha256(createSecretKey(Buffer.from('other')), one, 'hex');
        for (const encoding of ['hex', 'base64'] as const)
          assert.equal(hmacSha256(key, one, encoding), createHmac('sha256', secret).update(one).digest(encoding));
      }
    }),
    { numRuns: 500 },
  );
});

test('RFC 4231, test case 2', () => {
  assert.equal(
    hmacSha256(createSecretKey(Buffer.from('Jefe')), 'what do ya want for nothing?', 'hex'),
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});
