import type TurndownService from 'turndown';

type Element = Parameters<TurndownService.FilterFunction>[0];

/** What plays or shows something from elsewhere becomes a link to it. */
export const EMBEDS = ['iframe', 'video', 'audio', 'embed', 'object'] as const;

/** What it plays or shows; empty where that is not said. */
export const sourceOf = (element: globalThis.Element): string =>
  ['src', 'data', 'href'].map((name) => element.getAttribute(name) ?? '').find((value) => value !== '') ??
  element.querySelector('source[src]')?.getAttribute('src') ??
  '';

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
