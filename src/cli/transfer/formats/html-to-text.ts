import TurndownService from 'turndown';
import { convert, DROPPED, HtmlError } from './html-to-markdown.ts';

/** Elements that say how their text looks, or in what place it stands. */
const BARE = ['em', 'i', 'strong', 'b', 'del', 's', 'code', 'kbd', 'samp', 'var', 'span', 'cite', 'q'] as const;
const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'] as const;

/** A link's text, with its address where that says more. */
function linkText(text: string, href: string): string {
  const plain = (address: string): string => address.replace(/^(?:https?:\/\/|mailto:)/i, '').replace(/\/$/, '');
  return /^(?:https?|mailto):/i.test(href) && plain(text) !== plain(href) ? `${text} (${href})`.trim() : text;
}

function converter(): TurndownService {
  const service = new TurndownService({ br: '', hr: '', bulletListMarker: '-' });
  service.escape = (text) => text;
  service.addRule('bare', { filter: [...BARE], replacement: (text) => text });
  service.addRule('heading', { filter: [...HEADINGS], replacement: (text) => `\n\n${text}\n\n` });
  service.addRule('dropped', { filter: [...DROPPED], replacement: () => '' });
  service.addRule('pre', { filter: 'pre', replacement: (_text, node) => `\n\n${node.textContent ?? ''}\n\n` });
  service.addRule('image', {
    filter: 'img',
    replacement: (_text, node) => node.getAttribute('alt') ?? '',
  });
  service.addRule('link', {
    filter: 'a',
    replacement: (text, node) => linkText(text, node.getAttribute('href') ?? ''),
  });
  service.addRule('item', {
    filter: 'li',
    replacement: (text, node) => `- ${text.trim()}${node.nextSibling ? '\n' : ''}`,
  });
  return service;
}

/**
 * HTML as plain text: blank lines between paragraphs, a line end for each break, `-` before items and `>` before quoted
 * lines as in letters, addresses behind the text of their links, and no other marks. Throws HtmlError.
 */
export const htmlToText = (html: string): string => convert(html, converter());

/** A name or a short text that its system stores as HTML; as it is written where it cannot be read as such. */
export function plainText(html: string): string {
  if (!/[&<]/.test(html)) return html;
  try {
    return htmlToText(html);
  } catch (error) {
    if (error instanceof HtmlError) return html;
    throw error;
  }
}
