import { gfm } from '@joplin/turndown-plugin-gfm';
import TurndownService from 'turndown';

/** What says nothing in a post: what word processors and sites put around a text. */
const DROPPED = [
  'script',
  'style',
  'meta',
  'link',
  'title',
  'noscript',
  'iframe',
  'object',
  'template',
  'svg',
] as const;

function converter(): TurndownService {
  const turndown = new TurndownService({
    headingStyle: 'atx',
    bulletListMarker: '-',
    codeBlockStyle: 'fenced',
    emDelimiter: '*',
  });
  turndown.use(gfm);
  turndown.remove([...DROPPED] as Parameters<TurndownService['remove']>[0]);
  turndown.addRule('unsafe links', {
    filter: (node) => node.nodeName === 'A' && !/^(https?:|mailto:|[/#])/i.test(node.getAttribute('href') ?? ''),
    replacement: (content) => content,
  });
  turndown.addRule('images without an address of their own', {
    filter: (node) => node.nodeName === 'IMG' && !/^https?:/i.test(node.getAttribute('src') ?? ''),
    replacement: () => '',
  });
  return turndown;
}

/** Styles say nothing in Markdown, and the policy of the page would complain of each. */
const withoutStyles = (html: string): string =>
  html
    .replaceAll(/<style\b[\s\S]*?<\/style>/gi, '')
    .replaceAll(/<[a-z][^>]*>/gi, (tag) => tag.replaceAll(/\sstyle\s*=\s*("[^"]*"|'[^']*')/gi, ''));

let made: TurndownService | undefined;

/**
 * Markdown of what was copied from a page or a word processor; null when it holds nothing but plain text, which is pasted as
 * it is. The HTML is read as a document of its own, in which nothing is loaded or run.
 */
export function markdownOf(html: string, plain: string): string | null {
  const { body } = new DOMParser().parseFromString(withoutStyles(html), 'text/html');
  // Code editors put each line into a div with colours: the text is what was meant.
  if (body.querySelector('h1,h2,h3,h4,h5,h6,p,a,ul,ol,table,blockquote,img,b,strong,i,em,pre,code') === null)
    return null;
  made ??= converter();
  const markdown = made
    .turndown(body)
    .replaceAll('\u00a0', ' ')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
  return markdown === '' || markdown === plain.trim() ? null : markdown;
}
