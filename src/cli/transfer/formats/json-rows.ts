import { Readable } from 'node:stream';
import { parser, type Token } from 'stream-json/parser.js';
import { UnreadableFile } from './fit.ts';
import { utf8 } from './utf8.ts';

/** A row larger than this is not kept. Characters of its values, and one for each value. */
const MAX_ROW = 16_000_000;

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
export type Row = Readonly<Record<string, Json | undefined>>;

export interface TableRow {
  table: string;
  /** Null: it was larger than is kept. */
  row: Row | null;
}

type Frame = { kind: 'object' | 'array'; key: string; value: Json[] | { [name: string]: Json } | null };

/** Builds the values that lie below wanted places, and forgets all others while they go by. */
class RowBuilder {
  readonly #wanted: ReadonlySet<string>;
  readonly #frames: Frame[] = [];
  #text = '';
  #inKey = false;
  /** Frames above the row under construction; 0: there is none. */
  #rowDepth = 0;
  #size = 0;

  constructor(wanted: ReadonlySet<string>) {
    this.#wanted = wanted;
  }

  /** Takes a token and gives the row that it ended, or undefined. */
  take({ name, value }: { name: string; value?: unknown }): TableRow | undefined {
    switch (name) {
      case 'startObject':
        return this.#open('object');
      case 'startArray':
        return this.#open('array');
      case 'endObject':
      case 'endArray':
        return this.#close();
      case 'startKey':
        this.#inKey = true;
        this.#text = '';
        return undefined;
      case 'endKey': {
        this.#inKey = false;
        const frame = this.#frames.at(-1);
        if (frame) frame.key = this.#text;
        return undefined;
      }
      case 'startString':
      case 'startNumber':
        this.#text = '';
        return undefined;
      case 'stringChunk':
      case 'numberChunk':
        return this.#append(value as string);
      case 'endString':
        return this.#add(this.#text);
      case 'endNumber':
        return this.#add(Number(this.#text));
      default:
        return this.#add(value as boolean | null);
    }
  }

  /** Which wanted table's array the innermost frame is: `db[].data.<table>` or `data.<table>`. */
  #table(): string | undefined {
    const frames = this.#frames;
    if (frames.length < 3 || frames.length > 5 || frames.at(-1)?.kind !== 'array') return undefined;
    const path = frames.filter((f) => f.kind === 'object').map((f) => f.key);
    const table = path.at(-1) ?? '';
    return ['db.data', 'data'].includes(path.slice(0, -1).join('.')) && this.#wanted.has(table) ? table : undefined;
  }

  #open(kind: Frame['kind']): undefined {
    if (this.#rowDepth === 0 && kind === 'object' && this.#table() !== undefined) {
      this.#rowDepth = this.#frames.length;
      this.#size = 0;
    }
    const inRow = this.#rowDepth > 0 && this.#size <= MAX_ROW;
    const value = inRow ? (kind === 'array' ? [] : (Object.create(null) as { [name: string]: Json })) : null;
    if (value !== null && this.#frames.length > this.#rowDepth) this.#add(value);
    this.#frames.push({ kind, key: '', value });
    return undefined;
  }

  #close(): TableRow | undefined {
    const frame = this.#frames.pop();
    if (this.#rowDepth === 0 || this.#frames.length !== this.#rowDepth) return undefined;
    this.#rowDepth = 0;
    const row = this.#size > MAX_ROW ? null : (frame?.value as Row);
    return { table: this.#table() ?? '', row };
  }

  #append(chunk: string): undefined {
    if (this.#rowDepth > 0) this.#size += chunk.length;
    else if (!this.#inKey) return undefined;
    // Outside of rows only names count, and no table's is long.
    if (this.#rowDepth > 0 ? this.#size <= MAX_ROW : this.#text.length < 1000) this.#text += chunk;
    return undefined;
  }

  #add(value: Json): undefined {
    const parent = this.#frames.at(-1);
    if (!parent || parent.value === null || this.#rowDepth === 0) return undefined;
    if (++this.#size > MAX_ROW) return undefined;
    if (Array.isArray(parent.value)) parent.value.push(value);
    else parent.value[parent.key] = value;
    return undefined;
  }
}

/**
 * The rows of the wanted tables of a JSON document of Ghost's form, one at a time, in order of the document: memory
 * holds one row. Throws UnreadableFile for what is no JSON, also when it ends early.
 */
export async function* jsonRows(
  chunks: AsyncIterable<Uint8Array>,
  wanted: ReadonlySet<string>,
): AsyncGenerator<TableRow> {
  const builder = new RowBuilder(wanted);
  const tokens = Readable.from(utf8(chunks)).compose(parser.asStream({ packValues: false })) as AsyncIterable<Token>;
  try {
    for await (const token of tokens) {
      const row = builder.take(token);
      if (row) yield row;
    }
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('Parser ')) {
      throw new UnreadableFile(`not JSON, or not all of it: ${error.message.replace('Parser ', 'the parser ')}`);
    }
    throw error;
  }
}
