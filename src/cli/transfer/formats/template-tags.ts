import { codeParts } from './addresses.ts';
import { CodeLines } from './code-lines.ts';

/** Of Jekyll `{% name … %}`, of Hugo `{{< name … >}}` and `{{% name … %}}`, alone on its line. */
const TAG = /^[ \t]*(?:\{%-?|\{\{[<%])[ \t]*(\/?\w+)(?=[ \t]|\/?-?[%>])([^{}]*)(?:%\}|[>%]\}\})[ \t]*\r?$/;
const RAW = /\{%-?[ \t]*(?:end)?raw[ \t]*-?%\}/g;
/** Attributes of kramdown, alone on a line or behind what they are of. */
const ATTRIBUTES = /^[ \t]*\{:[^{}]*\}[ \t]*\r?$/;
/** The id among them, outside of values in quotes. */
const ID = /^[ \t]*\{:(?:[^{}"']|"[^"{}]*"|'[^'{}]*')*?(?<=[:\s])(?:#|id=["']?)([a-z][\w:.-]*)/i;
const HEADING = /^[ \t>]*#{1,6}[ \t]+\S/;
/** Makes a heading of the line before. */
const UNDERLINE = /^[ \t>]*(?:=+|-+)[ \t]*\r?$/;
/** No part of a heading. */
const HEADING_END = /(?<=[ \t])#+$/;

/** Makes a table of contents of the list item before. */
const CONTENTS = /^[ \t]*\{:[ \t]*toc\b/;
const INLINE_ATTRIBUTES = /(?<=[)\]*_`])\{:[^{}]*\}/g;
/** The same, where a text stands behind code. */
const BEHIND_CODE = /^\{:[^{}]*\}/;

const withoutAttributes = (line: string): string =>
  codeParts(line)
    .map(({ text, isCode }, at, parts) => {
      if (isCode) return text;
      const own = parts[at - 1]?.isCode === true ? text.replace(BEHIND_CODE, '') : text;
      return own.replaceAll(INLINE_ATTRIBUTES, '');
    })
    .join('');

/** Without what belongs to the end mark: `-` of Jekyll, `/` of Hugo. A pattern for it would look for it from each space. */
function withoutEnd(behind: string): string {
  const written = (behind.endsWith('-') ? behind.slice(0, -1) : behind).trimEnd();
  return written.endsWith('/') ? written.slice(0, -1) : written;
}

/** What stands behind the name: values by name, and those without one by their place. */
export function valuesOf(behind: string): Map<string, string> {
  const values = new Map<string, string>();
  let place = 0;
  for (const [, name, inDouble, inSingle, bare] of withoutEnd(behind).matchAll(
    /(?:([\w-]+)=)?(?:"([^"]*)"|'([^']*)'|([^\s"'=]+))/g,
  ))
    values.set(name?.toLowerCase() ?? String(place++), inDouble ?? inSingle ?? bare ?? '');
  return values;
}

const inText = (text: string): string => text.replaceAll(/[[\]\\]/g, '\\$&');
const inAddress = (address: string): string => `<${address.replaceAll(/[<>\s]/g, encodeURIComponent)}>`;

type Values = ReadonlyMap<string, string>;

function figure(values: Values): string | undefined {
  const source = values.get('src');
  if (!source) return undefined;
  const image = `![${inText(values.get('alt') ?? '')}](${inAddress(source)})`;
  const link = values.get('link');
  const texts = [values.get('title'), values.get('caption')].filter((text) => text !== undefined && text !== '');
  return [link ? `[${image}](${inAddress(link)})` : image, ...texts].join('\n\n');
}

/** An address with parts that are names or numbers; undefined where one of them is missing. */
const addressOf = (before: string, ...parts: (string | undefined)[]): string | undefined =>
  parts.every((part) => part !== undefined && /^[\w./-]+$/.test(part)) ? `<${before}${parts.join('/')}>` : undefined;

const status = (values: Values): string | undefined =>
  addressOf('https://x.com/', values.get('user') ?? 'i', 'status', values.get('id') ?? values.get('0'));

/** What tags show, as Markdown. */
const SHOWN: Readonly<Record<string, (values: Values) => string | undefined>> = {
  figure,
  youtube: (values) => addressOf('https://www.youtube.com/watch?v=', values.get('id') ?? values.get('0')),
  vimeo: (values) => addressOf('https://vimeo.com/', values.get('id') ?? values.get('0')),
  gist: (values) => addressOf('https://gist.github.com/', ...[values.get('0'), values.get('1')].filter(Boolean)),
  tweet: status,
  x: status,
};

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

const isEnd = (line = ''): boolean => /^(?:\/|end)highlight$/.test(TAG.exec(line)?.[1] ?? '');

/** Reads the lines of a text, of which each is looked at once. */
class Tags {
  readonly #lines: readonly string[];
  readonly #isJekyll: boolean;
  readonly #code = new CodeLines();
  readonly #lastEnd: number;
  readonly #shown: string[] = [];

  constructor(markdown: string, isJekyll: boolean) {
    this.#lines = markdown.split('\n');
    this.#isJekyll = isJekyll;
    this.#lastEnd = this.#lines.findLastIndex(isEnd);
  }

  shown(): string {
    for (let at = 0; at < this.#lines.length; at++) at = this.#show(at);
    return this.#shown.join('\n');
  }

  /** Gives the last line that it read. */
  #show(at: number): number {
    const line = this.#lines[at] ?? '';
    if (this.#code.has(line)) this.#shown.push(line);
    else if (this.#isAttributes(at)) this.#keepId(line);
    else {
      const [, name = '', written = ''] = TAG.exec(line) ?? [];
      const values = valuesOf(written);
      const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
      if (name === 'highlight' && at < this.#lastEnd) return this.#highlight(at, values, indent);
      const shown = Object.hasOwn(SHOWN, name) ? SHOWN[name]?.(values) : undefined;
      if (shown === undefined) this.#shown.push(this.#isJekyll ? withoutAttributes(line) : line);
      else this.#block(indented(shown.split('\n'), indent), name === 'figure', this.#lines[at + 1]);
    }
    return at;
  }

  #isAttributes(at: number): boolean {
    const [line = '', next = ''] = this.#lines.slice(at, at + 2);
    return this.#isJekyll && (ATTRIBUTES.test(line) || CONTENTS.test(next));
  }

  /** Of the attributes of a heading, which stand below it, links of the text may lead to the id. */
  #keepId(attributes: string): void {
    const id = ID.exec(attributes)?.[1];
    const last = this.#shown.length - 1;
    const at = UNDERLINE.test(this.#shown[last] ?? '') && this.#shown[last - 1]?.trim() ? last - 1 : last;
    const heading = this.#shown[at] ?? '';
    if (id === undefined || (at === last && !HEADING.test(heading)) || /\{#[^{}]*\}\s*$/.test(heading)) return;
    this.#shown[at] = `${heading.trimEnd().replace(HEADING_END, '').trimEnd()} {#${id}}`;
  }

  #highlight(at: number, values: Values, indent: string): number {
    let end = at + 1;
    while (!isEnd(this.#lines[end])) end++;
    for (const line of fenced(this.#lines.slice(at + 1, end), values.get('0') ?? '', indent)) this.#shown.push(line);
    return end;
  }

  /** What is a block of its own is apart from the lines around it. */
  #block(lines: readonly string[], isApart: boolean, next = ''): void {
    if (isApart && (this.#shown.at(-1) ?? '').trim() !== '') this.#shown.push('');
    this.#shown.push(...lines);
    if (isApart && next.trim() !== '') this.#shown.push('');
  }
}

/**
 * A Markdown text with what the commonest tags of Jekyll and Hugo would show: code that is highlighted, figures, and links to
 * videos, gists and posts elsewhere. Attributes of kramdown, but for ids of headings, and `raw` are left out where Jekyll would read them. Other tags stay as they are.
 */
export function withTagsShown(markdown: string, isJekyll: boolean): string {
  if (!/\{[{%:]/.test(markdown)) return markdown;
  const text = isJekyll && /\{%-?[ \t]*endraw/.test(markdown) ? markdown.replaceAll(RAW, '') : markdown;
  return new Tags(text, isJekyll).shown();
}
