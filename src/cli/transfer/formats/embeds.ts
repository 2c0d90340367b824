import type TurndownService from 'turndown';
import { shownAddress } from './links.ts';

type Element = Parameters<TurndownService.FilterFunction>[0];

/** What plays or shows something from elsewhere becomes a link to it. */
export const EMBEDS = ['iframe', 'video', 'audio', 'embed', 'object'] as const;

/** Where an element says itself what it plays or shows, and where plugins put it that load it when it is seen. */
const SOURCES = ['src', 'data', 'href', 'data-src', 'data-lazy-src'];

/** What stands there until then, or shows nothing from elsewhere. */
const NO_SOURCE = /^\s*(?:$|about:|data:|javascript:)/i;

const ownSource = (element: globalThis.Element): string =>
  SOURCES.map((name) => element.getAttribute(name) ?? '').find((value) => !NO_SOURCE.test(value)) ?? '';

/** Elements within that say it, of several the first: players of old are an `object` around an `embed` and parameters. */
function innerSource(element: globalThis.Element): string {
  const sources = Array.from(element.querySelectorAll(['source', ...EMBEDS].join(','))).map(ownSource);
  const params = Array.from(element.querySelectorAll('param'))
    .filter((param) => /^(?:movie|src)$/i.test(param.getAttribute('name') ?? ''))
    .map((param) => param.getAttribute('value') ?? '');
  return [...sources, ...params].find((value) => !NO_SOURCE.test(value)) ?? '';
}

/** What it plays or shows; empty where that is not said. */
const sourceOf = (element: globalThis.Element): string => ownSource(element) || innerSource(element);

/** An embed as a link. `inLink` writes a text into the text of one. */
export function embedLink(node: Element, inLink: (text: string) => string, note: (text: string) => void): string {
  // The one around it has told.
  if (node.parentElement?.closest(EMBEDS.join(','))) return '';
  const name = node.nodeName.toLowerCase();
  const source = sourceOf(node);
  note(source === '' ? `${name} left out` : `${name} made a link`);
  return source === '' ? '' : `\n\n${shownAddress(source, inLink(node.getAttribute('title') ?? ''))}\n\n`;
}

/** The HTML of an element that stays HTML, which is read no more: the service shows no embeds, so there are links in their places. */
export function htmlWithLinks(element: Element): string {
  for (const embed of Array.from(element.querySelectorAll(EMBEDS.join(',')))) {
    const source = sourceOf(embed);
    const link = element.ownerDocument.createElement('a');
    link.setAttribute('href', source);
    const title = embed.getAttribute('title')?.trim() ?? '';
    link.textContent = title === '' ? source : title;
    if (source === '') embed.parentNode?.removeChild(embed);
    else embed.parentNode?.replaceChild(link, embed);
  }
  return element.outerHTML;
}
