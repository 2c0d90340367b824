/** Deeper than this nothing is read by people, and white space would grow with the square of the depth. */
const MAX_DEPTH = 100;

/** Where the string that begins at `from` ends, behind its quote. The text is JSON. */
function endOfString(json: string, from: number): number {
  let at = from + 1;
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * JSON indented, with each string, number and word as it was written: parsed and written anew, 12345678901234567890 and 149.90
 * would be others. A text that is no JSON, or too deep, stays as it is.
 */
export function indentedJson(text: string): string {
  if (!isJson(text)) return text;
  const pieces: string[] = [];
  let depth = 0;
  let isOpened = false;
  const newLine = (): void => void pieces.push('\n', '  '.repeat(depth));
  for (let at = 0; at < text.length; ) {
    const mark = text[at] as string;
    if (/\s/.test(mark)) {
      at++;
      continue;
    }
    const isEnd = mark === '}' || mark === ']';
    if (isEnd) depth--;
    if (isOpened !== isEnd) newLine();
    isOpened = mark === '{' || mark === '[';
    if (isOpened && ++depth > MAX_DEPTH) return text;
    const end = mark === '"' ? endOfString(text, at) : at + 1;
    pieces.push(text.slice(at, end), mark === ':' ? ' ' : '');
    if (mark === ',') newLine();
    at = end;
  }
  return pieces.join('');
}
