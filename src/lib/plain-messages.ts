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
/** One with more fields is, too: Node's parser refuses a thousand of them, however short, and they would be kept until another head comes. */
const FIELDS_MAX = 100;

/** What a head says, with how many bytes of body follow it. */
interface AnyHead {
  readonly length: number;
}

/** A message with its body. */
export interface PlainMessage<Head extends AnyHead> {
  readonly head: Head;
  readonly body: Buffer;
}

/** What the first line of a head and its fields say; null where that is not plain. */
type HeadOf<Head> = (first: string, fields: Readonly<Record<string, string>>) => Head | null;

/** Reads messages, of one connection or of several that mostly say the same: a head that is the same as the last one, or its fields alone, are not taken apart again. */
export class PlainMessages<Head extends AnyHead> {
  readonly #headOf: HeadOf<Head>;
  #text = '';
  #head: Head | null = null;
  /** The lines behind the first one of the last head. */
  #lines = '';
  #fields: Readonly<Record<string, string>> | null = {};

  constructor(headOf: HeadOf<Head>) {
    this.#headOf = headOf;
  }

  /** A plain message that is all there, by itself. Null: anything else, however valid, and parts. */
  read(chunk: Buffer): PlainMessage<Head> | null {
    const end = chunk.indexOf(END);
    if (end === -1 || end > HEAD_MAX) return null;
    const text = chunk.toString('latin1', 0, end);
    if (text !== this.#text) this.#take(text);
    const head = this.#head;
    if (head === null || chunk.length !== end + END.length + head.length) return null;
    return { head, body: chunk.subarray(end + END.length) };
  }

  #take(text: string): void {
    const cut = text.indexOf('\r\n');
    const lines = cut === -1 ? '' : text.slice(cut + 2);
    if (lines !== this.#lines) this.#fields = fieldsOf(lines);
    this.#lines = lines;
    this.#text = text;
    this.#head = this.#fields && this.#headOf(cut === -1 ? text : text.slice(0, cut), this.#fields);
  }
}

function fieldsOf(text: string): Record<string, string> | null {
  if (text === '') return {};
  const lines = text.split('\r\n', FIELDS_MAX + 1);
  return lines.length > FIELDS_MAX ? null : plainFields(lines);
}
