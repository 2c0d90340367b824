import { cutText } from '../../../lib/markdown-text.ts';
import type { Fit } from './fit.ts';

/** Behind one of backticks stands none on its line: else it is code in a line. */
export const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const IMAGE_FILE = /\.(?:png|jpe?g|gif|svg|webp|avif)$/i;
/** Of a link or image, of which the latter may be the text of the former. */
const INLINE = /(!\[[^[\]]*)?\]\(\s*<?([^()<>\s]+)/g;
/** `[name]: address "title"`; footnotes begin with `^`. */
const DEFINITION = /^ {0,3}\[[^[\]^][^[\]]*\]:\s*<?([^<>\s]+)>?(?:\s*$|\s+["'(])/;
const HTML = /<(img|a)\s(?:[^<>]*?\s)?(?:src|href)\s*=\s*["']?([^"'<>\s]+)/gi;
/** As Jekyll, Hugo and others fill them in. */
const TEMPLATE = /\{\{|\{%/;

/** A line without its code, which stands between two runs of as many backticks. */
function withoutCode(line: string): string {
  const parts = line.split(/(`+)/);
  const last = new Map(parts.map((part, at) => [part, at]));
  let kept = '';
  let mark = '';
  for (const [at, part] of parts.entries()) {
    if (mark !== '') mark = part === mark ? '' : mark;
    else if (part.startsWith('`') && (last.get(part) ?? at) > at) mark = part;
    else kept += part;
  }
  return kept;
}

/** Lines of a Markdown text without what stands in fences and in code of a line. Linear. */
function* linesWithoutCode(markdown: string): Generator<string> {
  let fence = '';
  for (const line of markdown.split('\n')) {
    const mark = FENCE.exec(line)?.[1] ?? '';
    if (fence !== '') fence = mark.startsWith(fence) ? '' : fence;
    else if (mark === '') yield withoutCode(line);
    else fence = mark;
  }
}

const isElsewhere = (address: string): boolean => /^(?:[a-z][a-z0-9+.-]*:|\/\/|#|\?)/i.test(address);

function told(fit: Fit, kind: 'image' | 'link', addresses: ReadonlySet<string>, why: string): void {
  const [first, ...others] = addresses;
  if (first === undefined) return;
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  fit.note(`${kind} ${cutText(first, 60)}${more} left as written: ${why}`);
}

/**
 * Notes what of a Markdown text leads to files beside it, which stay where they are: images, also those of the old site's
 * own address, links to other files, and what only the program that made pages of it fills in.
 */
export function noteFiles(fit: Fit, markdown: string): void {
  const images = new Set<string>();
  const links = new Set<string>();
  let template = false;
  const add = (address: string, isImage: boolean): void => {
    if (isElsewhere(address) || TEMPLATE.test(address)) return;
    if (isImage) images.add(address);
    else if (!address.startsWith('/')) links.add(address);
  };
  for (const line of linesWithoutCode(markdown)) {
    template ||= TEMPLATE.test(line);
    for (const [, image, address = ''] of line.matchAll(INLINE)) add(address, image !== undefined);
    for (const [, name = '', address = ''] of line.matchAll(HTML)) add(address, name.toLowerCase() === 'img');
    const defined = DEFINITION.exec(line)?.[1];
    if (defined !== undefined) add(defined, IMAGE_FILE.test(defined));
  }
  told(fit, 'image', images, 'images are not imported');
  told(fit, 'link', links, 'it is relative to the file');
  if (template) fit.note('template tags ({{ }}, {% %}) left as text');
}
