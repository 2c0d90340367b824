import { PlainMessages, plainFields } from '../../lib/plain-messages.ts';

/** What it asks for. */
export interface PostHead {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes of the body. */
  readonly length: number;
}

const REQUEST_LINE = /^POST (\/[\x21-\x7e]*) HTTP\/1\.1$/;
/** Fields that say where a request ends, or what happens to the connection behind it: only `content-length` is plain. */
const UNPLAIN = ['transfer-encoding', 'upgrade', 'trailer', 'te', 'expect', 'proxy-connection', 'keep-alive'] as const;

/**
 * Reads POSTs with nothing about them that two readers could understand differently: HTTP/1.1, one `Host`, lines that end in CR LF, fields of ASCII, each once, a
 * `Content-Length` of digits, no other framing, a connection that is kept.
 */
export const plainPosts = (): PlainMessages<PostHead> => new PlainMessages(headOf);

function headOf(first: string, lines: readonly string[]): PostHead | null {
  const url = REQUEST_LINE.exec(first)?.[1];
  const headers = url === undefined ? null : plainFields(lines);
  if (url === undefined || headers === null || UNPLAIN.some((name) => headers[name] !== undefined)) return null;
  const { host, connection = 'keep-alive', 'content-length': length } = headers;
  if (!host || connection.toLowerCase() !== 'keep-alive' || !length || !/^\d{1,8}$/.test(length)) return null;
  return { url, headers, length: Number(length) };
}
