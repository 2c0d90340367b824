import ipaddr from 'ipaddr.js';

/** A range of addresses of one family. */
export interface Cidr {
  readonly network: ipaddr.IPv4 | ipaddr.IPv6;
  /** Length of the prefix, 0 to 32 or 128. */
  readonly bits: number;
}

/**
 * The family of a plain address as `net.isIP` tells it, 0 for anything else. ipaddr.js by itself also reads octal, hex
 * and short forms, which mean different addresses to different readers. A zone (`%eth0`) is no part of an address here.
 */
export function familyOf(text: string): 0 | 4 | 6 {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return 4;
  if (!text.includes(':') || text.includes('%') || !ipaddr.IPv6.isValid(text)) return 0;
  const last = text.slice(text.lastIndexOf(':') + 1);
  return last.includes('.') && !ipaddr.IPv4.isValidFourPartDecimal(last) ? 0 : 6;
}

/** A CIDR (`10.0.0.0/8`), or an address, which is a range of one; null for anything else. */
export function parseCidr(text: string): Cidr | null {
  const [address = '', prefix, more] = text.split('/');
  const family = familyOf(address);
  if (family === 0 || more !== undefined || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) return null;
  const longest = family === 6 ? 128 : 32;
  const bits = Number(prefix ?? longest);
  return bits > longest ? null : { network: ipaddr.parse(address), bits };
}

/** Whether the range holds the address; one of the other family it never does, mapped ones included. */
export const cidrHolds = ({ network, bits }: Cidr, address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  network.kind() === address.kind() && address.match(network, bits);
