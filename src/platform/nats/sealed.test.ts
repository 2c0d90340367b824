import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCipher } from '../../lib/cipher.ts';
import { sealBy } from './sealed.ts';

const sealOf = (byte: number, purpose = 'messages') => sealBy(createCipher(Buffer.alloc(32, byte)).mac(purpose));

test('a sealed message is read with the same key and for the same purpose, and no other', () => {
  const text = Buffer.from('{"kind":"here"}');
  const sealed = sealOf(1).close(text);
  assert.equal(sealed.length, text.length + sealOf(1).overhead);
  assert.deepEqual(sealOf(1).open(sealed), text);
  assert.equal(sealOf(2).open(sealed), null);
  assert.equal(sealOf(1, 'others').open(sealed), null);
});

test('a changed or shortened message is not read', () => {
  const seal = sealOf(1);
  const sealed = seal.close(Buffer.from('hand over'));
  for (let i = 0; i < sealed.length; i++) {
    const changed = Buffer.from(sealed);
    changed[i] = (changed[i] as number) ^ 1;
    assert.equal(seal.open(changed), null);
    assert.equal(seal.open(sealed.subarray(0, i)), null);
  }
  assert.deepEqual(seal.open(seal.close(new Uint8Array())), Buffer.alloc(0));
});
