import { familyOf, parseCidr } from '../../lib/cidr.ts';
import type { Setting } from './settings.ts';

/** The value of one setting, or what is wrong with what was written: words that follow the setting's name. */
export type ParsedValue = { value: unknown } | { fault: string };

const TRUE = new Set(['1', 'true', 'yes', 'on']);
const FALSE = new Set(['0', 'false', 'no', 'off']);

const LISTS: ReadonlySet<Setting['kind']> = new Set(['cidrs', 'servers', 'origins']);

const listOf = (raw: string): string[] =>
  raw
    .split(',')
    .map((s) => s.trim())
    .filter((s) => s !== '');

/** The first entry that is no CIDR, or whose prefix is too short; undefined when there is none. */
const wrongCidr = (entries: readonly string[], shortest: number): string | undefined =>
  entries.find((entry) => (parseCidr(entry)?.bits ?? -1) < shortest);

/** `192.0.2.1`, `192.0.2.1:53`, `2001:db8::1`, `[2001:db8::1]:53`. */
function isServer(entry: string): boolean {
  if (familyOf(entry) !== 0) return true;
  const [, bracketed = '', plain = '', port = '0'] = /^(?:\[(.+)\]|([^:]+)):(\d{1,5})$/.exec(entry) ?? [];
  return (familyOf(bracketed) === 6 || familyOf(plain) === 4) && Number(port) >= 1 && Number(port) <= 65_535;
}

/** Whether it is a URL with one of the schemes of the setting, and `//` behind: `redis:6379` is one without. */
function isUrl({ schemes = [] }: Setting, raw: string): boolean {
  const scheme = /^([a-z]+):\/\//i.exec(raw)?.[1]?.toLowerCase();
  // No server takes a fragment: a # is one of a password, behind which host and database would be lost.
  return scheme !== undefined && schemes.includes(scheme) && URL.canParse(raw) && new URL(raw).hash === '';
}

/** `https://shop.example:8443`, as browsers write it in `Origin` (RFC 6454 §6.1). */
const isOrigin = (entry: string): boolean =>
  entry === '*' || (/^https?:\/\//.test(entry) && URL.canParse(entry) && new URL(entry).origin === entry);

/** What is wrong with `postgres://user:pass/word@host`, where the password is not to be told. */
const encodingHint = ({ secret }: Setting, raw: string): string =>
  secret && raw.includes('@')
    ? ', with a password that is percent-encoded (%2F stands for /, %3F for ?, %23 for #)'
    : '';

const expectedUrl = ({ schemes = [], example }: Setting, besides = '', behind = ''): string =>
  `a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}${besides}, such as ${example}${behind}`;

/** Paths are appended to it, and it is shown to everybody: so nothing may follow the path, and no password stand in it. */
const isWebUrl = (raw: string): boolean => /^https?:\/\/[^/?#@\\\s][^?#@\\\s]*$/i.test(raw) && URL.canParse(raw);

function isLanguage(raw: string): boolean {
  try {
    return Intl.getCanonicalLocales(raw).length === 1;
  } catch {
    return false;
  }
}

function expectedInteger({ min, max }: Setting, raw: string, besides = ''): string | null {
  const [least, most] = [min ?? Number.MIN_SAFE_INTEGER, max ?? Number.MAX_SAFE_INTEGER];
  const n = /^-?\d+$/.test(raw) ? Number(raw) : Number.NaN;
  return n >= least && n <= most ? null : `${besides}a whole number from ${least} to ${most}`;
}

function expected(setting: Setting, raw: string): string | null {
  switch (setting.kind) {
    case 'count':
      return raw === 'auto' ? null : expectedInteger(setting, raw, 'auto or ');
    case 'integer':
      return expectedInteger(setting, raw);
    case 'boolean':
      return TRUE.has(raw.toLowerCase()) || FALSE.has(raw.toLowerCase()) ? null : 'true or false';
    case 'cidrs': {
      const { min = 0 } = setting;
      const prefix = min === 0 ? '' : ` with a prefix of at least /${min}`;
      return wrongCidr(listOf(raw), min) === undefined ? null : `a list of CIDRs or IP addresses${prefix}`;
    }
    case 'servers':
      return listOf(raw).every(isServer) ? null : 'a list of IP addresses, each with a port or without';
    case 'origins':
      return listOf(raw).every(isOrigin)
        ? null
        : 'a list of origins, such as https://shop.example without a path, or *';
    case 'url':
      return isUrl(setting, raw) ? null : expectedUrl(setting, '', encodingHint(setting, raw));
    case 'urls':
      return listOf(raw).every((url) => isUrl(setting, url))
        ? null
        : expectedUrl(setting, ', or several with commas between');
    case 'web-url':
      return isWebUrl(raw) ? null : 'an http or https URL without user name, query or fragment';
    case 'colour':
      return /^#[0-9a-f]{6}$/i.test(raw) ? null : 'a colour as #rrggbb';
    case 'language':
      return isLanguage(raw) ? null : 'a language tag as en or de-AT';
    case 'string':
      return setting.oneOf === undefined || setting.oneOf.includes(raw) ? null : `one of ${setting.oneOf.join(', ')}`;
  }
}

/** What of the written may be told: of a list the wrong entry, never a secret nor a password in a URL. */
function told(setting: Setting, raw: string): string {
  if (setting.secret || (setting.kind.endsWith('url') && raw.includes('@'))) return 'what it is';
  if (setting.kind === 'servers') return JSON.stringify(listOf(raw).find((entry) => !isServer(entry)));
  if (setting.kind === 'origins') return JSON.stringify(listOf(raw).find((entry) => !isOrigin(entry)));
  return JSON.stringify(setting.kind === 'cidrs' ? wrongCidr(listOf(raw), setting.min ?? 0) : raw);
}

function valueOf(setting: Setting, raw: string): unknown {
  if (setting.kind === 'integer' || (setting.kind === 'count' && raw !== 'auto')) return Number(raw);
  if (setting.kind === 'boolean') return TRUE.has(raw.toLowerCase());
  return LISTS.has(setting.kind) ? listOf(raw) : raw;
}

/** Reads what the environment says for one setting. */
export function parseValue(setting: Setting, raw: string): ParsedValue {
  const wanted = expected(setting, raw);
  return wanted === null ? { value: valueOf(setting, raw) } : { fault: `must be ${wanted}, not ${told(setting, raw)}` };
}
