/** Behind one of backticks stands none on its line: else it is code in a line. */
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const MARKER = /^[ \t]*(?:[-*+]|\d{1,9}[.)])(?=\s|$)/;
/** A line that is no paragraph: indented code may follow it. */
const HEADING = /^[ \t]*#{1,6}(?:\s|$)/;
/** Three stars are no item of a list. */
const BREAK = /^[ \t]*([-*_])(?:[ \t]*\1){2,}\s*$/;

/** Columns up to its end, of a text that begins a line. */
function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += character === '\t' ? 4 - (columns % 4) : 1;
  return columns;
}

const spaceOf = (text: string): string => /^[ \t]*/.exec(text)?.[0] ?? '';

/** Column at which the text of a list item begins; code in it, four columns behind one space. */
function textColumn(line: string, marker: string): number {
  const behind = line.slice(marker.length);
  const [from, to] = [columnsOf(marker), columnsOf(marker + spaceOf(behind))];
  return behind.trim() === '' || to - from > 4 ? from + 1 : to;
}

/** Finds code in the lines of a Markdown text, in fences and indented, within list items too. */
export class CodeLines {
  #fence = '';
  /** Where the texts of the list items begin that are open. */
  readonly #items: number[] = [];
  /** Not behind a line of a paragraph, which what is indented goes on with. */
  #mayBegin = true;

  /** Whether this line is code. Is asked of each line in turn. */
  has(line: string): boolean {
    if (this.#fence === '' && this.#isIndented(line)) return true;
    const indent = Math.max(0, columnsOf(spaceOf(line)) - this.#item);
    const mark = indent > 3 ? '' : (FENCE.exec(' '.repeat(indent) + line.trimStart())?.[1] ?? '');
    if (this.#fence === '' && mark === '') return false;
    this.#fence = this.#fence === '' ? mark : mark.startsWith(this.#fence) ? '' : this.#fence;
    this.#mayBegin = true;
    return true;
  }

  get #item(): number {
    return this.#items.at(-1) ?? 0;
  }

  #isIndented(line: string): boolean {
    if (line.trim() === '') {
      this.#mayBegin = true;
      return false;
    }
    const indent = columnsOf(spaceOf(line));
    const isNone = HEADING.test(line) || BREAK.test(line);
    const marker = isNone ? undefined : MARKER.exec(line)?.[0];
    if (this.#mayBegin || isNone || marker !== undefined) while (this.#item > indent) this.#items.pop();
    if (indent >= this.#item + 4) return this.#mayBegin;
    if (marker !== undefined) this.#items.push(textColumn(line, marker));
    this.#mayBegin = isNone;
    return false;
  }
}
