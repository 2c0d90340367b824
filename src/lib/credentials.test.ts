import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  credentialHash,
  isApiKey,
  isSessionToken,
  keyHint,
  newApiKey,
  newSessionToken,
  newSigningSecret,
  signingSecretBytes,
} from './credentials.ts';

const environment = fc.constantFrom('live', 'test', 'dev' as const);

test('every new key has the form and passes its own checksum', () => {
  fc.assert(
    fc.property(environment, (env) => {
      const key = newApiKey(env);
      assert.match(key, new RegExp(`^ph_${env}_[0-9A-Za-z]{38}$`));
      assert.ok(isApiKey(key));
      assert.equal(keyHint(key), key.slice(0, `ph_${env}_`.length + 4));
    }),
  );
});

test('a key with any one character changed is refused offline', () => {
  const character = fc.integer({ min: 0x21, max: 0x7e }).map((c) => String.fromCharCode(c));
  fc.assert(
    fc.property(environment, fc.nat(45), character, (env, at, replacement) => {
      const key = newApiKey(env);
      const position = at % key.length;
      fc.pre(key[position] !== replacement);
      assert.equal(isApiKey(key.slice(0, position) + replacement + key.slice(position + 1)), false);
    }),
    { numRuns: 500 },
  );
});

test('text that was made up is refused', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 80 }), (text) => {
      assert.equal(isApiKey(text), false);
      assert.equal(isSessionToken(text), false);
    }),
  );
  const key = newApiKey('live');
  for (const wrong of ['', key.slice(1), ` ${key}`, `${key}\n`, key.toUpperCase(), key.replace('live', 'prod')]) {
    assert.equal(isApiKey(wrong), false, JSON.stringify(wrong));
  }
});

test('the checksum never changes: keys that were given out stay valid', () => {
  assert.ok(isApiKey('ph_test_0123456789ABCDEFGHIJKLMNOPQRSTUV17xGgv'));
});

test('session tokens and signing secrets are random and have their form', () => {
  assert.ok(isSessionToken(newSessionToken()));
  assert.notEqual(newSessionToken(), newSessionToken());
  const secret = newSigningSecret();
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal(signingSecretBytes(secret).length, 32);
  assert.equal(`whsec_${signingSecretBytes(secret).toString('base64')}`, secret);
});

test('a stored credential is its SHA-256', () => {
  assert.equal(credentialHash('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
