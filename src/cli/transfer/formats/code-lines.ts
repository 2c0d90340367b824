/** Behind one of backticks stands none on its line: else it is code in a line. */
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
/** Behind one that closes stands nothing. */
const FENCE_END = /^ {0,3}(`{3,}|~{3,})\s*$/;
const MARKER = /^[ \t]*(?:[-*+]|\d{1,9}[.)])(?=\s|$)/;
/** What follows is a part of a footnote when it is indented by four columns. */
const FOOTNOTE = /^[ \t]*\[\^[^\]\s]+\]:/;
const QUOTE = /^[ \t]*> ?/;
/** A line that is no paragraph: indented code may follow it. */
const HEADING = /^[ \t]*#{1,6}(?:\s|$)/;
/** Three stars are no item of a list. */
const BREAK = /^[ \t]*([-*_])(?:[ \t]*\1){2,}\s*$/;

/** Quotes within each other, of which the service takes no more. */
const MAX_QUOTES = 20;

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

/** Finds code in the lines of a Markdown text, in fences and indented, within list items, footnotes and quotes too. */
export class CodeLines {
  readonly #quotes: number;
  #fence = '';
  /** Where the texts of the list items and footnotes begin that are open. */
  readonly #items: number[] = [];
  /** Not behind a line of a paragraph, which what is indented goes on with. */
  #mayBegin = true;
  /** The line, less the mark of an item. */
  #text = '';
  /** The quote that the line before was of. */
  #quote: CodeLines | undefined;

  constructor(quotes = 0) {
    this.#quotes = quotes;
  }

  /** Whether this line is code. Is asked of each line in turn. */
  has(line: string): boolean {
    const column = columnsOf(spaceOf(line));
    if (this.#fence !== '' && (column >= this.#item || line.trim() === '')) return this.#inFence(line, column);
    // The item that it was in has ended.
    this.#fence = '';
    const isIndented = this.#isIndented(line, column);
    const indent = column - (this.#items.findLast((item) => item <= column) ?? 0);
    if (!isIndented && indent <= 3 && QUOTE.test(line) && this.#quotes < MAX_QUOTES) return this.#inQuote(line, column);
    this.#quote = undefined;
    if (isIndented) return true;
    const mark = indent > 3 ? undefined : FENCE.exec(this.#text.trimStart())?.[1];
    if (mark === undefined) return false;
    if (this.#text === line) this.#leave(column);
    this.#fence = mark;
    this.#mayBegin = true;
    return true;
  }

  get #item(): number {
    return this.#items.at(-1) ?? 0;
  }

  /** Ends what a line that begins here is no part of. */
  #leave(column: number): void {
    while (this.#item > column) this.#items.pop();
  }

  #inFence(line: string, column: number): true {
    const indent = ' '.repeat(Math.max(0, Math.min(column - this.#item, 4)));
    if (FENCE_END.exec(indent + line.trimStart())?.[1]?.startsWith(this.#fence)) this.#fence = '';
    this.#mayBegin = true;
    return true;
  }

  #inQuote(line: string, column: number): boolean {
    this.#leave(column);
    const quote = (this.#quote ??= new CodeLines(this.#quotes + 1));
    const isCode = quote.has(line.replace(QUOTE, ''));
    this.#mayBegin = quote.#mayBegin;
    return isCode;
  }

  #isIndented(line: string, column: number): boolean {
    this.#text = line;
    if (line.trim() === '') {
      this.#mayBegin = true;
      return false;
    }
    const isNone = HEADING.test(line) || BREAK.test(line);
    const marker = isNone ? undefined : MARKER.exec(line)?.[0];
    this.#text = line.slice(marker?.length ?? 0);
    const isFootnote = FOOTNOTE.test(this.#text);
    if (this.#mayBegin || isNone || marker !== undefined || isFootnote) this.#leave(column);
    if (column >= this.#item + 4) return this.#mayBegin;
    if (marker !== undefined) this.#items.push(textColumn(line, marker));
    if (isFootnote) this.#items.push(this.#item + 4);
    // Nothing is on the line of an empty item.
    this.#mayBegin = isNone || this.#text.trim() === '';
    return false;
  }
}
