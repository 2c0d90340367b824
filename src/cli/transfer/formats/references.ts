import { codeParts, decoded, told } from './addresses.ts';
import { CodeLines } from './code-lines.ts';
import type { Fit } from './fit.ts';
import type { Reference } from './imported-files.ts';
import { valuesOf } from './shown-tags.ts';

/** Where an address stands, `ref` and `relref` of Hugo, or `post_url` and `link` of Jekyll behind the address of the site. */
const REFERENCE =
  /(?<=\]\(<?|\]:[ \t]<?|href=["']?)(?:\{\{[ \t]*site\.(?:base)?url[ \t]*\}\}\/?){0,2}(?:\{\{[<%][ \t]*(?:rel)?ref[ \t]([^{}]*)[%>]\}\}|\{%-?[ \t]*(?:post_url|link)[ \t]([^{}]*)%\})/g;

/** Where an address stands, the path of a Markdown file and a place in it, as GitHub and several programs follow it. */
const FILE =
  /(?<=\]\(<?|\]:[ \t]<?|href=["']?)(?![a-z][a-z\d+.-]*:|\/\/)([^\s"'<>()#?{}=]+\.(?:md|mdx|markdown))(#[^\s"'<>()]*)?(?=[\s"'<>()]|$)/gi;

/**
 * Where an address stands, a path on the site itself, of Jekyll behind the address of the site; then a query and a place in it. Behind it may
 * stand what is no end of one: to ask for that would go over the rest of a text once for each beginning.
 */
const PAGE =
  /(?<=\]\(<?|\]:[ \t]<?|(?:^|\s)href=["']?)(?:\{\{[ \t]*site\.(?:base)?url[ \t]*\}\}){0,2}(\/(?![\s/])[^\s"'<>()#?{}]+)((?:\?[^\s"'<>()#{}]*)?(?:#[^\s"'<>(){}]*)?)([{}(]?)/gi;

/** Longest text of an image that is looked through for its beginning; a longer one is taken for that of a link. Characters. */
const LONGEST_TEXT = 500;

/** A line in which brackets are those of links and images: what is code, or escaped, is blank. Each place is where it was. */
const bracketed = (parts: ReturnType<typeof codeParts>): string =>
  parts.map(({ text, isCode }) => (isCode ? ' '.repeat(text.length) : text.replaceAll(/\\[\\![\]]/g, '  '))).join('');

/** Whether what stands ahead of an address is an image, or the mark of a footnote, and not a link. `line` is as by `bracketed`. */
function isNoLink(line: string, at: number): boolean {
  const ahead = /\](?:\(|:[ \t])<?$/.exec(line.slice(Math.max(0, at - 4), at))?.[0];
  if (ahead === undefined) return false;
  const close = at - ahead.length;
  let depth = 0;
  for (let i = close; i >= 0 && i > close - LONGEST_TEXT; i--) {
    if (line[i] === ']') depth++;
    else if (line[i] === '[' && --depth === 0) return line[i - 1] === '!' || line[i + 1] === '^';
  }
  return false;
}

/** Files, of which none is a post. */
const OTHER_FILE = /\.(?!html?$)[a-z][a-z\d]{1,4}$/i;

/** As addresses are here, which a text has that was exported here: of a post, and of what is none. */
const OWN = /^\/blog(?:\/[^/]*)?$/;
const OWN_LIST = /^\/blog\/(?:tag|category|author|-)\//;

/** The slug of the post that the text refers to; undefined: of none, or it is not known yet. */
export type Referred = (kind: Reference['kind'], target: string) => string | undefined;

/**
 * A Markdown text in which links by tags of Hugo and Jekyll, by the paths of files, or by the paths that their pages had on the site, lead to
 * the pages of imported posts. Others stay as they are, and a note tells of them.
 */
export function withReferences(markdown: string, slugOf: Referred, fit: Fit): string {
  if (!/\{[{%]|\.(?:md|mdx|markdown)|(?:\]\(<?|\]:[ \t]<?|href=["']?)\//i.test(markdown)) return markdown;
  const missing = new Set<string>();
  const address = (tag: string, hugo?: string, jekyll?: string): string => {
    const values = valuesOf(hugo ?? jekyll ?? '');
    const written = values.get('path') ?? values.get('0');
    if (written === undefined) return tag;
    const [target = '', place] = written.split('#', 2);
    const hash = place ? `#${encodeURIComponent(place)}` : '';
    if (target === '' && hash !== '') return hash;
    const slug = slugOf('file', target);
    if (slug === undefined) missing.add(written);
    return slug === undefined ? tag : `/blog/${slug}${hash}`;
  };
  const ofFile = (file: string, path: string, hash = ''): string => {
    const slug = slugOf('file', decoded(path));
    return slug === undefined ? file : `/blog/${slug}${hash}`;
  };
  const ofPage = (
    isLink: (at: number) => boolean,
    written: string,
    ...found: [string, string, string, number]
  ): string => {
    const [path, rest, behind, at] = found;
    if (behind !== '' || OTHER_FILE.test(path) || OWN_LIST.test(path) || !isLink(at)) return written;
    const slug = slugOf('page', path);
    if (slug === undefined && !OWN.test(path)) missing.add(written);
    return slug === undefined ? written : `/blog/${slug}${rest}`;
  };
  const code = new CodeLines();
  const inLine = (line: string): string => {
    const parts = codeParts(line);
    const brackets = bracketed(parts);
    let start = 0;
    const changed = parts.map(({ text, isCode }) => {
      const from = start;
      start += text.length;
      if (isCode) return text;
      const isLink = (at: number): boolean => !isNoLink(brackets, from + at);
      const page = (written: string, ...found: [string, string, string, number]) => ofPage(isLink, written, ...found);
      return text.replaceAll(PAGE, page).replaceAll(REFERENCE, address).replaceAll(FILE, ofFile);
    });
    return changed.join('');
  };
  const text = markdown.split('\n').map((line) => (code.has(line) ? line : inLine(line)));
  told(fit, 'link', missing, 'it leads to no imported post');
  return text.join('\n');
}
