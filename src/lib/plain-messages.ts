/** Blanks behind a value are looked for only where there is one: else those of a field with nothing but blanks could be parted in as many ways as there are. */
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*(?:([\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)[\t ]*)?$/;

/**
 * Header fields (RFC 9112 §5) that every reader understands alike: a token, a colon, a value of visible ASCII, and no name
 * twice; without the blanks around values, by their names in lower case. Null: there are others. `lines`: without their ends.
 */
export function plainFields(lines: readonly string[]): Record<string, string> | null {
  const fields: Record<string, string> = {};
  for (const line of lines) {
    const [, written, value = ''] = FIELD.exec(line) ?? [];
    if (written === undefined) return null;
    const name = written.toLowerCase();
    // `__proto__` would set the prototype instead of a field.
    if (name === '__proto__' || Object.hasOwn(fields, name)) return null;
    fields[name] = value;
  }
  return fields;
}

const END = Buffer.from('\r\n\r\n');
/** A longer head is left to others. Bytes. */
const HEAD_MAX = 8 * 1024;

/** What a head says, with how many bytes of body follow it. */
interface AnyHead {
  readonly length: number;
}

/** A message with its body. */
export interface PlainMessage<Head extends AnyHead> {
  readonly head: Head;
  readonly body: Buffer;
}

/** Reads the messages of one connection: a head that is the same as the last one is not taken apart again. */
export class PlainMessages<Head extends AnyHead> {
  readonly #headOf: (first: string, lines: readonly string[]) => Head | null;
  #text = '';
  #head: Head | null = null;

  /** `headOf`: what the first line and the other lines of a head say; null where it is not plain. */
  constructor(headOf: (first: string, lines: readonly string[]) => Head | null) {
    this.#headOf = headOf;
  }

  /** A plain message that is all there, by itself. Null: anything else, however valid, and parts. */
  read(chunk: Buffer): PlainMessage<Head> | null {
    const end = chunk.indexOf(END);
    if (end === -1 || end > HEAD_MAX) return null;
    const text = chunk.toString('latin1', 0, end);
    if (text !== this.#text) {
      const [first = '', ...lines] = text.split('\r\n');
      this.#text = text;
      this.#head = this.#headOf(first, lines);
    }
    const head = this.#head;
    if (head === null || chunk.length !== end + END.length + head.length) return null;
    return { head, body: chunk.subarray(end + END.length) };
  }
}
