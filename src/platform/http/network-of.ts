import { isIPv6 } from 'node:net';

const GROUPS = 8;
/** Groups of an IPv6 address that name a network: whoever has one has all addresses in it (RFC 6177 §2: a site gets a /64 at least). */
const NETWORK_GROUPS = 4;
/** No address is longer (RFC 4291 §2.2, with a zone). Characters. */
const LONGEST = 64;

/** How many groups a part of an IPv6 address stands for: an IPv4 address at its end is two. */
const groupsIn = (part: readonly string[]): number => part.length + (part.at(-1)?.includes('.') ? 1 : 0);

/** The IPv4 address that an IPv6 one stands for (RFC 4291 §2.5.5.2), as two groups or with points; null: it is none. */
function ipv4In(ip: string): string | null {
  const [, rest = ''] = /^(?:::|(?:0{1,4}:){5})ffff:(.*)$/i.exec(ip) ?? [];
  if (rest.includes('.')) return rest;
  const [high, low, ...more] = rest.split(':').map((group) => Number.parseInt(group, 16));
  if (high === undefined || low === undefined || more.length > 0) return null;
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** Of a connection that is gone there is no address, whatever the types say. */
const GONE = 'gone';

/**
 * Whose address it is, as far as it tells: an IPv4 address itself, also where it is written as an IPv6 one; of any other IPv6
 * address the /64, since a single line has as many addresses in it as it likes to use.
 */
export function networkOf(ip: string | undefined): string {
  if (ip === undefined) return GONE;
  if (!isIPv6(ip)) return ip.slice(0, LONGEST);
  const mapped = ipv4In(ip);
  if (mapped !== null) return mapped;
  const [left = [], right = []] = ip
    .replace(/%.*/, '')
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(Math.max(0, GROUPS - groupsIn(left) - groupsIn(right))).fill('0');
  const groups = [...left, ...zeros, ...right].slice(0, NETWORK_GROUPS);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
