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
      assert.match(signatureFault(`t=${t},v1=${hex(body, t)}`, `${body} `, [SECRET], NOW) ?? '', /^wrong signature/);
    }),
  );
});

test('one of several signatures is enough, as during a rotation', () => {
  const header = `t=${NOW},v1=${hex('{}', NOW, 'whsec_bmV3')},v1=${hex('{}')}`;
  assert.equal(signatureFault(header, '{}', [SECRET], NOW), null);
});

test('what is refused is told apart, so that who signs knows what to mend', () => {
  const faultOf = (header: string | undefined) => signatureFault(header, '{}', [SECRET], NOW) ?? 'none';
  const old = NOW - 301;
  assert.match(faultOf(`t=${old},v1=${hex('{}', old)}`), /^outside of the 5-minute window/);
  assert.match(faultOf(`t=${NOW}000,v1=${hex('{}')}`), /^outside of the 5-minute window: t is in seconds/);
  assert.match(
    faultOf(`t=${NOW},v1=${hex('{}', NOW, 'whsec_bmV3')}`),
    /^wrong signature: it is over <t>\.<body as sent>/,
  );
  for (const header of [
    'v1',
    `v1=${hex('{}')}`,
    `t=NaN,v1=${hex('{}')}`,
    `t=${NOW},v0=${hex('{}')}`,
    `t=${NOW},v1=`,
    `t=${NOW},v1=${hex('{}')}`.toUpperCase(),
  ]) {
    assert.equal(faultOf(header), 'must be of the form t=<unix seconds>,v1=<64 hex digits>', header);
  }
  for (const header of [undefined, '']) assert.equal(faultOf(header), 'no signature');
});
