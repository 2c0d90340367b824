import type TurndownService from 'turndown';

type Element = Parameters<TurndownService.FilterFunction>[0];

/** What cannot stand in the text of a link. */
const BLOCKS = 'p,div,h1,h2,h3,h4,h5,h6,figure,ul,ol,blockquote,table,pre,section,article,header,footer,hr';

const address = (written: string): string => {
  const href = written.trim().replaceAll(/[<>\s]/g, encodeURIComponent);
  return /[()]/.test(href) ? `<${href}>` : href;
};

/** An address as a link that shows its title, or itself. Between `<` and `>` only one with a scheme is read as such. */
export function shownAddress(written: string, title = ''): string {
  const href = written.trim().replaceAll(/[<>\s]/g, encodeURIComponent);
  const shown = title.replaceAll(/\s+/g, ' ').trim();
  if (shown !== '') return `[${shown}](${address(href.replace(/^(?=\/\/)/, 'https:'))})`;
  if (href.startsWith('//')) return `<https:${href}>`;
  return /^[a-z][a-z0-9+.-]+:/i.test(href)
    ? `<${href}>`
    : `[${href.replaceAll(/[\\[\]_*`]/g, '\\$&')}](${address(href)})`;
}

/** In the text of a link no address is bare. */
const showsAddress = ({ nodeName, textContent, childNodes }: Node): boolean =>
  nodeName === 'A' &&
  /https?:\/\//.test(textContent ?? '') &&
  Array.from(childNodes).every((child) => child.nodeName === '#text');

function linkOf(text: string, link: Element): string {
  const title = (link.getAttribute('title') ?? '').replaceAll(/\s+/g, ' ').replaceAll(/["\\]/g, '\\$&');
  return `[${text}](${address(link.getAttribute('href') ?? '')}${title === '' ? '' : ` "${title}"`})`;
}

/** A first block that begins like this is no title: a list, a quote, a table, code, HTML. */
const NO_TITLE = /^(?:[-*+>|`<]|\d+\.\s)/;

/**
 * A link around blocks, as the cards of editors are: its first block becomes the link, the others stay as they are,
 * since the text of a link in Markdown cannot hold them.
 */
function linkAround(content: string, href: string): string {
  const [first = '', ...rest] = content.trim().split(/\n\s*\n/);
  if (NO_TITLE.test(first)) return `\n\n${shownAddress(href)}\n\n${content.trim()}\n\n`;
  const [, level = '', title = ''] = /^(#{1,6} )?([^]*)$/.exec(first) ?? [];
  return `\n\n${[`${level}[${title}](${address(href)})`, ...rest].join('\n\n')}\n\n`;
}

/** The scheme of an address that runs something or names a file: such a link would be shown as it is written. */
const deadScheme = (href: string): string | undefined =>
  /^(?:javascript|vbscript|data|file):/i.exec(href.replaceAll(/[\0-\x20]/g, ''))?.[0].toLowerCase();

/** Links of which only their text is left. Those to `#` are hooks of scripts. */
const isDead = (href: string): boolean => href.trim() === '#' || deadScheme(href) !== undefined;

/** Links. `inLink` writes a text into the text of one. */
export function addLinks(
  service: TurndownService,
  inLink: (text: string) => string,
  note: (text: string) => void,
): void {
  service.addRule('link that shows an address', {
    filter: (node) => Boolean(node.getAttribute('href')) && showsAddress(node),
    replacement: (_text, node) => linkOf(inLink(node.textContent.trim()), node),
  });
  service.addRule('link around blocks', {
    filter: (node) =>
      node.nodeName === 'A' && Boolean(node.getAttribute('href')) && Boolean(node.querySelector(BLOCKS)),
    replacement: (content, node) => linkAround(content, node.getAttribute('href') ?? ''),
  });
  service.addRule('link that leads nowhere', {
    filter: (node) => node.nodeName === 'A' && isDead(node.getAttribute('href') ?? ''),
    replacement(content, node) {
      const scheme = deadScheme(node.getAttribute('href') ?? '');
      if (scheme !== undefined) note(`link to ${scheme} made text`);
      return content;
    },
  });
}
