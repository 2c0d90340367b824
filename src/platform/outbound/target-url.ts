import { isIP } from 'node:net';
import { addressRulesOf, type AddressRules } from './address-rules.ts';
import type { OutboundPolicy } from './types.ts';

/** Longest URL that is accepted; what contract.md gives every URL of the service. */
const MAX_URL_LENGTH = 2000;

/** A URL that passed `parseTargetUrl`, taken apart once so that nothing is parsed per request. */
export interface TargetUrl {
  readonly href: string;
  /** Scheme, host and port: requests with the same origin share kept connections. */
  readonly origin: string;
  readonly secure: boolean;
  /** Lower case, ASCII, without brackets and without a trailing dot. */
  readonly hostname: string;
  readonly port: number;
  /** Path and query. */
  readonly path: string;
}

export type ParsedTargetUrl = { ok: true; url: TargetUrl } | { ok: false; reason: string };

const LABEL = /^(?!-)[a-z0-9_-]{1,63}$/;

/**
 * Checks a URL when it is written, so that its owner learns at once what can never work. It is no protection by itself: a name may
 * resolve to anything later, and the connector checks again what it connects to.
 * @returns the reason, fit to show to the one who wrote the URL.
 */
export function parseTargetUrl(text: string, policy: OutboundPolicy): ParsedTargetUrl {
  const reason = refusalOfText(text);
  if (reason) return { ok: false, reason };
  // The URL standard turns every notation of a host into one: 0x7f.1, 2130706433, full-width digits, [::FFFF:127.0.0.1].
  const parsed = URL.parse(text);
  if (!parsed) return { ok: false, reason: 'is not a valid URL' };
  const url = takeApart(parsed);
  const refused = refusalOfTarget(parsed, url, policy);
  return refused ? { ok: false, reason: refused } : { ok: true, url };
}

/** `localhost` and everything below it is this machine, whatever a resolver says (RFC 6761, section 6.3). */
export function isLocalhostName(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost');
}

/** The addresses of `localhost` that the rules permit; IPv4 first, since most development servers listen there only. */
export function localhostAddresses(rules: AddressRules): string[] {
  return ['127.0.0.1', '::1'].filter((address) => rules.permits(address));
}

/** What the URL standard would silently repair, and readers of a URL disagree about, is refused instead. */
function refusalOfText(text: string): string | null {
  if (text.length > MAX_URL_LENGTH) return `is longer than ${MAX_URL_LENGTH} characters`;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code <= 0x20 || code === 0x7f || code === 0x5c) return 'contains a space, a control character or a backslash';
  }
  // It would be sent, and kept, as another character.
  if (!text.isWellFormed()) return 'contains half of a character';
  if (!/^https?:\/\/[^/]/i.test(text)) return 'does not start with http:// or https://';
  if (/^https?:\/\/[^/?#]*@/i.test(text)) return 'contains a user name or password';
  if (text.includes('#')) return 'contains a fragment';
  return null;
}

function refusalOfTarget(parsed: URL, url: TargetUrl, policy: OutboundPolicy): string | null {
  if (policy.requireHttps && !url.secure) return 'is not https';
  if (parsed.href.length > MAX_URL_LENGTH) return `is longer than ${MAX_URL_LENGTH} characters`;
  if (url.port === 0) return 'has port 0';
  const rules = addressRulesOf(policy.allowedTargets);
  if (isIP(url.hostname) !== 0) return rules.permits(url.hostname) ? null : 'points to an address that is not public';
  if (url.hostname.length > 253 || !url.hostname.split('.').every((label) => LABEL.test(label))) {
    return 'has a host that is not a valid name';
  }
  if (isLocalhostName(url.hostname) && localhostAddresses(rules).length === 0) {
    return 'points to an address that is not public';
  }
  return null;
}

function takeApart(parsed: URL): TargetUrl {
  const secure = parsed.protocol === 'https:';
  // One trailing dot is the same name for DNS, but not for TLS certificates nor for a list of names.
  const host = parsed.hostname.replace(/\.$/, '');
  const port = parsed.port === '' ? (secure ? 443 : 80) : Number(parsed.port);
  const origin = `${parsed.protocol}//${host}${parsed.port === '' ? '' : `:${parsed.port}`}`;
  const path = parsed.pathname + parsed.search;
  return { href: origin + path, origin, secure, hostname: host.replace(/^\[|\]$/g, ''), port, path };
}
