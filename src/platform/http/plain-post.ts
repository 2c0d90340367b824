import { plainFields } from '../../lib/plain-fields.ts';

interface Head {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes of the body. */
  readonly length: number;
}

export interface PlainPost {
  readonly head: Head;
  readonly body: Buffer;
}

const END = Buffer.from('\r\n\r\n');
const REQUEST_LINE = /^POST (\/[\x21-\x7e]*) HTTP\/1\.1$/;
/** A longer head is left to Node's parser, which refuses it from 16 KiB on. Bytes. */
const HEAD_MAX = 8 * 1024;
/** Fields that say where a request ends, or what happens to the connection behind it: only `content-length` is plain. */
const UNPLAIN = ['transfer-encoding', 'upgrade', 'trailer', 'te', 'expect', 'proxy-connection', 'keep-alive'] as const;

/** Reads the requests of one connection: a head that is the same as the last one is not taken apart again. */
export class PlainPosts {
  #text = '';
  #head: Head | null = null;

  /**
   * A POST that is all there, by itself, with nothing about it that two readers could understand differently: HTTP/1.1, one `Host`, lines that end in CR LF,
   * fields of ASCII, each once, a `Content-Length` of digits, no other framing, a connection that is kept. Null: anything else, however valid, and parts.
   */
  read(chunk: Buffer): PlainPost | null {
    const end = chunk.indexOf(END);
    if (end === -1 || end > HEAD_MAX) return null;
    const text = chunk.toString('latin1', 0, end);
    if (text !== this.#text) {
      this.#text = text;
      this.#head = headOf(text);
    }
    const head = this.#head;
    if (head === null || chunk.length !== end + END.length + head.length) return null;
    return { head, body: chunk.subarray(end + END.length) };
  }
}

function headOf(text: string): Head | null {
  const [first = '', ...lines] = text.split('\r\n');
  const url = REQUEST_LINE.exec(first)?.[1];
  const headers = url === undefined ? null : plainFields(lines);
  if (url === undefined || headers === null || UNPLAIN.some((name) => headers[name] !== undefined)) return null;
  const { host, connection = 'keep-alive', 'content-length': length } = headers;
  if (!host || connection.toLowerCase() !== 'keep-alive' || !length || !/^\d{1,8}$/.test(length)) return null;
  return { url, headers, length: Number(length) };
}
