import type TurndownService from 'turndown';

type Element = Parameters<TurndownService.FilterFunction>[0];

/** Pictures that stand for a character, which they name: without their size a page shows them as large as it can. */
const EMOJI = 'img.emoji,img.wp-smiley,img[src*="//s.w.org/images/core/emoji/"]';
/** Where plugins put the address of an image that is loaded when it is seen. */
const LATER = ['data-src', 'data-lazy-src', 'data-orig-file', 'data-original'];

const isData = (address: string): boolean => /^\s*data:/i.test(address);

/** Images that the service would not show as they are. */
export function addImages(service: TurndownService, note: (text: string) => void): void {
  service.addRule('emoji', {
    filter: (node) => node.nodeName === 'IMG' && node.matches(EMOJI) && Boolean(node.getAttribute('alt')?.trim()),
    replacement: (_content, node) => service.escape(node.getAttribute('alt') ?? ''),
  });
  // The library's rule reads them behind this one.
  service.addRule('image in the text itself', {
    filter: (node) => node.nodeName === 'IMG' && (isData(sourceOf(node)) || laterOf(node) !== undefined),
    replacement(_content, node) {
      const address = laterOf(node);
      if (address !== undefined) return imageOf(service, node, address);
      note('image left out: it stands in the text itself (data:)');
      return service.escape(node.getAttribute('alt') ?? '');
    },
  });
}

const sourceOf = (image: Element): string => image.getAttribute('src') ?? '';

/** The address of an image of which the text shows another one meanwhile, or none. */
function laterOf(image: Element): string | undefined {
  const source = sourceOf(image);
  if (source !== '' && !isData(source)) return undefined;
  return LATER.map((name) => image.getAttribute(name) ?? '').find((address) => address !== '' && !isData(address));
}

function imageOf(service: TurndownService, image: Element, address: string): string {
  const alt = service.escape((image.getAttribute('alt') ?? '').replaceAll(/\s+/g, ' '));
  return `![${alt}](<${address.trim().replaceAll(/[<>\s]/g, encodeURIComponent)}>)`;
}
