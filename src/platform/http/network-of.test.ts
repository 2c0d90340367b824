import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkOf } from './network-of.ts';

for (const [ip, network] of [
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:c000:207', '192.0.2.7'],
  ['0:0:0:0:0:ffff:c000:0207', '192.0.2.7'],
  ['::ffff:1', '0:0:0:0::/64'],
  ['2001:db8:1:1::1', '2001:db8:1:1::/64'],
  ['2001:DB8:1:1:ffff:ffff:ffff:fffe', '2001:db8:1:1::/64'],
  ['2001:db8:0001:0002:3::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
  ['1:2:3:4:5:6:192.0.2.7', '1:2:3:4::/64'],
  ['no address', 'no address'],
  [undefined, 'gone'],
  ['x'.repeat(60_000), 'x'.repeat(64)],
] as const) {
  test(`${String(ip).slice(0, 40)} is in ${network.slice(0, 40)}`, () => assert.equal(networkOf(ip), network));
}
