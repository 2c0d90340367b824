import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashPassword, verifyPassword } from './password.ts';

test('a password verifies against its own hash only', async () => {
  const hash = await hashPassword('correct horse');
  assert.match(hash, /^\$scrypt\$ln=15,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.notEqual(await hashPassword('correct horse'), hash);
  assert.equal(await verifyPassword('correct horse', hash), true);
  assert.equal(await verifyPassword('correct horsf', hash), false);
  assert.equal(await verifyPassword('correct horse', null), false);
  assert.equal(await verifyPassword('correct horse', 'correct horse'), false);
});

test('the way in which a keyboard writes a letter does not matter', async () => {
  const hash = await hashPassword('pässword\u2460');
  assert.equal(await verifyPassword('pa\u0308ssword1', hash), true);
});

test('a hash made at another cost verifies by its own parameters', async () => {
  // scrypt(P = "pleaseletmein", S = "SodiumChloride", N = 16384, r = 8, p = 1), RFC 7914 section 12, first 32 bytes.
  const salt = Buffer.from('SodiumChloride').toString('base64').replaceAll('=', '');
  const hash = Buffer.from('7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2', 'hex')
    .toString('base64')
    .replaceAll('=', '');
  assert.equal(await verifyPassword('pleaseletmein', `$scrypt$ln=14,r=8,p=1$${salt}$${hash}`), true);
  assert.equal(await verifyPassword('pleaseletmein', `$scrypt$ln=13,r=8,p=1$${salt}$${hash}`), false);
});
