import { randomFillSync } from 'node:crypto';

const pool = Buffer.allocUnsafe(16 * 256);
let offset = pool.length;

const HEX = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'));

function written(ms: number, counter: number, at: number): string {
  const hi = Math.floor(ms / 0x1_0000_0000);
  const lo = ms >>> 0;
  const h = (i: number): string => HEX[pool[at + i] as number] as string;
  const b = (n: number): string => HEX[n & 0xff] as string;
  return (
    b(hi >>> 8) +
    b(hi) +
    b(lo >>> 24) +
    b(lo >>> 16) +
    '-' +
    b(lo >>> 8) +
    b(lo) +
    '-' +
    b(0x70 | (counter >>> 8)) +
    b(counter) +
    '-' +
    b(0x80 | ((pool[at + 8] as number) & 0x3f)) +
    h(9) +
    '-' +
    h(10) +
    h(11) +
    h(12) +
    h(13) +
    h(14) +
    h(15)
  );
}

/**
 * Makes UUIDs of version 7 (RFC 9562 §5.7): 48 bits of milliseconds, then a 12-bit counter that makes ids of one millisecond
 * ascend (§6.2, method 1), then 62 random bits. Ids sort by creation time, which keeps index inserts at the right edge of
 * the tree. Those of one maker ascend, also when its clock goes back.
 */
export function uuidv7Maker(): (nowMs: number) => string {
  let lastMs = 0;
  let counter = 0;
  return (nowMs) => {
    if (offset === pool.length) {
      randomFillSync(pool);
      offset = 0;
    }
    const at = offset;
    offset += 16;
    if (nowMs > lastMs) {
      lastMs = nowMs;
      counter = ((pool[at] as number) << 2) & 0x3ff;
    } else if (++counter > 0xfff) {
      lastMs++;
      counter = 0;
    }
    return written(lastMs, counter, at);
  };
}

/** A UUID of version 7 by the maker of this process. */
export const uuidv7 = uuidv7Maker();

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const isUuid = (value: string): boolean => UUID.test(value);

/** What somebody else wrote as an id: a UUID, which may be ours, in lower case as we write it; any other text is what it is. */
export const asWeWrite = (id: string): string => (isUuid(id) ? id.toLowerCase() : id);

/** Each way in which systems write an id: a UUID as it is given, in lower case and in capitals; any other text as it is. */
export const spellingsOf = (id: string): string[] =>
  isUuid(id) ? [...new Set([id, id.toLowerCase(), id.toUpperCase()])] : [id];

/** The least id of this millisecond (of 1970, of earlier ones): ids that were made at that time or later are not below. */
export function leastUuidv7(ms: number): string {
  const hex = Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** When a UUID of version 7 was made. Milliseconds since the epoch. */
export const timeOfUuidv7 = (id: string): number => Number.parseInt(id.slice(0, 13).replace('-', ''), 16);
