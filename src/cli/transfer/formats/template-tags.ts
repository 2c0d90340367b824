import { codeParts } from './addresses.ts';
import { CodeLines } from './code-lines.ts';
import { SHOWN, type Values, valuesOf } from './shown-tags.ts';

/** Of Jekyll `{% name … %}`, of Hugo `{{< name … >}}` and `{{% name … %}}`, alone on its line or in its list item. */
const TAG =
  /^([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(?:\{%-?|\{\{[<%])[ \t]*(\/?\w+)(?=[ \t]|\/?-?[%>])([^{}]*)(?:%\}|[>%]\}\})[ \t]*\r?$/;
/** One that goes on in the next lines, and what they are made of. */
const TAG_BEGUN = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:\{%-?|\{\{[<%])[ \t]*\w+(?=[ \t]|\r?$)[^{}]*$/;
const TAG_LINE = /^(?=.*\S)[^{}]*(?:(?:%\}|[>%]\}\})[ \t]*\r?)?$/;
/** Lines that a tag may have. */
const MAX_TAG_LINES = 30;
const QUOTE = /^[ \t]*> ?/;
/** Quotes within each other, of which the service takes no more. */
const MAX_QUOTES = 20;
const RAW = /\{%-?[ \t]*(?:end)?raw[ \t]*-?%\}/g;
/** Liquid reads them in code, too, but not between `raw` tags. */
const LIQUID = /\{%-?[ \t]*((?:end)?(?:raw|comment))[ \t]*-?%\}/g;
/** So does Hugo. One that a text tells of has a slash and a star behind its mark. */
const HUGO = /\{\{[<%][ \t]*(\/[ \t]*comment|comment)[ \t]*[%>]\}\}/g;
/** A comment of kramdown, on lines of its own and within one. */
const COMMENT = /^[ \t]*\{::comment\}[ \t]*\r?$/;
const COMMENT_END = /^[ \t]*\{:\/(?:comment)?\}[ \t]*\r?$/;
const INLINE_COMMENT = /\{::comment\}[^{}]*\{:\/(?:comment)?\}/g;
/** Attributes of kramdown, alone on a line or behind what they are of. */
const ATTRIBUTES = /^[ \t]*\{:[^{}]*\}[ \t]*\r?$/;
/** The id among them, outside of values in quotes. */
const ID = /^[ \t]*\{:(?:[^{}"']|"[^"{}]*"|'[^'{}]*')*?(?<=[:\s])(?:#|id=["']?)([a-z][\w:.-]*)/i;
/** Indented by four columns it would be code, or go on with a paragraph. */
const HEADING = /^ {0,3}(?:> {0,4})*#{1,6}[ \t]+\S/;
const QUOTE_MARKS = /^ {0,3}(?:>[ \t]?)+/;
/** Makes a heading of the line before. */
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*\r?$/;
/** The line of such a heading: no item, other heading, quote, HTML, definition or break. Indented it may be of an item, which ends before the underline. */
const PLAIN = /^(?!(?:[-*+]|\d{1,9}[.)]|#{1,6})(?:\s|$)|[\s><]|\[[^\]]*\]:|[-*_= \t]*\r?$)/;
/** No part of a heading. */
const HEADING_END = /(?<=[ \t])#+$/;

/** Makes a table of contents of the list item before; of what else is there it makes nothing. */
const CONTENTS = /^[ \t]*\{:[ \t]*toc(?=[\s}])/;
const ITEM = /^[ \t]*(?:[-*+]|\d{1,9}\.)[ \t]/;
const INLINE_ATTRIBUTES = /(?<=[)\]*_`])\{:[^{}]*\}/g;
/** The same, where a text stands behind code. */
const BEHIND_CODE = /^\{:[^{}]*\}/;

const withoutAttributes = (line: string): string =>
  codeParts(line)
    .map(({ text, isCode }, at, parts) => {
      if (isCode) return text;
      const own = parts[at - 1]?.isCode === true ? text.replace(BEHIND_CODE, '') : text;
      return own.replaceAll(INLINE_COMMENT, '').replaceAll(INLINE_ATTRIBUTES, '');
    })
    .join('');

/** Code between tags as a fence that no line of it closes, indented as the tag is. */
function fenced(lines: readonly string[], language: string, indent: string): string[] {
  let fence = '```';
  for (const line of lines) {
    const mark = /^\s*(`{3,})/.exec(line)?.[1] ?? '';
    if (mark.length >= fence.length) fence = `${mark}\``;
  }
  const isIndented = lines.every((line) => line.startsWith(indent) || line.trim() === '');
  return [
    `${indent}${fence}${/^[\w+#.-]+$/.test(language) ? language : ''}`,
    ...(isIndented ? lines : indented(lines, indent)),
    indent + fence,
  ];
}

const indented = (lines: readonly string[], indent: string): string[] =>
  lines.map((line) => (line.trim() === '' ? line : indent + line));

/** As much space as what stands before a tag, and lines with it in place of that in the first. */
const spaceFor = (before: string): string => before.replaceAll(/[^\t]/g, ' ');
const begun = ([first = '', ...rest]: readonly string[], before: string): string[] => [
  before + first.slice(before.length),
  ...rest,
];

const isEnd = (line = ''): boolean => /^(?:\/|end)highlight$/.test(TAG.exec(line)?.[2] ?? '');

/** Reads the lines of a text, of which each is looked at once. */
class Tags {
  readonly #lines: readonly string[];
  readonly #isJekyll: boolean;
  readonly #quotes: number;
  readonly #code = new CodeLines();
  readonly #lastEnd: number;
  readonly #lastCommentEnd: number;
  readonly #shown: string[] = [];
  /** Which of them were read as text, neither as code nor as tags. */
  readonly #texts = new Set<number>();
  /** The id of attributes that stand in the line before. */
  #nextId: string | undefined;

  constructor(lines: readonly string[], isJekyll: boolean, quotes = 0) {
    this.#lines = lines;
    this.#isJekyll = isJekyll;
    this.#quotes = quotes;
    this.#lastEnd = this.#lines.findLastIndex(isEnd);
    this.#lastCommentEnd = isJekyll ? lines.findLastIndex((line) => COMMENT_END.test(line)) : -1;
  }

  shown(): readonly string[] {
    for (let at = 0; at < this.#lines.length; at++) at = this.#show(at);
    return this.#shown;
  }

  isText(at: number): boolean {
    return this.#texts.has(at);
  }

  /** Gives the last line that it read. */
  #show(at: number): number {
    const line = this.#lines[at] ?? '';
    if (this.#code.has(line)) this.#shown.push(line);
    else if (at < this.#lastCommentEnd && COMMENT.test(line)) return this.#commentEnd(at);
    else if (this.#isAttributes(at)) {
      this.#keepId(line);
      return at;
    } else if (QUOTE.test(line)) return this.#quote(at);
    else {
      const end = this.#endOf(at);
      const [, before = '', name = '', written = ''] = TAG.exec(this.#lines.slice(at, end + 1).join(' ')) ?? [];
      const values = valuesOf(written);
      if (name === 'highlight' && end < this.#lastEnd) return this.#highlight(end, values, before);
      const shown = Object.hasOwn(SHOWN, name) ? SHOWN[name]?.(values) : undefined;
      if (shown !== undefined) {
        for (const more of this.#lines.slice(at + 1, end + 1)) this.#code.has(more);
        const lines = begun(indented(shown.split('\n'), spaceFor(before)), before);
        if (name === 'figure') this.#block(lines, before.trim() !== '', this.#lines[end + 1]);
        else this.#shown.push(...lines);
        return end;
      }
      this.#texts.add(this.#shown.length);
      this.#shown.push(this.#isJekyll ? withoutAttributes(line) : line);
      if (this.#nextId !== undefined && HEADING.test(line)) this.#addId(this.#shown.length - 1, this.#nextId);
    }
    this.#nextId = undefined;
    return at;
  }

  /** The last line of a tag that may begin in this one. */
  #endOf(at: number): number {
    if (!TAG_BEGUN.test(this.#lines[at] ?? '')) return at;
    for (let end = at + 1; end < Math.min(this.#lines.length, at + MAX_TAG_LINES); end++) {
      const line = this.#lines[end] ?? '';
      if (!TAG_LINE.test(line)) break;
      if (line.includes('}')) return end;
    }
    return at;
  }

  /** Lines of a quote are a text of their own. */
  #quote(at: number): number {
    let end = at + 1;
    while (QUOTE.test(this.#lines[end] ?? '') && end < this.#lines.length) this.#code.has(this.#lines[end++] ?? '');
    const lines = this.#lines.slice(at, end);
    const inner = lines.map((line) => line.replace(QUOTE, ''));
    const tags = this.#quotes < MAX_QUOTES ? new Tags(inner, this.#isJekyll, this.#quotes + 1) : undefined;
    const shown = tags?.shown() ?? inner;
    const isSame = shown.length === inner.length && shown.every((line, n) => line === inner[n]);
    const mark = QUOTE.exec(lines[0] ?? '')?.[0].trimEnd() ?? '';
    const quoted = shown.map((line) => (line === '' ? mark : `${mark} ${line}`));
    for (const [n, line] of (isSame ? lines : quoted).entries()) {
      if (tags?.isText(n)) this.#texts.add(this.#shown.length);
      this.#shown.push(line);
    }
    return end - 1;
  }

  /** There is one. */
  #commentEnd(at: number): number {
    let end = at + 1;
    while (!COMMENT_END.test(this.#lines[end] ?? '')) end++;
    return end;
  }

  #isAttributes(at: number): boolean {
    const [line = '', next = ''] = this.#lines.slice(at, at + 2);
    return this.#isJekyll && (ATTRIBUTES.test(line) || (ITEM.test(line) && CONTENTS.test(next)));
  }

  /** Of the attributes of a heading, which stand below it, or above where they are below nothing, links of the text may lead to the id. */
  #keepId(attributes: string): void {
    const id = ID.exec(attributes)?.[1];
    if (id === undefined) return;
    const at = this.#lastHeading();
    if (at >= 0) this.#addId(at, id);
    else if ((this.#shown.at(-1) ?? '').trim() === '') this.#nextId = id;
  }

  #addId(at: number, id: string): void {
    const heading = this.#shown[at] ?? '';
    if (/\{#[^{}]*\}\s*$/.test(heading)) return;
    this.#shown[at] = `${heading.trimEnd().replace(HEADING_END, '').trimEnd()} {#${id}}`;
  }

  /** The line of the heading that what was shown ends with; -1 where it ends with none. */
  #lastHeading(): number {
    const last = this.#shown.length - 1;
    if (this.#texts.has(last) && HEADING.test(this.#shown[last] ?? '')) return last;
    if (!this.#texts.has(last) || !this.#texts.has(last - 1)) return -1;
    const [before = '', line = '', underline = ''] = [last - 2, last - 1, last].map((at) => this.#shown[at]);
    const marks = QUOTE_MARKS.exec(line)?.[0] ?? '';
    if (marks.trimEnd() !== (QUOTE_MARKS.exec(underline)?.[0] ?? '').trimEnd()) return -1;
    const isAlone = before.replace(QUOTE_MARKS, '').trim() === '' || HEADING.test(before);
    const isHeading = PLAIN.test(line.slice(marks.length)) && UNDERLINE.test(underline.replace(QUOTE_MARKS, ''));
    return isAlone && isHeading ? last - 1 : -1;
  }

  #highlight(at: number, values: Values, before: string): number {
    let end = at + 1;
    while (!isEnd(this.#lines[end])) end++;
    const lines = fenced(this.#lines.slice(at + 1, end), values.get('0') ?? '', spaceFor(before));
    for (const line of begun(lines, before)) this.#shown.push(line);
    return end;
  }

  /** What is a block of its own is apart from the lines around it. */
  #block(lines: readonly string[], isItem: boolean, next = ''): void {
    if (!isItem && (this.#shown.at(-1) ?? '').trim() !== '') this.#shown.push('');
    this.#shown.push(...lines);
    if (next.trim() !== '') this.#shown.push('');
  }
}

/** A text less what stands between `comment` tags; one that does not end stays. */
function withoutComments(text: string, tags: RegExp): string {
  const parts: string[] = [];
  let [from, begin, depth, isRaw] = [0, 0, 0, false];
  for (const { 0: tag, 1: name, index } of text.matchAll(tags)) {
    if (depth === 0 && name?.endsWith('raw')) isRaw = name === 'raw';
    if (isRaw) continue;
    if (name === 'comment' && depth++ === 0) begin = index;
    if (!/^(?:end|\/[ \t]*)comment$/.test(name ?? '') || depth === 0 || --depth > 0) continue;
    parts.push(text.slice(from, begin));
    from = index + tag.length;
  }
  return parts.join('') + text.slice(from);
}

/**
 * A Markdown text with what the commonest tags of Jekyll and Hugo would show: code that is highlighted, figures, and links to
 * videos, gists and posts elsewhere. Attributes of kramdown, but for ids of headings, comments and `raw` are left out where Jekyll would read them. Other tags stay as they are.
 */
export function withTagsShown(markdown: string, isJekyll: boolean): string {
  if (!/\{[{%:]/.test(markdown)) return markdown;
  const read = withoutComments(markdown, isJekyll ? LIQUID : HUGO);
  const text = isJekyll && /\{%-?[ \t]*endraw/.test(read) ? read.replaceAll(RAW, '') : read;
  return new Tags(text.split('\n'), isJekyll).shown().join('\n');
}
