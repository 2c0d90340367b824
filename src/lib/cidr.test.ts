import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { test } from 'node:test';
import * as fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { cidrHolds, familyOf, parseCidr } from './cidr.ts';

const parts = ['0', '1', 'f', 'F', 'g', '::', ':', '.', '/', ' ', '010', '255', '256', 'ffff', '12345', '127.0.0.1'];

test('an address is what net.isIP takes for one', () => {
  const almost = fc.array(fc.constantFrom(...parts), { maxLength: 12 }).map((p) => p.join(''));
  fc.assert(
    fc.property(fc.oneof(almost, fc.ipV4(), fc.ipV6(), fc.ipV4Extended()), (text) => familyOf(text) === isIP(text)),
    { numRuns: 5000 },
  );
  for (const text of ['::0127.0.0.1', '0x7f000001', '127.1', '2130706433', '::ffff:127.0.0.1', '1::010.0.0.1']) {
    assert.equal(familyOf(text), isIP(text), text);
  }
  assert.equal(familyOf('fe80::1%eth0'), 0);
});

test('a range has the prefix that it is given, an address that of its whole length', () => {
  const bitsOf = (text: string): number | undefined => parseCidr(text)?.bits;
  assert.deepEqual(
    ['10.0.0.0/8', '10.1.2.3', 'fd00::/7', '::1', '0.0.0.0/0', '::/0'].map(bitsOf),
    [8, 32, 7, 128, 0, 0],
  );
});

test('what is no CIDR is refused', () => {
  const wrong = ['', '/8', 'localhost', '10.0.0/8', '10.0.0.0/', '10.0.0.0/-1', '10.0.0.0/33', '::/129'];
  for (const text of [...wrong, '10.0.0.0/8/8', '10.0.0.0/255.0.0.0', ' 10.0.0.0/8', 'fe80::1%lo/64']) {
    assert.equal(parseCidr(text), null, text);
  }
});

test('a range holds its own addresses, of its own family', () => {
  const holds = (range: string, address: string): boolean => {
    const cidr = parseCidr(range);
    return cidr !== null && cidrHolds(cidr, ipaddr.parse(address));
  };
  assert.deepEqual(
    ['10.255.0.1', '11.0.0.0', '::ffff:10.0.0.1'].map((address) => holds('10.0.0.0/8', address)),
    [true, false, false],
  );
  assert.equal(holds('::ffff:0:0/96', '::ffff:10.0.0.1'), true);
});
