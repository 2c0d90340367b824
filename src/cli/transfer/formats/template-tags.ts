import { FENCE } from './addresses.ts';

/** Of Jekyll `{% name … %}`, of Hugo `{{< name … >}}` and `{{% name … %}}`, alone on its line. */
const TAG = /^[ \t]*(?:\{%-?|\{\{[<%])[ \t]*(\/?\w+)(?=[ \t]|\/?-?[%>])([^{}]*)(?:%\}|[>%]\}\})[ \t]*\r?$/;
const RAW = /\{%-?[ \t]*(?:end)?raw[ \t]*-?%\}/g;
/** Attributes of kramdown, alone on a line or behind what they are of. */
const ATTRIBUTES = /^[ \t]*\{:[^{}]*\}[ \t]*\r?$/;
/** Makes a table of contents of the list item before. */
const CONTENTS = /^[ \t]*\{:[ \t]*toc\b/;
const INLINE_ATTRIBUTES = /(?<=[)\]*_`])\{:[^{}]*\}/g;

/** Without what belongs to the end mark: `-` of Jekyll, `/` of Hugo. A pattern for it would look for it from each space. */
function withoutEnd(behind: string): string {
  const written = (behind.endsWith('-') ? behind.slice(0, -1) : behind).trimEnd();
  return written.endsWith('/') ? written.slice(0, -1) : written;
}

/** What stands behind the name: values by name, and those without one by their place. */
function valuesOf(behind: string): Map<string, string> {
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

/** Code between tags as a fence that no line of it closes. */
function fenced(lines: readonly string[], language: string): string[] {
  const longest = Math.max(2, ...lines.map((line) => /^\s*(`{3,})/.exec(line)?.[1]?.length ?? 0));
  const fence = '`'.repeat(longest + 1);
  return [`${fence}${/^[\w+#.-]+$/.test(language) ? language : ''}`, ...lines, fence];
}

/** Lines of a text, of which each is looked at once. */
function* withoutTags(lines: readonly string[], isJekyll: boolean): Generator<string> {
  let fence = '';
  const lastEnd = lines.findLastIndex((line) => /^(?:\/|end)highlight$/.test(TAG.exec(line)?.[1] ?? ''));
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const mark = FENCE.exec(line)?.[1] ?? '';
    if (fence !== '' || mark !== '') {
      fence = fence === '' ? mark : mark.startsWith(fence) ? '' : fence;
      yield line;
      continue;
    }
    const [, name = '', written = ''] = TAG.exec(line) ?? [];
    if (name === 'highlight' && at < lastEnd) {
      const from = at + 1;
      do at++;
      while (!/^(?:\/|end)highlight$/.test(TAG.exec(lines[at] ?? '')?.[1] ?? ''));
      yield* fenced(lines.slice(from, at), valuesOf(written).get('0') ?? '');
    } else if (isJekyll && (ATTRIBUTES.test(line) || CONTENTS.test(lines[at + 1] ?? ''))) {
      continue;
    } else {
      const shown = Object.hasOwn(SHOWN, name) ? SHOWN[name]?.(valuesOf(written)) : undefined;
      yield shown ?? (isJekyll ? line.replaceAll(INLINE_ATTRIBUTES, '') : line);
    }
  }
}

/**
 * A Markdown text with what the commonest tags of Jekyll and Hugo would show: code that is highlighted, figures, and links to
 * videos, gists and posts elsewhere. Attributes of kramdown and `raw` are left out where Jekyll would read them. Other tags stay as they are.
 */
export function withTagsShown(markdown: string, isJekyll: boolean): string {
  if (!/\{[{%:]/.test(markdown)) return markdown;
  const text = isJekyll && /\{%-?[ \t]*endraw/.test(markdown) ? markdown.replaceAll(RAW, '') : markdown;
  return [...withoutTags(text.split('\n'), isJekyll)].join('\n');
}
