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

export type Values = ReadonlyMap<string, string>;

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
export const SHOWN: Readonly<Record<string, (values: Values) => string | undefined>> = {
  figure,
  youtube: (values) => addressOf('https://www.youtube.com/watch?v=', values.get('id') ?? values.get('0')),
  vimeo: (values) => addressOf('https://vimeo.com/', values.get('id') ?? values.get('0')),
  gist: (values) => addressOf('https://gist.github.com/', ...[values.get('0'), values.get('1')].filter(Boolean)),
  tweet: status,
  x: status,
};
