import { type PlainMessage, PlainMessages } from '../../lib/plain-messages.ts';
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

export type PlainReply = PlainMessage<Head>;
export type PlainReplies = PlainMessages<Head>;

const STATUS_LINE = /^HTTP\/1\.1 ([2-5]\d\d)(?: [\t\x20-\x7e]*)?$/;
/** Fields that say where a response ends, or that the connection becomes another: only `content-length` is plain. */
const UNPLAIN = ['transfer-encoding', 'upgrade', 'trailer', 'proxy-connection'] as const;

/**
 * Reads responses with nothing about them that two readers could understand differently: HTTP/1.1, a final status, lines that end in CR LF, fields of ASCII, each once, one
 * `Content-Length` (or 204 and none).
 */
export const plainReplies = (): PlainReplies => new PlainMessages(headOf);

function headOf(first: string, fields: Readonly<Record<string, string>>): Head | null {
  const status = Number(STATUS_LINE.exec(first)?.[1] ?? 0);
  // 205 and 304 have no body whatever their length says, and parsers do not agree on 205.
  if (status === 0 || status === 205 || status === 304) return null;
  if (UNPLAIN.some((name) => fields[name] !== undefined)) return null;
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
