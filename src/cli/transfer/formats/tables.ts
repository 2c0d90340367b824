import { tables } from '@joplin/turndown-plugin-gfm';
import type TurndownService from 'turndown';

type Element = Parameters<TurndownService.FilterFunction>[0];

/** What a cell of Markdown cannot hold, and cells of several rows, which would move others into another column. */
const AS_HTML = 'ul,ol,h1,h2,h3,h4,h5,h6,hr,blockquote,[rowspan]:not([rowspan="1"])';

function staysHtml(node: Element): boolean {
  if (node.nodeName !== 'TABLE') return false;
  if (node.querySelector(AS_HTML)) return true;
  // Code in the only cell is the frame of a highlighter.
  return Boolean(node.querySelector('pre')) && Array.from(node.querySelectorAll('td,th')).length > 1;
}

/** A table around others is a layout: its cells are read one after the other. */
const isOfLayout = (node: Element): boolean =>
  ['TD', 'TH'].includes(node.nodeName) && Boolean(node.closest('table')?.querySelector('table'));

/** Tables as Markdown where it can hold them, else as HTML, which the service shows. */
export function addTables(service: TurndownService): void {
  service.use([tables]);
  service.addRule('cell of a layout', { filter: isOfLayout, replacement: (content) => `\n\n${content}\n\n` });
  service.addRule('table as HTML', {
    filter: staysHtml,
    // A blank line would end the HTML.
    replacement: (_text, node) => `\n\n${node.outerHTML.replaceAll(/\n(?=[ \t]*\n)/g, '&#10;')}\n\n`,
  });
}
