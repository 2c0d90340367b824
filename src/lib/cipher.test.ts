import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { createCipher } from './cipher.ts';

const cipher = createCipher(randomBytes(32));

describe('seal and open', () => {
  test('are inverse, and never give the same text twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (plain, context) => {
        const sealed = cipher.seal(plain, context);
        assert.equal(cipher.open(sealed, context), plain);
        assert.notEqual(cipher.seal(plain, context), sealed);
        assert.match(sealed, /^v1\.[\w-]{16}\.[\w-]{22}\.[\w-]*$/);
      }),
    );
  });

  test('refuse a changed text, another context and another key', () => {
    const sealed = cipher.seal('whsec_secret', 'key 1');
    for (let i = 3; i < sealed.length; i++) {
      const changed = sealed.slice(0, i) + (sealed[i] === 'A' ? 'Q' : 'A') + sealed.slice(i + 1);
      // The last character of a part may differ in bits that base64 does not use.
      const same = changed
        .split('.')
        .every((part, j) =>
          Buffer.from(part, 'base64url').equals(Buffer.from(sealed.split('.')[j] ?? '', 'base64url')),
        );
      if (!same) assert.throws(() => cipher.open(changed, 'key 1'), `changed at ${i}`);
    }
    assert.throws(() => cipher.open(sealed, 'key 2'));
    assert.throws(() => createCipher(randomBytes(32)).open(sealed, 'key 1'));
  });

  test('refuse what is not theirs', () => {
    for (const text of ['', 'v1', 'v2.a.b.c', 'v1...', 'plain text', 'v1.AAAA.AAAA.AAAA'])
      assert.throws(() => cipher.open(text, 'x'), text);
  });

  test('a key of another length is refused', () => {
    assert.throws(() => createCipher(randomBytes(16)), /32 bytes/);
  });
});

describe('digest', () => {
  test('is the same for the same parts, and depends on the key and on where a part ends', () => {
    assert.equal(cipher.digest('a', 'b'), cipher.digest('a', 'b'));
    assert.notEqual(cipher.digest('a', 'b'), cipher.digest('ab'));
    assert.notEqual(cipher.digest('a', 'b'), cipher.digest('ab', ''));
    assert.notEqual(cipher.digest('a', 'b'), createCipher(randomBytes(32)).digest('a', 'b'));
    assert.notEqual(cipher.digest('a'), createHash('sha256').update('a').digest('base64url'));
  });
});
