import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parseTargetUrl } from './target-url.ts';
import { LOOPBACK, PUBLIC_ONLY } from './test-receiver.ts';

const PRODUCTION = { allowedTargets: [], requireHttps: true };

function reasonFor(url: string, policy = PUBLIC_ONLY): string | null {
  const parsed = parseTargetUrl(url, policy);
  return parsed.ok ? null : parsed.reason;
}

test('takes a URL apart once', () => {
  assert.deepEqual(parseTargetUrl('https://Hooks.Example.com./a/b?x=1&y=%20', PRODUCTION), {
    ok: true,
    url: {
      href: 'https://hooks.example.com/a/b?x=1&y=%20',
      origin: 'https://hooks.example.com',
      secure: true,
      hostname: 'hooks.example.com',
      port: 443,
      path: '/a/b?x=1&y=%20',
    },
  });
  const ipv6 = parseTargetUrl('http://[2606:4700:0::1111]:8080', PUBLIC_ONLY);
  assert.ok(ipv6.ok);
  assert.equal(ipv6.url.hostname, '2606:4700::1111');
  assert.equal(ipv6.url.origin, 'http://[2606:4700::1111]:8080');
  assert.equal(ipv6.url.port, 8080);
  assert.equal(ipv6.url.path, '/');
});

test('an internationalised host becomes ASCII', () => {
  const parsed = parseTargetUrl('https://bücher.example/', PRODUCTION);
  assert.ok(parsed.ok);
  assert.equal(parsed.url.hostname, 'xn--bcher-kva.example');
});

test('says why a URL is refused', () => {
  const cases: [string, string][] = [
    ['ftp://example.com/', 'does not start with http:// or https://'],
    ['file:///etc/passwd', 'does not start with http:// or https://'],
    ['https:example.com', 'does not start with http:// or https://'],
    ['https:///example.com', 'does not start with http:// or https://'],
    ['//example.com/', 'does not start with http:// or https://'],
    ['', 'does not start with http:// or https://'],
    ['https://user:pw@example.com/', 'contains a user name or password'],
    ['https://@example.com/', 'contains a user name or password'],
    ['https://example.com/#x', 'contains a fragment'],
    ['https://example.com/#', 'contains a fragment'],
    ['https://example.com/a b', 'contains a space, a control character or a backslash'],
    ['https://example.com/\r\nx', 'contains a space, a control character or a backslash'],
    ['https://exam\tple.com/', 'contains a space, a control character or a backslash'],
    ['https://example.com\\@evil.example/', 'contains a space, a control character or a backslash'],
    ['https://example.com:0/', 'has port 0'],
    ['https://example.com:99999/', 'is not a valid URL'],
    ['https://1.2.3.4.5/', 'is not a valid URL'],
    ['https://[::1%25lo]/', 'is not a valid URL'],
    ['https://a..example.com/', 'has a host that is not a valid name'],
    ['https://example.com../', 'has a host that is not a valid name'],
    ['https://-x.example/', 'has a host that is not a valid name'],
    ["https://a'b.example/", 'has a host that is not a valid name'],
    [`https://${'a'.repeat(64)}.example/`, 'has a host that is not a valid name'],
    [`https://example.com/${'a'.repeat(2000)}`, 'is longer than 2000 characters'],
    [`https://example.com/${'ü'.repeat(700)}`, 'is longer than 2000 characters'],
    ['https://10.0.0.1/', 'points to an address that is not public'],
    ['https://localhost/', 'points to an address that is not public'],
    ['https://a.localhost./', 'points to an address that is not public'],
  ];
  for (const [url, reason] of cases) assert.equal(reasonFor(url), reason, url);
  assert.equal(reasonFor(`https://example.com/${'a'.repeat(1980)}`), null);
});

test('https is required where the policy says so', () => {
  assert.equal(reasonFor('http://example.com/', PRODUCTION), 'is not https');
  assert.equal(reasonFor('http://example.com/', PUBLIC_ONLY), null);
  assert.equal(reasonFor('https://example.com/', PRODUCTION), null);
});

test('localhost needs its loopback range to be permitted', () => {
  assert.equal(reasonFor('http://localhost:3000/', LOOPBACK), null);
  assert.equal(reasonFor('http://localhost:3000/', { allowedTargets: ['::1'], requireHttps: false }), null);
  assert.notEqual(reasonFor('http://localhost:3000/', { allowedTargets: ['10.0.0.0/8'], requireHttps: false }), null);
});

test('a forbidden IPv4 address is recognised in every notation of the URL standard', () => {
  const loopback = fc.integer({ min: 0x7f000000, max: 0x7fffffff });
  const part = (n: number) =>
    fc.constantFrom(String(n), `0x${n.toString(16)}`, `0X${n.toString(16)}`, `0${n.toString(8)}`);
  const notation = loopback.chain((n) => {
    const [a, b, c, d] = [n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255];
    const splits = [[n], [a, n & 0xffffff], [a, b, n & 0xffff], [a, b, c, d]];
    return fc
      .constantFrom(...splits)
      .chain((numbers) => fc.tuple(...numbers.map(part)).map((parts) => parts.join('.')));
  });
  fc.assert(
    fc.property(notation, fc.constantFrom('', '.'), (host, dot) => {
      assert.equal(reasonFor(`http://${host}${dot}/`), 'points to an address that is not public');
    }),
  );
});

test('what is accepted is stable: its href is accepted with the same parts', () => {
  const url = fc.webUrl({ withQueryParameters: true, validSchemes: ['http', 'https'], size: '-1' });
  fc.assert(
    fc.property(url, (text) => {
      const first = parseTargetUrl(text, PUBLIC_ONLY);
      if (first.ok) assert.deepEqual(parseTargetUrl(first.url.href, PUBLIC_ONLY), first);
    }),
  );
});
