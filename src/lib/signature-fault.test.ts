import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { assert as hold, integer, property, string } from 'fast-check';
import { signatureFault } from './signature-fault.ts';

const NOW = 1_800_000_000;
const SECRET = 'whsec_c2VjcmV0';
const hex = (body: string, t = NOW, secret = SECRET): string =>
  createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');

test('a signature made as interface.md 6.5 says is genuine, whatever the body', () => {
  hold(
    property(string({ unit: 'binary' }), integer({ min: -300, max: 300 }), (body, age) => {
      const t = NOW - age;
      assert.equal(signatureFault(`t=${t},v1=${hex(body, t)}`, body, [SECRET], NOW), null);
      assert.equal(signatureFault(`t=${t},v1=${hex(body, t)}`, `${body} `, [SECRET], NOW), 'wrong signature');
    }),
  );
});

test('one of several signatures is enough, as during a rotation', () => {
  const header = `t=${NOW},v1=${hex('{}', NOW, 'whsec_bmV3')},v1=${hex('{}')}`;
  assert.equal(signatureFault(header, '{}', [SECRET], NOW), null);
});

test('anything else is refused', () => {
  const old = NOW - 301;
  assert.equal(signatureFault(`t=${old},v1=${hex('{}', old)}`, '{}', [SECRET], NOW), 'outside of the 5-minute window');
  assert.equal(signatureFault(`t=${NOW},v1=${hex('{}', NOW, 'whsec_bmV3')}`, '{}', [SECRET], NOW), 'wrong signature');
  assert.equal(signatureFault(`t=${NOW},v0=${hex('{}')}`, '{}', [SECRET], NOW), 'wrong signature');
  assert.equal(signatureFault(`t=${NOW},v1=`, '{}', [SECRET], NOW), 'wrong signature');
  assert.equal(signatureFault(`t=NaN,v1=${hex('{}')}`, '{}', [SECRET], NOW), 'no signature');
  for (const header of [undefined, '', 'v1', `v1=${hex('{}')}`]) {
    assert.equal(signatureFault(header, '{}', [SECRET], NOW), 'no signature');
  }
});
