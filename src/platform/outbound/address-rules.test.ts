import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createAddressRules, isPublicAddress } from './address-rules.ts';

/** The IANA registries written down once more, as number ranges: an oracle that shares no code with the rules. */
const SPECIAL_V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;

const toNumber = (address: string): number => address.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0);
const toV4 = (n: number): string => [24, 16, 8, 0].map((shift) => (n >>> shift) & 255).join('.');
const special = SPECIAL_V4.map(([network, bits]) => {
  const first = toNumber(network);
  return { first, last: first + 2 ** (32 - bits) - 1 };
});
const isSpecial = (n: number): boolean => special.some(({ first, last }) => n >= first && n <= last);

const edges = special
  .flatMap(({ first, last }) => [first - 1, first, last, last + 1])
  .filter((n) => n >= 0 && n < 2 ** 32);
const anyV4 = fc.oneof(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.constantFrom(...edges));
const group = fc.integer({ min: 0, max: 0xffff });
const hex = (n: number): string => n.toString(16);
const v6 = (...groups: number[]): string => groups.map(hex).join(':');

test('an IPv4 address is public exactly when no special-purpose range holds it', () => {
  for (const n of edges) assert.equal(isPublicAddress(toV4(n)), !isSpecial(n), toV4(n));
  fc.assert(fc.property(anyV4, (n) => isPublicAddress(toV4(n)) === !isSpecial(n)));
});

test('no IPv6 form that embeds an IPv4 address is public, whatever it embeds', () => {
  fc.assert(
    fc.property(anyV4, group, group, (n, a, b) => {
      const [high, low] = [n >>> 16, n & 0xffff];
      const forms = {
        mapped: v6(0, 0, 0, 0, 0, 0xffff, high, low),
        mappedDotted: `::ffff:${toV4(n)}`,
        compatible: v6(0, 0, 0, 0, 0, 0, high, low),
        translated: v6(0, 0, 0, 0, 0xffff, 0, high, low),
        nat64: v6(0x64, 0xff9b, 0, 0, 0, 0, high, low),
        nat64Local: v6(0x64, 0xff9b, 1, a, b, 0, high, low),
        sixToFour: v6(0x2002, high, low, a, b, 0, 0, 1),
        teredo: v6(0x2001, 0, a, b, 0, 0, high ^ 0xffff, low ^ 0xffff),
      };
      for (const [form, address] of Object.entries(forms))
        assert.equal(isPublicAddress(address), false, `${form} ${address}`);
    }),
  );
});

test('no IPv6 address of a special-purpose range is public', () => {
  const prefixes: [number[], number][] = [
    [[0xfc00], 7],
    [[0xfe80], 10],
    [[0xfec0], 10],
    [[0xff00], 8],
    [[0x0100], 64],
    [[0x2001, 0x0db8], 32],
    [[0x3fff], 20],
    [[0x2001, 0x0002], 48],
    [[0x2001, 0x0010], 28],
    [[0x2001, 0x0020], 28],
    [[0x5f00], 16],
    [[0x4000], 2],
    [[0x8000], 1],
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...prefixes),
      fc.array(group, { minLength: 8, maxLength: 8 }),
      ([prefix, bits], noise) => {
        const groups = noise.map((value, i) => {
          const fixed = Math.min(16, Math.max(0, bits - 16 * i));
          const mask = (0xffff << (16 - fixed)) & 0xffff;
          return ((prefix[i] ?? 0) & mask) | (value & ~mask & 0xffff);
        });
        assert.equal(isPublicAddress(v6(...groups)), false, v6(...groups));
      },
    ),
  );
  assert.equal(isPublicAddress('::'), false);
  assert.equal(isPublicAddress('::1'), false);
});

test('ordinary public addresses are public', () => {
  for (const address of [
    '1.1.1.1',
    '8.8.8.8',
    '172.15.255.255',
    '172.32.0.0',
    '2606:4700::1111',
    '2a00:1450:4001::5e',
    '2003::1',
  ]) {
    assert.equal(isPublicAddress(address), true, address);
  }
});

test('what is not a plain address is not permitted', () => {
  const rules = createAddressRules(['0.0.0.0/0', '::/0']);
  for (const text of [
    '',
    'localhost',
    '127.1',
    '0x7f000001',
    '017700000001',
    '2130706433',
    'fe80::1%eth0',
    '1.1.1.1 ',
    '1.1.1.1/8',
  ]) {
    assert.equal(isPublicAddress(text), false, text);
    assert.equal(rules.permits(text), false, text);
  }
});

test('permitted CIDRs open exactly themselves, in their own family', () => {
  const rules = createAddressRules(['127.0.0.0/8', '10.1.2.3', 'fd00:1::/32', '::1']);
  for (const address of ['127.0.0.1', '127.255.255.255', '10.1.2.3', 'fd00:1::9', '::1', '8.8.8.8']) {
    assert.equal(rules.permits(address), true, address);
  }
  for (const address of [
    '10.1.2.2',
    '10.1.2.4',
    '169.254.0.1',
    '192.168.0.1',
    'fd00:2::9',
    '::2',
    '::ffff:127.0.0.1',
  ]) {
    assert.equal(rules.permits(address), false, address);
  }
  assert.equal(createAddressRules(['::ffff:0:0/96']).permits('::ffff:10.0.0.1'), true);
});

test('an entry that is no CIDR is refused with its text', () => {
  for (const entry of [
    '',
    'localhost',
    '10.0.0.0/33',
    '::/129',
    '10.0.0/8',
    '127.1',
    '10.0.0.0/',
    '10.0.0.0/-1',
    'fe80::1%lo/64',
  ]) {
    assert.throws(() => createAddressRules([entry]), { message: `not a CIDR or an IP address: ${entry}` });
  }
});
