import type { StoredRow } from './store.ts';

/**
 * The bytes of an event under a seal, by the seal's form. 1: a line with a JSON array of all columns as text, times in microseconds
 * since 1970. 2: what `record_send` of PostgreSQL makes of a row of the same columns. Neither ever changes: a column that is added to
 * `events` needs a form of its own.
 */
export const FORMS: Readonly<Record<number, (row: StoredRow) => string | Buffer>> = { 1: textOf, 2: recordOf };

/** A line of JSON. */
export const lineOf = (values: unknown): string => `${JSON.stringify(values)}\n`;

function textOf(row: StoredRow): string {
  const { position, id, event, data, accounts, subject, trade, occurred, recorded, request, cause } = row;
  return lineOf([position, id, event, data, accounts, subject, trade, occurred, recorded, request, cause]);
}

/** Object ids of types, which PostgreSQL never changes (its pg_type.dat). */
const OID = { int8: 20, text: 25, json: 114, timestamptz: 1184, uuid: 2950, uuids: 2951 } as const;

/** The number of fields, then of each the type, the length and the bytes (record_send in rowtypes.c). */
function recordOf(row: StoredRow): Buffer {
  const fields = [
    field(OID.int8, int64, BigInt(row.position)),
    field(OID.uuid, uuid, row.id),
    field(OID.text, text, row.event),
    field(OID.json, text, row.data),
    field(OID.uuids, (accounts) => uuids(accounts, row.bounds), row.accounts),
    field(OID.text, text, row.subject),
    field(OID.text, text, row.trade),
    field(OID.timestamptz, time, row.occurred),
    field(OID.timestamptz, time, row.recorded),
    field(OID.text, text, row.request),
    field(OID.uuid, uuid, row.cause),
  ];
  return Buffer.concat([int32(fields.length), ...fields.flat()]);
}

/** Null in whichever column: who changes events can also let columns have nulls. */
const field = <T>(type: number, bytesOf: (value: T) => Buffer, value: T | null): Buffer[] =>
  sized(value === null ? null : bytesOf(value), type);

/** Bytes behind their length, which is -1 for null, and that behind what is given. */
const sized = (value: Buffer | null, ...before: number[]): Buffer[] =>
  value === null ? [int32(...before, -1)] : [int32(...before, value.length), value];

/** Numbers are big endian (pqformat.h). */
function int32(...values: number[]): Buffer {
  const bytes = Buffer.allocUnsafe(4 * values.length);
  for (let i = 0; i < values.length; i++) bytes.writeInt32BE(values[i] as number, 4 * i);
  return bytes;
}
function int64(value: bigint): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}

/** Text is sent in the encoding of the client, which is UTF-8: node-postgres asks for it whenever it connects, and PGlite begins with it. */
const text = (value: string): Buffer => Buffer.from(value);
const uuid = (value: string): Buffer => Buffer.from(value.replaceAll('-', ''), 'hex');

/** 2000-01-01, from which PostgreSQL counts, in microseconds since 1970 (timestamp.h). */
const POSTGRES_EPOCH = 946_684_800_000_000n;
const time = (sinceEpoch: string): Buffer => int64(BigInt(sinceEpoch) - POSTGRES_EPOCH);

/**
 * The number of dimensions, whether there are nulls, the type; of each dimension its length and lower bound, of each element length and bytes
 * (array_send in arrayfuncs.c). An empty array has no dimension. The service writes one dimension from 1, others somebody else may have.
 */
function uuids(value: string, bounds: string | null): Buffer {
  const dimensions = [...(bounds ?? '').matchAll(/\[(-?\d+):(-?\d+)\]/g)].map(([, low, high]) =>
    int32(Number(high) - Number(low) + 1, Number(low)),
  );
  const elements = (value.match(/[\da-f-]{36}|NULL/g) ?? []).map((one) => (one === 'NULL' ? null : uuid(one)));
  return Buffer.concat([
    int32(dimensions.length, elements.includes(null) ? 1 : 0, OID.uuid),
    ...dimensions,
    ...elements.flatMap((one) => sized(one)),
  ]);
}
