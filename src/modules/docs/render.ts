import type { HLJSApi } from 'highlight.js';
import MarkdownIt, { type Token } from 'markdown-it';
import { escapeMarkup, type Markup, trusted } from '../../lib/markup.ts';

export type Markdown = InstanceType<typeof MarkdownIt>;

export interface Heading {
  level: number;
  text: string;
  id: string;
}

export interface Rendered {
  title: string;
  body: Markup;
  /** Below the title, of level 2 and 3. */
  headings: Heading[];
}

/** The id of a heading as GitHub gives it, so that a link works in both places. Before a number makes it unique. */
const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');

/** The text of a paragraph, without its markup. */
export const textOf = (inline: Token | undefined): string =>
  (inline?.children ?? []).map(({ type, content }) => (type.endsWith('break') ? ' ' : content)).join('');

/** Gives every heading its id, which is the only one of the page. */
export function numberHeadings(tokens: readonly Token[]): Heading[] {
  const seen = new Set<string>();
  const headings: Heading[] = [];
  for (const [i, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const text = textOf(tokens[i + 1]);
    let id = slugOf(text);
    for (let n = 1; seen.has(id); n++) id = `${slugOf(text)}-${n}`;
    seen.add(id);
    token.attrSet('id', id);
    headings.push({ level: Number(token.tag.slice(1)), text, id });
  }
  return headings;
}

/** Every link and picture of a text. */
export const hrefsOf = (markdown: Markdown, text: string): string[] =>
  markdown
    .parse(text, {})
    .flatMap((token) => token.children ?? [])
    .map((child) => child.attrGet('href') ?? child.attrGet('src'))
    .filter((href) => href !== null)
    .map(String);

/** A parser of the pages of this repository: HTML in them is shown as text, code of a known language is coloured. */
export function createMarkdown(hljs: HLJSApi): Markdown {
  const markdown = new MarkdownIt({ html: false, linkify: false });
  const { rules } = markdown.renderer;
  rules['fence'] = (tokens, i) => {
    const { content = '', info = '' } = tokens[i] ?? {};
    const language = info.trim().split(/\s+/, 1)[0] ?? '';
    const code = hljs.getLanguage(language)
      ? hljs.highlight(content, { language, ignoreIllegals: true }).value
      : escapeMarkup(content);
    // What scrolls has to be reached by keys.
    return `<pre tabindex="0"><code>${code}</code></pre>\n`;
  };
  // A long name may break between its parts: in a table it would take the room of the other columns.
  rules['code_inline'] = (tokens, i) => {
    const parts = (tokens[i]?.content ?? '').split(/(?<=\w[_/.,{=])(?=\w)/);
    return `<code>${parts.map(escapeMarkup).join('<wbr>')}</code>`;
  };
  rules['table_open'] = () => '<div class="scroll" role="region" aria-label="Table" tabindex="0"><table>\n';
  rules['table_close'] = () => '</table></div>\n';
  return markdown;
}

/** A page as HTML; `place` gives the address of a link or picture, null where there is none: then the text alone is left. */
export function render(markdown: Markdown, text: string, place: (href: string) => string | null): Rendered {
  const tokens = markdown.parse(text, {});
  const headings = numberHeadings(tokens);
  for (const child of tokens.flatMap((token) => token.children ?? [])) {
    for (const name of ['href', 'src'] as const) {
      const given = child.attrGet(name);
      if (given === null) continue;
      const address = place(String(given));
      if (address === null) child.attrs = (child.attrs ?? []).filter(([own]) => own !== name);
      else child.attrSet(name, address);
    }
  }
  return {
    title: headings[0]?.text ?? 'Documentation',
    body: trusted(markdown.renderer.render(tokens, markdown.options, {})),
    headings: headings.filter(({ level }) => level === 2 || level === 3),
  };
}
