import type { TargetUrl } from './target-url.ts';
import type { OutboundRequest } from './types.ts';
import { isReserved } from './request-headers.ts';

/** A token (RFC 9110, section 5.6.2). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Anything but visible ASCII, spaces and tabs: what might end a line, and what peers read differently. */
const UNPLAIN = /[^\t\x20-\x7e]/;

/** Names that were found to be good: those of the service, and of the headers that endpoints ask for. */
const known = new Set<string>();
const KNOWN_MAX = 1000;

function isPlainName(name: string): boolean {
  if (known.has(name)) return true;
  if (!TOKEN.test(name) || isReserved(name)) return false;
  if (known.size < KNOWN_MAX) known.add(name);
  return true;
}

/** Header fields as they are written; null: some are not plain. */
function fieldsOf(headers: readonly string[]): string | null {
  if (headers.length % 2 !== 0) return null;
  const fields: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] as string;
    const value = headers[i + 1] as string;
    if (!isPlainName(name) || UNPLAIN.test(value)) return null;
    fields.push(name, ': ', value, '\r\n');
  }
  // In one piece: a text that is added up is taken apart again each time it is written.
  return fields.join('');
}

let commonList: readonly string[] = [];
let commonFields: string | null = '';
/** Of one list many requests are made one after the other. */
function commonFieldsOf(common: readonly string[]): string | null {
  if (common !== commonList) {
    commonFields = fieldsOf(common);
    commonList = common;
  }
  return commonFields;
}

const NONE: readonly string[] = [];

/** A request as it is written. */
export interface WrittenRequest {
  text: string;
  encoding: 'latin1' | 'utf8';
}

/**
 * The request as one text, byte for byte as undici writes it (RFC 9112, section 3). Null: it is none that is as simple as all of our own
 * (a POST of a text, header fields of ASCII that have nothing to do with the connection), and undici is to judge it.
 */
export function plainRequest({ url, method, common = NONE, headers, body }: OutboundRequest): WrittenRequest | null {
  if (method === 'GET' || typeof body !== 'string') return null;
  const shared = commonFieldsOf(common);
  const fields = fieldsOf(headers);
  if (shared === null || fields === null) return null;
  const length = Buffer.byteLength(body);
  // Written as it is in memory where that is the same.
  const encoding = length === body.length ? 'latin1' : 'utf8';
  return { text: `${headOf(url)}${shared}${fields}content-length: ${length}\r\n\r\n${body}`, encoding };
}

const heads = new WeakMap<TargetUrl, string>();

/** What is the same in each request to a URL. */
function headOf(url: TargetUrl): string {
  let head = heads.get(url);
  if (head === undefined) {
    const host = url.origin.slice(url.origin.indexOf('//') + 2);
    heads.set(url, (head = `POST ${url.path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`));
  }
  return head;
}
