import { UnreadableFile } from './fit.ts';

/** The chunks of a file as text. Throws UnreadableFile for bytes that are no UTF-8. */
export async function* utf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch {
      throw new UnreadableFile('not a text in UTF-8');
    }
  };
  for await (const chunk of chunks) yield decode(chunk);
  yield decode();
}

/** A longer line is not kept: no post that the service takes is as long. Characters. */
export const MAX_LINE = 8_000_000;

/** Lines without their ends; null for one that is too long. Memory holds one line and one chunk. */
export async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string | null> {
  let line: string[] = [];
  let length = 0;
  const take = (): string | null => {
    const whole = length > MAX_LINE ? null : line.join('').replace(/\r$/, '');
    line = [];
    length = 0;
    return whole;
  };
  for await (const text of texts) {
    const parts = text.split('\n');
    for (const [at, part] of parts.entries()) {
      if (at > 0) yield take();
      length += part.length;
      if (length <= MAX_LINE) line.push(part);
      else line = [];
    }
  }
  if (length > 0) yield take();
}
