import type TurndownService from 'turndown';

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

/** The text of code, with the ends of lines that are elements. */
function codeText({ nodeName, nodeValue, childNodes }: Node): string {
  if (nodeName === '#text') return nodeValue ?? '';
  if (nodeName === 'BR') return '\n';
  const parts: string[] = [];
  let wasLine = false;
  for (const child of Array.from(childNodes)) {
    const text = codeText(child);
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

/** The library writes spaces at its ends outside of it. */
function inlineCode(text: string): string {
  const line = text.trim().replaceAll(/\r?\n|\r/g, ' ');
  if (line === '') return '';
  const runs = new Set<string>(line.match(/`+/g));
  let mark = '`';
  while (runs.has(mark)) mark += '`';
  const space = /^`|`$/.test(line) ? ' ' : '';
  return `${mark}${space}${line}${space}${mark}`;
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

/** Code in a line and in blocks. */
export function addCode(service: TurndownService): void {
  // The library reads over ends of lines that are elements, and writes links and emphasis into code.
  service.addRule('pre', {
    filter: 'pre',
    replacement: (_text, node) => fenced(codeText(node), languageOf(node)),
  });
  service.addRule('code', {
    filter: 'code',
    replacement: (_text, node) => `${followsCode(node) ? '<!-- -->' : ''}${inlineCode(codeText(node))}`,
  });
}
