import { plainFields } from '../../lib/plain-fields.ts';
import { keptHeaders } from './response.ts';

/** The head of a response: status line and header fields. */
interface Head {
  readonly status: number;
  /** As `keptHeaders` gives them; not to be changed. */
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes of the body. */
  readonly length: number;
  /** The receiver closes the connection afterwards. */
  readonly closes: boolean;
  /** Seconds for which the receiver keeps an unused connection, where it says so (`Keep-Alive: timeout=5`). */
  readonly keepsFor: number | undefined;
}

export interface PlainReply {
  readonly head: Head;
  readonly body: Buffer;
}

const END = Buffer.from('\r\n\r\n');
const STATUS_LINE = /^HTTP\/1\.1 ([2-5]\d\d)(?: [\t\x20-\x7e]*)?$/;
/** A head of more bytes is left to undici, which refuses it from 16 KiB on. */
const HEAD_MAX = 8 * 1024;
/** Fields that say where a response ends, or that the connection becomes another: only `content-length` is plain. */
const UNPLAIN = ['transfer-encoding', 'upgrade', 'trailer', 'proxy-connection'] as const;

/** Reads the replies of one connection: a head that is the same as the last one is not taken apart again. */
export class PlainReplies {
  #text = '';
  #head: Head | null = null;

  /**
   * A response that is all there, by itself, with nothing about it that two readers could understand differently: HTTP/1.1, a final
   * status, lines that end in CR LF, fields of ASCII, one `Content-Length` (or 204 and none). Null: anything else, however valid, and parts.
   */
  read(chunk: Buffer): PlainReply | null {
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
  const status = Number(STATUS_LINE.exec(first)?.[1] ?? 0);
  // 205 and 304 have no body whatever their length says, and parsers do not agree on 205.
  if (status === 0 || status === 205 || status === 304) return null;
  // Repeated fields are put together by the other way.
  const fields = plainFields(lines);
  if (fields === null || UNPLAIN.some((name) => fields[name] !== undefined)) return null;
  const length = fields['content-length'];
  const connection = fields.connection?.toLowerCase() ?? '';
  if (status === 204 ? length !== undefined : length === undefined || !/^\d{1,8}$/.test(length)) return null;
  if (connection !== '' && connection !== 'keep-alive' && connection !== 'close') return null;
  const timeout = /(?:^|,)[\t ]*timeout=(\d{1,8})/i.exec(fields['keep-alive'] ?? '')?.[1];
  return {
    status,
    headers: keptHeaders(fields),
    length: Number(length ?? 0),
    closes: connection === 'close',
    keepsFor: timeout === undefined ? undefined : Number(timeout),
  };
}
