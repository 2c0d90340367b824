import type TurndownService from 'turndown';
import { type NumberOf, withoutFootnotes } from './footnotes.ts';

/** Marks in a line that Markdown has no notation for, and that the service shows. */
const MARKS = ['sup', 'sub', 'kbd', 'mark', 'u', 'ins', 'abbr'] as const;

type Element = Parameters<TurndownService.FilterFunction>[0];

const inText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const inValue = (text: string): string => inText(text).replaceAll('"', '&quot;').replaceAll(/\s+/g, ' ');

function mark(content: string, node: Element): string {
  if (content === '') return content;
  const name = node.nodeName.toLowerCase();
  const title = name === 'abbr' ? (node.getAttribute('title') ?? '') : '';
  return `<${name}${title === '' ? '' : ` title="${inValue(title)}"`}>${content}</${name}>`;
}

/** Blank lines around the content make it Markdown again; the line of the summary is HTML, so marks of footnotes stand behind it. */
function details(content: string, node: Element, numberOf: NumberOf): string {
  const written = Array.from(node.children).find((child) => child.nodeName === 'SUMMARY');
  const [bare, marks] = written ? withoutFootnotes(written, numberOf) : [undefined, ''];
  const summary = bare?.textContent?.trim() ?? '';
  const head = summary === '' ? '' : `\n<summary>${inText(summary).replaceAll(/\s+/g, ' ')}</summary>`;
  const body = [marks, content.trim()].filter((text) => text !== '').join('\n\n');
  return `\n\n<details${node.hasAttribute('open') ? ' open' : ''}>${head}\n\n${body}\n\n</details>\n\n`;
}

/** Keeps as HTML what the service shows and Markdown cannot say; what is in it becomes Markdown. */
export function addKeptHtml(service: TurndownService, numberOf: NumberOf): void {
  service.addRule('mark', { filter: [...MARKS], replacement: (content, node) => mark(content, node) });
  service.addRule('summary', { filter: 'summary', replacement: () => '' });
  service.addRule('details', { filter: 'details', replacement: (content, node) => details(content, node, numberOf) });
}
