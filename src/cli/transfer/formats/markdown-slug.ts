import { isSlug, slugifyAny } from '../../../lib/slug.ts';
import type { ImportItem } from '../../../modules/blog/index.ts';
import { datedName } from './markdown-place.ts';
import type { Reader } from './markdown-reader.ts';

const HOST = /^(?:[a-z][a-z\d+.-]*:)?\/\/[^/?#]*/i;
/** What a server shows of a folder: no part of its address. */
const INDEX = /^index(?:\.(?:html?|php|md))?$/i;

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The last part of an address's path as a slug; '' for one that a program fills in (`/:year/:title/`). */
function lastPart(address: string): string {
  const [path = ''] = address.replace(HOST, '').split(/[?#]/, 1);
  if (/[:{]/.test(path)) return '';
  const parts = path.split('/').filter(Boolean);
  const last = parts.at(INDEX.test(parts.at(-1) ?? '') ? -2 : -1) ?? '';
  return slugifyAny(decoded(last.replace(/\.(?:html?|php|md)$/i, '')));
}

/**
 * A slug made from the path or from the old address is a hint: which of two files of one name is `-2` is for the service to say,
 * since it knows which one came first. Said here, one more file would change the addresses of others.
 */
export function slugOf(reader: Reader, path: string): { slug: string } | { slugHint: string } {
  const given = reader.text('slug');
  if (given !== undefined && isSlug(given)) return { slug: given };
  // A slug may be written as an address: its last part counts.
  const made = slugifyAny(decoded(given?.split('/').filter(Boolean).at(-1) ?? ''));
  if (given !== undefined) reader.note(made ? `slug ${given} made ${made}` : `slug ${given} cannot be one`);
  if (made) return { slug: made };
  return {
    slugHint: lastPart(reader.text('permalink', 'url') ?? '') || slugifyAny(datedName(path).name) || 'post',
  };
}

/** Addresses that led to it as well (`aliases` of Hugo, `redirect_from` of Jekyll), by their last parts. */
export function oldSlugsOf(reader: Reader, present: string): Pick<ImportItem, 'oldSlugs'> {
  const old = [...reader.list('aliases', 'alias'), ...reader.list('redirect_from')].map(lastPart);
  const oldSlugs = [...new Set(old)].filter((slug) => slug !== '' && slug !== present);
  return oldSlugs.length > 0 ? { oldSlugs: oldSlugs.slice(0, 1000) } : {};
}

/** Whole addresses that its page had, without those that a program fills in. */
export function addressesOf(reader: Reader): string[] {
  const written = [
    reader.text('permalink') ?? '',
    reader.text('url') ?? '',
    ...reader.list('aliases', 'alias'),
    ...reader.list('redirect_from'),
  ];
  return written.filter((address) => address.includes('/') && !/[:{]/.test(address.replace(HOST, '')));
}
