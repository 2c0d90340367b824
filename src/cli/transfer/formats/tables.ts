import { tables } from '@joplin/turndown-plugin-gfm';
import type TurndownService from 'turndown';
import { withoutMarks } from './anchors.ts';
import { htmlWithLinks } from './embeds.ts';
import { leadMarks, type NumberOf } from './footnotes.ts';

type Element = Parameters<TurndownService.FilterFunction>[0];

/** What a cell of Markdown cannot hold, and cells of several rows, which would move others into another column. */
const AS_HTML = 'ul,ol,h1,h2,h3,h4,h5,h6,hr,blockquote,[rowspan]:not([rowspan="1"])';

/** A cell looks for its place among all of the row, and one of many columns is written once for each of them. */
const MAX_COLUMNS = 200;

const countOf = (node: Element, selector: string): number => Array.from(node.querySelectorAll(selector)).length;

/** The rows, from now on found: the library asks for them with each row of each column, and the tree looks through all of the table. */
function findRows(table: Element): Element[] {
  const rows = Array.from(table.querySelectorAll<Element>('tr'));
  Object.defineProperty(table, 'rows', { value: rows });
  return rows;
}

const columnsOf = (row: Element): number =>
  Array.from(row.children).reduce((sum, cell) => sum + Math.max(1, Number(cell.getAttribute('colspan')) || 1), 0);

const largest = (numbers: readonly number[]): number => numbers.reduce((most, n) => Math.max(most, n), 0);

/** Whether the library takes a row for a heading, as it does with all rows of a `thead`, and writes delimiters below it. */
function isHeading(row: Element): boolean {
  const around = row.parentElement;
  if (around === null || row.children.length === 0) return false;
  if (around.nodeName === 'THEAD') return true;
  return (
    around.firstElementChild === row &&
    Array.from(row.children).every(({ nodeName }) => nodeName === 'TH') &&
    (around.nodeName === 'TABLE' || isFirst(around))
  );
}

/** Whether nothing but an empty `thead` is before a part of a table. Is asked once a part: that text may be long. */
function isFirst({ previousElementSibling: before }: Element): boolean {
  return before === null || (before.nodeName === 'THEAD' && before.textContent?.trim() === '');
}

/**
 * Whether there is one heading at most, and as many delimiters as columns: of others no table is made, or cells are left out.
 * The library writes one below each cell of a heading, whatever its width, or for each cell of the row that has most.
 */
function isEven(rows: readonly Element[]): boolean {
  const [heading, ...more] = rows.filter(isHeading);
  if (more.length > 0) return false;
  const cells = heading ? heading.children.length : largest(rows.map(({ children }) => children.length));
  // What stands alone is no table.
  return (rows.length === 1 && cells <= 1) || cells === largest(rows.map(columnsOf));
}

function staysHtml(table: Element): boolean {
  const rows = findRows(table);
  if (table.querySelector(AS_HTML) || rows.some((row) => columnsOf(row) > MAX_COLUMNS)) return true;
  if (!table.querySelector('table') && !isEven(rows)) return true;
  // Code in the only cell is the frame of a highlighter.
  return Boolean(table.querySelector('pre')) && countOf(table, 'td,th') > 1;
}

/** Asks once of a table what each of its cells wants to know. */
function onceOf(ask: (table: Element) => boolean): (table: Element) => boolean {
  const answers = new WeakMap<Element, boolean>();
  return (table) => {
    const answer = answers.get(table) ?? ask(table);
    answers.set(table, answer);
    return answer;
  };
}

/** Tables as Markdown where it can hold them, else as HTML, which the service shows. */
export function addTables(service: TurndownService, numberOf: NumberOf): void {
  const isHtml = onceOf(staysHtml);
  const isLayout = onceOf((table) => Boolean(table.querySelector('table')));
  const isWithin = (node: Element, is: (table: Element) => boolean): boolean => {
    const table = node.closest<Element>('table');
    return Boolean(table) && is(table as Element);
  };
  service.use([tables]);
  // A table around others is a layout: its cells are read one after the other.
  service.addRule('cell of a layout', {
    filter: (node) => ['TD', 'TH'].includes(node.nodeName) && isWithin(node, isLayout),
    replacement: (content) => `\n\n${content}\n\n`,
  });
  service.addRule('part of a table as HTML', {
    filter: (node) => ['TR', 'TD', 'TH'].includes(node.nodeName) && isWithin(node, isHtml),
    replacement: () => '',
  });
  service.addRule('table as HTML', {
    filter: (node) => node.nodeName === 'TABLE' && isHtml(node),
    replacement(_text, node) {
      // It is written with the one around it.
      if (node.parentElement && isWithin(node.parentElement, isHtml)) return '';
      const marks = leadMarks(node, numberOf);
      // A blank line would end the HTML.
      const html = withoutMarks(htmlWithLinks(node)).replaceAll(/\n(?=[ \t]*\n)/g, '&#10;');
      return `\n\n${html}\n\n${marks}\n\n`;
    },
  });
}
