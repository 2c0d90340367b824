import { type PlainMessage, PlainMessages } from '../../lib/plain-messages.ts';

/** What it asks for. */
export interface RequestHead {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes of the body; 0 for a GET. */
  readonly length: number;
}

export type PlainRequest = PlainMessage<RequestHead>;

const REQUEST_LINE = /^(GET|POST) (\/[\x21-\x7e]*) HTTP\/1\.1$/;
/** Fields that say where a request ends, or what happens to the connection behind it: only the `content-length` of a POST is plain. */
const UNPLAIN = ['transfer-encoding', 'upgrade', 'trailer', 'te', 'expect', 'proxy-connection', 'keep-alive'] as const;

/**
 * Reads GETs and POSTs with nothing about them that two readers could understand differently: HTTP/1.1, one `Host`, lines that end in CR LF, fields of ASCII, each
 * once, a `Content-Length` of digits with a POST and none with a GET, no other framing, a connection that is kept.
 */
export const plainRequests = (): PlainMessages<RequestHead> => new PlainMessages(headOf);

function headOf(first: string, fields: Readonly<Record<string, string>>): RequestHead | null {
  const [, method, url] = REQUEST_LINE.exec(first) ?? [];
  if (url === undefined || UNPLAIN.some((name) => fields[name] !== undefined)) return null;
  const { host, connection = 'keep-alive', 'content-length': length } = fields;
  if (!host || connection.toLowerCase() !== 'keep-alive') return null;
  if (method === 'GET') return length === undefined ? { method, url, headers: fields, length: 0 } : null;
  return length && /^\d{1,8}$/.test(length) ? { method: 'POST', url, headers: fields, length: Number(length) } : null;
}
