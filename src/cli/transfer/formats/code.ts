import type TurndownService from 'turndown';
import { type NumberOf, withoutFootnotes } from './footnotes.ts';

type Element = Parameters<TurndownService.FilterFunction>[0];

/** A fence that no line of the code closes. */
function fenced(code: string, language: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/^`{3,}/gm)].map(([mark]) => mark.length));
  const fence = '`'.repeat(longest + 1);
  return `\n\n${fence}${language}\n${code.replace(/\n$/, '')}\n${fence}\n\n`;
}

/** Elements that are a line of code, with or without the end of one between them. */
function isLine(node: Node): boolean {
  if (node.nodeName !== 'SPAN') return ['DIV', 'P', 'LI', 'TR'].includes(node.nodeName);
  return /(?:^|\s)line(?:\s|$)/.test((node as Element).getAttribute('class') ?? '');
}

/** The text of code, with the ends of lines that are elements, of which breaks may have a mark of their own. */
function codeText({ nodeName, nodeValue, childNodes }: Node, breakMark = '\n'): string {
  if (nodeName === '#text') return nodeValue ?? '';
  if (nodeName === 'BR') return breakMark;
  const parts: string[] = [];
  let wasLine = false;
  for (const child of Array.from(childNodes)) {
    const text = codeText(child, breakMark);
    const begins = isLine(child) || (wasLine && text !== '' && !text.startsWith('\n'));
    if (begins && parts.at(-1)?.endsWith('\n') === false) parts.push('\n');
    if (text !== '') parts.push(text);
    wasLine = isLine(child);
  }
  return parts.join('');
}

/** Class names by which highlighters say the language: `language-js`, `lang:js`, `brush: js`. */
const LANGUAGE = /(?:^|\s)(?:lang(?:uage)?[-:]|brush:\s*)([\w+#-]+)/;

function languageOf(pre: Element): string {
  const classes = [pre, pre.querySelector('code')].map((element) => element?.getAttribute('class') ?? '');
  const attributes = ['data-lang', 'data-language', 'lang'].map((name) => pre.getAttribute(name) ?? '');
  return LANGUAGE.exec(classes.join(' '))?.[1] ?? attributes.find((value) => /^[\w+#-]+$/.test(value)) ?? '';
}

function codeSpan(written: string): string {
  // As browsers show it.
  const line = written.replaceAll(/[ \t\r\n]+/g, ' ').trim();
  if (line === '') return '';
  const runs = new Set<string>(line.match(/`+/g));
  let mark = '`';
  while (runs.has(mark)) mark += '`';
  const space = /^`|`$/.test(line) ? ' ' : '';
  return `${mark}${space}${line}${space}${mark}`;
}

/** Stands for `<br>`, and ends a line itself. */
const BREAK = '\u2028';
/** Ends of lines; one of the source behind a break is none. */
const BREAKS = /\u2028(?:[ \t]*\r?\n)?|\r?\n/;

/** The space at its ends belongs to what stands beside it in the line, which may have one of its own. */
function inlineCode(text: string, { previousSibling: before, nextSibling: behind }: Element): string {
  const spans = text.split(BREAK).map(codeSpan);
  const code = spans.slice(0, spans.findLastIndex((span) => span !== '') + 1).join('<br>');
  // Of a space on both sides of it, code before this leaves out its own.
  const isApart = before !== null && (before.nodeName === 'CODE' || !/\s$/.test(before.textContent ?? ''));
  const begins = /^[ \t\r\n]/.test(text) && isApart;
  const ends = /[ \t\r\n]$/.test(text) && behind !== null && !/^\s/.test(behind.textContent ?? '');
  return `${begins ? ' ' : ''}${code}${ends ? ' ' : ''}`;
}

/** Elements that are nothing but what is in them. */
const THROUGH = new Set(['SPAN', 'FONT', 'SMALL', 'LABEL']);

/** Whether nothing of it is read. */
const isNothing = (node: Node): boolean =>
  node.nodeName === '#comment' || (!node.textContent && ['#text', 'CODE', ...THROUGH].includes(node.nodeName));

/** The code that ends where this one begins. */
function codeBefore(code: Node): Node | undefined {
  let node = code;
  for (;;) {
    const sibling = node.previousSibling;
    if (sibling === null) {
      if (!node.parentNode || !THROUGH.has(node.parentNode.nodeName)) return undefined;
      node = node.parentNode;
      continue;
    }
    node = sibling;
    if (isNothing(node)) continue;
    while (THROUGH.has(node.nodeName) && node.lastChild !== null) node = node.lastChild;
    if (isNothing(node)) continue;
    return node.nodeName === 'CODE' ? node : undefined;
  }
}

/** Whether the backticks of two would be read as one mark. */
function followsCode(code: Node): boolean {
  const before = codeBefore(code);
  return before !== undefined && /\S$/.test(before.textContent ?? '') && /^\S/.test(code.textContent ?? '');
}

const BLOCKS =
  /^(?:P|DIV|[UOD]L|LI|D[DT]|PRE|BLOCKQUOTE|TABLE|H[1-6R]|FIGURE|FIGCAPTION|DETAILS|SUMMARY|SECTION|ARTICLE|ASIDE|HEADER|FOOTER|MAIN|CENTER|ADDRESS)$/;
/** What may hold a block in Markdown, the text as a whole, too. */
const HOLDS_BLOCKS = /^(?:X-TURNDOWN|BODY|P|DIV|LI|BLOCKQUOTE|SECTION|ARTICLE|MAIN|FIGURE|CENTER)$/;
/** What is one line there, or the text of a link. */
const ONE_LINE = 'a,table,summary,h1,h2,h3,h4,h5,h6';

/** Whether nothing that is read stands beside it in the same block. */
function isAlone(node: Node): boolean {
  return (['previousSibling', 'nextSibling'] as const).every((side) => {
    let beside = node[side];
    while (beside && (beside.nodeName === 'BR' || isNothing(beside) || beside.nodeValue?.trim() === ''))
      beside = beside[side];
    return beside === null || BLOCKS.test(beside.nodeName);
  });
}

/** Whether code is all of its block. */
function isBlockOfCode(code: Element): boolean {
  let node: Node = code;
  while (isAlone(node) && node.parentNode && THROUGH.has(node.parentNode.nodeName)) node = node.parentNode;
  return HOLDS_BLOCKS.test(node.parentNode?.nodeName ?? '') && isAlone(node) && !code.closest(ONE_LINE);
}

/** Code of several lines: a block where it is all of one, else the lines that breaks make. */
function codeOf(code: Element, numberOf: NumberOf): string {
  const [bare, marks] = withoutFootnotes(code, numberOf);
  const text = codeText(bare, BREAK);
  const lines = text.split(BREAKS).map((line) => line.replaceAll('\u00a0', ' ').trimEnd());
  const whole = lines.join('\n').replace(/^\n+/, '').trimEnd();
  if (whole.includes('\n') && isBlockOfCode(code)) return fenced(whole, languageOf(code)) + marks;
  return `${followsCode(code) ? '<!-- -->' : ''}${inlineCode(text, code)}${marks}`;
}

/** Code in a line and in blocks. */
export function addCode(service: TurndownService, numberOf: NumberOf): void {
  // The library reads over ends of lines that are elements, and writes links and emphasis into code.
  service.addRule('pre', {
    filter: 'pre',
    replacement(_text, node) {
      const [bare, marks] = withoutFootnotes(node, numberOf);
      return `${fenced(codeText(bare), languageOf(node))}${marks}\n\n`;
    },
  });
  service.addRule('code', {
    filter: 'code',
    replacement: (_text, node) => codeOf(node, numberOf),
  });
}
