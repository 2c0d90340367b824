import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type Cidr, cidrHolds, parseCidr } from '../../lib/cidr.ts';

/**
 * Which addresses may be connected to. Pure; the base is the IANA special-purpose registries (RFC 6890 and its successors) as
 * ipaddr.js has them, plus one rule that fails closed: of IPv6 only global unicast space, 2000::/3, is public at all. It refuses
 * without naming them the forms that embed an IPv4 address outside of it (mapped, compatible, NAT64) and space not yet assigned.
 */

export interface AddressRules {
  /** Whether a connection to this address is permitted. Anything that is not a plain IP address is not. */
  permits(address: string): boolean;
}

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** True for an address of the public internet. Forms that embed an IPv4 address (6to4, Teredo, …) are refused whatever they embed. */
export function isPublicAddress(address: string): boolean {
  // isIP first: ipaddr.js also reads octal, hex and short forms, which the kernel would never be given here.
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.kind() === 'ipv6' && !parsed.match(GLOBAL_UNICAST)) return false;
  return parsed.range() === 'unicast';
}

/**
 * Rules for a list of CIDRs that are permitted besides public addresses. A CIDR permits only addresses of its own family as they
 * are written: `127.0.0.0/8` does not permit `::ffff:127.0.0.1`.
 * @throws {Error} when an entry is neither a CIDR nor an address.
 */
export function createAddressRules(allowedTargets: readonly string[]): AddressRules {
  const cidrs = allowedTargets.map(permitted);
  return {
    permits(address) {
      if (isPublicAddress(address)) return true;
      if (isIP(address) === 0 || address.includes('%')) return false;
      const parsed = ipaddr.parse(address);
      return cidrs.some((cidr) => cidrHolds(cidr, parsed));
    },
  };
}

const compiled = new WeakMap<readonly string[], AddressRules>();

/** As `createAddressRules`, once per list: a policy is parsed at its first use. */
export function addressRulesOf(allowedTargets: readonly string[]): AddressRules {
  let rules = compiled.get(allowedTargets);
  if (!rules) compiled.set(allowedTargets, (rules = createAddressRules(allowedTargets)));
  return rules;
}

function permitted(text: string): Cidr {
  const cidr = parseCidr(text);
  if (!cidr) throw new Error(`not a CIDR or an IP address: ${text}`);
  return cidr;
}
