import { type RawBuilder, sql } from 'kysely';
import { times, tokens } from './array-literal.ts';

/** Types of PostgreSQL that a column may have, with their OID in the catalogue. */
const OIDS = { uuid: 2950, int8: 20, int2: 21, int4: 23, timestamptz: 1184, text: 25, json: 114 } as const;

export type ColumnType = keyof typeof OIDS;
/** What stands for a value here: of a timestamp, milliseconds since the epoch. */
type ValueOf<T extends ColumnType> = T extends 'uuid' | 'text' | 'json' ? string : number;

/** Bytes before the first value: dimensions, whether there are nulls, type, length, lower bound. */
const HEAD_BYTES = 20;
/** Bytes of a value, of those that all have the same. */
const WIDTHS: Partial<Record<ColumnType, number>> = { uuid: 16, int8: 8, int2: 2, int4: 4, timestamptz: 8 };
/** PostgreSQL counts from the year 2000. Milliseconds since the epoch. */
const POSTGRES_EPOCH = Date.UTC(2000);

/** By character code, the value of a hexadecimal digit; 0xff: it is none. */
const DIGITS = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? 0xff : value;
});

function writeUuid(to: Buffer, at: number, value: string): number {
  let wrong = value.length === 36 ? 0 : 0xff;
  let n = at;
  for (let i = 0; i < 36; i += 2) {
    if (i === 8 || i === 13 || i === 18 || i === 23) {
      wrong |= value.charCodeAt(i) ^ 45;
      i++;
    }
    const high = DIGITS[value.charCodeAt(i)] ?? 0xff;
    const low = DIGITS[value.charCodeAt(i + 1)] ?? 0xff;
    wrong |= (high | low) & 0xf0;
    to[n++] = (high << 4) | low;
  }
  if (wrong !== 0) throw new TypeError(`not a UUID: ${JSON.stringify(value)}`);
  return n;
}

const WORD = 0x1_0000_0000;

/** A whole number, or a thousand times it, as eight bytes with the high ones first. Microseconds of later centuries are no safe integers. */
function writeInt8(to: Buffer, at: number, value: number, factor: 1 | 1000 = 1): number {
  if (!Number.isSafeInteger(value)) throw new RangeError(`not a whole number: ${value}`);
  const high = Math.floor(value / WORD);
  const low = (value - high * WORD) * factor;
  to.writeInt32BE(high * factor + Math.floor(low / WORD), at);
  return to.writeUInt32BE(low % WORD, at + 4);
}

/** What the buffer would otherwise write as another number. */
function whole(value: number): number {
  if (!Number.isInteger(value)) throw new RangeError(`not a whole number: ${value}`);
  return value;
}

const WRITERS: { [T in ColumnType]: (to: Buffer, at: number, value: ValueOf<T>) => number } = {
  uuid: writeUuid,
  int8: (to, at, value) => writeInt8(to, at, value),
  int2: (to, at, value) => to.writeInt16BE(whole(value), at),
  int4: (to, at, value) => to.writeInt32BE(whole(value), at),
  timestamptz: (to, at, value) => writeInt8(to, at, Math.trunc(value) - POSTGRES_EPOCH, 1000),
  text: (to, at, value) => at + to.write(value, at),
  json: (to, at, value) => at + to.write(value, at),
};

const escaped = (value: string | null): string =>
  value === null ? 'NULL' : `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;

/**
 * The values of one column of a bulk statement, as one parameter. node-postgres sends it in PostgreSQL's own form, which the
 * server copies where it would have to read text: a row of fourteen columns costs it a third less (measured).
 */
export class Column<T extends ColumnType = ColumnType> {
  readonly #type: T;
  readonly #values: readonly (ValueOf<T> | null)[];

  constructor(type: T, values: readonly (ValueOf<T> | null)[]) {
    this.#type = type;
    this.#values = values;
  }

  /** As PostgreSQL's `array_recv` reads it. Throws for what is no value of the type, before anything is sent (pool.ts). */
  toPostgres(): Buffer {
    const type = this.#type;
    const values = this.#values;
    const width = WIDTHS[type];
    let bytes = HEAD_BYTES + 4 * values.length;
    let hasNull = false;
    for (const value of values) {
      if (value === null) hasNull = true;
      else bytes += width ?? Buffer.byteLength(value as string);
    }
    const to = Buffer.allocUnsafe(bytes);
    to.writeInt32BE(1, 0);
    to.writeInt32BE(hasNull ? 1 : 0, 4);
    to.writeInt32BE(OIDS[type], 8);
    to.writeInt32BE(values.length, 12);
    to.writeInt32BE(1, 16);
    const write = WRITERS[type] as (to: Buffer, at: number, value: ValueOf<T>) => number;
    let at = HEAD_BYTES;
    for (const value of values) {
      const end = value === null ? at + 4 : write(to, at + 4, value);
      to.writeInt32BE(value === null ? -1 : end - at - 4, at);
      at = end;
    }
    return to;
  }

  /** As the server reads it from text, for PGlite. */
  toLiteral(): string {
    const values = this.#values as readonly (string & number)[];
    if (this.#type === 'timestamptz') return times(values);
    return WIDTHS[this.#type] === undefined || this.#type === 'uuid'
      ? `{${values.map(escaped).join(',')}}`
      : tokens(values);
  }
}

/** How a column is made of rows: its type, and the value of each. */
type Made<R> = { [T in ColumnType]: readonly [type: T, of: (row: R) => ValueOf<T> | null] }[ColumnType];

/**
 * Rows as columns by name, for a bulk statement: `select ${columns(people, { id: ['uuid', (p) => p.id] })}`. In the list of a
 * select they go side by side, row by row, and a shorter one ends in NULLs; as functions of a FROM each would be put down as a whole
 * first, which costs half as much again (measured). The statement fails for a value that is none of its type.
 */
export const columns = <R>(rows: readonly R[], made: Readonly<Record<string, Made<R>>>): RawBuilder<unknown> =>
  sql.join(
    Object.entries(made).map(([name, [type, of]]) => {
      const values: (ValueOf<ColumnType> | null)[] = rows.map((row) => of(row));
      return sql`unnest(${new Column(type, values)}::${sql.raw(type)}[]) as ${sql.raw(name)}`;
    }),
  );
