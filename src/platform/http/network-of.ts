import { isIPv6 } from 'node:net';

const GROUPS = 8;
/** Groups of an IPv6 address that name a network: whoever has one has all addresses in it (RFC 6177 §2: a site gets a /64 at least). */
const NETWORK_GROUPS = 4;
/** No address is longer (RFC 4291 §2.2, with a zone). Characters. */
const LONGEST = 64;

/** How many groups a part of an IPv6 address stands for: an IPv4 address at its end is two. */
const groupsIn = (part: readonly string[]): number => part.length + (part.at(-1)?.includes('.') ? 1 : 0);

/**
 * Whose address it is, as far as it tells: an IPv4 address itself, also where it is written as an IPv6 one; of any other IPv6
 * address the /64, since a single line has as many addresses in it as it likes to use.
 */
export function networkOf(ip: string): string {
  if (!isIPv6(ip)) return ip.slice(0, LONGEST);
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped) return mapped;
  const [left = [], right = []] = ip
    .replace(/%.*/, '')
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(Math.max(0, GROUPS - groupsIn(left) - groupsIn(right))).fill('0');
  const groups = [...left, ...zeros, ...right].slice(0, NETWORK_GROUPS);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
