import { cutText } from '../../../lib/markdown-text.ts';
import { CodeLines } from './code-lines.ts';
import type { Fit } from './fit.ts';
import { Places } from './places.ts';

const IMAGE_FILE = /\.(?:png|jpe?g|gif|svg|webp|avif)$/i;
/** Of a link or image, of which the latter may be the text of the former. */
const INLINE = /(!\[[^[\]]*)?\]\(\s*<?([^()<>\s]+)/g;
/** `[name]: address "title"`; footnotes begin with `^`. */
const DEFINITION = /^ {0,3}\[[^[\]^][^[\]]*\]:\s*<?([^<>\s]+)>?(?:\s*$|\s+["'(])/;
const HTML = /<(img|a)\s(?:[^<>]*?\s)?(?:src|href)\s*=\s*["']?([^"'<>\s]+)/gi;
/** As Jekyll, Hugo and others fill them in. */
const TEMPLATE = /\{\{|\{%/;

/** The parts of a line; code stands between two runs of as many backticks, which are parts of it. */
export function codeParts(line: string): { text: string; isCode: boolean }[] {
  const parts = line.split(/(`+)/);
  const last = new Map(parts.map((part, at) => [part, at]));
  let mark = '';
  return parts.map((text, at) => {
    const isCode = mark !== '' || (text.startsWith('`') && (last.get(text) ?? at) > at);
    if (mark === '' && isCode) mark = text;
    else if (text === mark) mark = '';
    return { text, isCode };
  });
}

const withoutCode = (line: string): string =>
  codeParts(line)
    .map(({ text, isCode }) => (isCode ? '' : text))
    .join('');

const isElsewhere = (address: string): boolean => /^(?:[a-z][a-z0-9+.-]*:|\/\/|#|\?)/i.test(address);

/** An address as it is meant; one that is no encoding of anything stays. */
export function decoded(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}

/** Notes addresses, by the first of them. */
export function told(fit: Fit, kind: 'image' | 'link', addresses: ReadonlySet<string>, why: string): void {
  const [first, ...others] = addresses;
  if (first === undefined) return;
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  fit.note(`${kind} ${cutText(first, 60)}${more} left as written: ${why}`);
}

/**
 * Notes what of a Markdown text leads to files beside it, which stay where they are: images, also those of the old site's
 * own address, links to other files, links within the page that lead nowhere, and what only the program that made pages of it fills in.
 */
export function noteFiles(fit: Fit, markdown: string): void {
  const images = new Set<string>();
  const links = new Set<string>();
  const places = new Places();
  const code = new CodeLines();
  let template = false;
  const add = (address: string, isImage: boolean): void => {
    if (!isImage) places.link(address);
    if (isElsewhere(address) || TEMPLATE.test(address)) return;
    if (isImage) images.add(address);
    else if (!address.startsWith('/')) links.add(address);
  };
  const read = (line: string): void => {
    template ||= TEMPLATE.test(line);
    for (const [, image, address = ''] of line.matchAll(INLINE)) add(address, image !== undefined);
    for (const [, name = '', address = ''] of line.matchAll(HTML)) add(address, name.toLowerCase() === 'img');
    const defined = DEFINITION.exec(line)?.[1];
    if (defined !== undefined) add(defined, IMAGE_FILE.test(defined));
  };
  for (const line of markdown.split('\n')) {
    const text = code.has(line) ? '' : withoutCode(line);
    places.line(line, text);
    read(text);
  }
  told(fit, 'image', images, 'images are not imported');
  told(fit, 'link', links, 'it is relative to the file');
  places.note(fit);
  if (template) fit.note('template tags ({{ }}, {% %}) left as text');
}
