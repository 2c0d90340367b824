import MarkdownIt, { type MarkdownIt as Parser, type StateCore, type Token } from 'markdown-it';
import footnote from 'markdown-it-footnote';
import type { Highlight } from './code.ts';
import { elementIds } from './element-ids.ts';
import { Headings } from './headings.ts';
import { unclosedBlocks } from './unclosed.ts';

type Rule = (state: StateCore) => void;

/** Deeper quotes and lists are text; each level costs time, and a browser gives up at 512 levels of elements. */
const NESTING_MAX = 20;

/** The visible text of an inline token. */
const textOf = (inline: Token | undefined): string =>
  (inline?.children ?? [])
    .map((token) =>
      token.type === 'text' || token.type === 'code_inline' || token.type === 'emoji' ? token.content : ' ',
    )
    .join('')
    .replaceAll(/\s+/g, ' ')
    .trim();

const addHeadings =
  (headings: Headings): Rule =>
  ({ tokens }) => {
    for (const [i, token] of tokens.entries()) {
      if (token.type !== 'heading_open') continue;
      const id = token.attrGet('id');
      const chosen = id === null || id === undefined ? undefined : String(id);
      token.attrSet('id', headings.add(Number(token.tag.slice(1)), textOf(tokens[i + 1]), chosen));
    }
  };

/** `## Title {#id}`, as Hugo, kramdown and others write an id; what else stands between the braces is left out. */
const CHOSEN = /(?<=^|[ \t])\{#([^\s{}]+)(?:[ \t][^{}]*)?\}$/;

/** What would be the whole heading is its text, as `{#if …}` of templates. */
const addChosenIds =
  (headings: Headings): Rule =>
  ({ tokens }) => {
    for (const id of elementIds(tokens)) headings.reserve(id);
    for (const [i, token] of tokens.entries()) {
      const last = token.type === 'heading_open' ? tokens[i + 1]?.children?.at(-1) : undefined;
      const [written, id = ''] = last?.type === 'text' ? (CHOSEN.exec(last.content) ?? []) : [];
      if (!last || written === undefined || tokens[i + 1]?.content.trim() === written) continue;
      const isChosen = headings.choose(id);
      if (!isChosen && !headings.isElsewhere(id)) continue;
      last.content = last.content.slice(0, -written.length).trimEnd();
      if (isChosen) token.attrSet('id', id);
    }
  };

/** Leads links to headings by their ids of other systems to those that they have here. */
const leadLinks =
  (headings: Headings): Rule =>
  ({ tokens }) => {
    const links = tokens
      .flatMap((token) => token.children ?? [])
      .filter((token) => token.type === 'link_open' && String(token.attrGet('href')).startsWith('#'));
    for (const link of links) {
      const place = decoded(String(link.attrGet('href')).slice(1));
      const meant = headings.meantBy(place);
      if (meant !== undefined) link.attrSet('href', `#${encodeURIComponent(meant)}`);
    }
  };

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const CHECKBOX = /^\[([ xX])\]\s/;

/** `- [ ] open` and `- [x] done`: a box that shows and cannot be ticked. */
const addTasks: Rule = ({ tokens, Token: NewToken }) => {
  for (const [i, token] of tokens.entries()) {
    const [item, paragraph] = [tokens[i - 2], tokens[i - 1]];
    if (token.type !== 'inline' || paragraph?.type !== 'paragraph_open' || item?.type !== 'list_item_open') continue;
    const first = token.children?.[0];
    const mark = first?.type === 'text' ? CHECKBOX.exec(first.content)?.[1] : undefined;
    if (!first || mark === undefined) continue;
    first.content = first.content.slice(3);
    const box = new NewToken('html_inline', '', 0);
    box.content = `<input type="checkbox" disabled${mark === ' ' ? '' : ' checked'}>`;
    token.children?.unshift(box);
    item.attrJoin('class', 'task-list-item');
  }
};

/** The alignment of table cells as an attribute: a page with a strict content policy takes no styles. */
const alignCells: Rule = ({ tokens }) => {
  for (const token of tokens) {
    const align = /^text-align:(left|center|right)$/.exec(String(token.attrGet('style') ?? ''))?.[1];
    if (align === undefined) continue;
    token.attrs = [['align', align]];
  }
};

/** Lines that begin a block of HTML without an end begin a paragraph, so that what follows is Markdown still. */
function endHtml(md: Parser): void {
  let isUnclosed: ReturnType<typeof unclosedBlocks> | undefined;
  md.block.ruler.before(
    'html_block',
    'unclosed_html',
    ({ src, bMarks, tShift, eMarks }, line) => {
      isUnclosed ??= unclosedBlocks(src);
      const from = (bMarks[line] as number) + (tShift[line] as number);
      // The rule behind this one takes no HTML then.
      md.options.html = !isUnclosed(from, eMarks[line] as number);
      return false;
    },
    { alt: ['paragraph', 'reference', 'blockquote'] },
  );
  md.core.ruler.after('block', 'html_again', () => {
    md.options.html = true;
  });
}

/** Markdown (CommonMark, tables, strikethrough, footnotes, tasks, bare links) to HTML that is not yet safe. */
export function toUnsafeHtml(markdown: string, highlight: Highlight): { html: string; headings: Headings } {
  const headings = new Headings();
  const md = new MarkdownIt({ html: true, linkify: true, maxNesting: NESTING_MAX, highlight });
  // Else a link to `javascript:` would be shown as it is written; its address is left out with those of HTML.
  md.validateLink = () => true;
  md.use(footnote);
  endHtml(md);
  md.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  // Ahead of the rule after which text that was escaped is text like any other.
  md.core.ruler.before('text_join', 'chosen_ids', addChosenIds(headings));
  md.core.ruler.push('headings', addHeadings(headings));
  md.core.ruler.push('links_to_headings', leadLinks(headings));
  md.core.ruler.push('tasks', addTasks);
  md.core.ruler.push('cells', alignCells);
  return { html: md.render(markdown), headings };
}
