import type { ReadItem } from './fit.ts';
import { readExported } from './exported-post.ts';
import { linesOf, MAX_LINE, utf8 } from './utf8.ts';

function readLine(line: string | null, name: string, place: string): ReadItem {
  const failed = (reason: string): ReadItem => ({ source: place, outcome: 'failed', reason });
  if (line === null) return failed(`longer than ${MAX_LINE} characters`);
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch {
    return failed('not JSON, or not all of it');
  }
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return failed('no JSON object');
  return readExported(Object.entries(record), name, place);
}

/**
 * The posts of an NDJSON export, one a line, in one pass. A line that cannot be read is an item that fails, and the
 * others are read. Throws UnreadableFile for what is no UTF-8.
 */
export async function* readNdjson(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<ReadItem> {
  let number = 0;
  for await (const line of linesOf(utf8(chunks))) {
    number++;
    if (line === null || line.trim() !== '') yield readLine(line, name, `${name}, line ${number}`);
  }
}
