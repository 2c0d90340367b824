import { isSlug, slugifyAny } from '../../../lib/slug.ts';
import { decoded, told } from './addresses.ts';
import { type Fit, oneLine, owned } from './fit.ts';

/** Of a link in HTML what stands before its address, the quote, and the address. Code has `&lt;` for what begins one. */
const LINK = /(<a\s(?:[^<>]*?\s)?href\s*=\s*)(["'])([^"'<>]*)\2/gi;
const IMAGE = /<img\s(?:[^<>]*?\s)?src\s*=\s*["']([^"'<>]*)["']/gi;

const hostOf = ({ host }: URL): string => host.replace(/^www\./, '');

/** A page, however its address is written; WordPress has a short one by the number of the post. */
function pageOf({ pathname, searchParams }: URL): string {
  const number = searchParams.get('p');
  return number === null ? decoded(pathname).replace(/\/+$/, '').toLowerCase() : `?p=${number}`;
}

/** What an export tells of the site that it comes from: its host, and where on it the posts were that everybody could read. */
export class OldSite {
  #host: string | undefined;
  readonly #slugs = new Map<string, string>();
  readonly #taken = new Set<string>();

  /** Given again, the last one counts. */
  set address(address: string | undefined) {
    const written = address?.trim() ?? '';
    if (URL.canParse(written)) this.#host = hostOf(new URL(written)) || this.#host;
  }

  /** A post, with the addresses at which everybody could read it. One with the slug of an earlier one of the file gets another, which is not known yet. */
  add(slug: string | undefined, addresses: readonly string[]): void {
    const given = oneLine(slug) ?? '';
    const own = isSlug(given) ? given : slugifyAny(given);
    if (own === '' || this.#taken.has(own)) return;
    const kept = owned(own);
    this.#taken.add(kept);
    for (const address of addresses) {
      const url = this.#own(address);
      if (url !== undefined) this.#slugs.set(owned(pageOf(url)), kept);
    }
  }

  /**
   * HTML in which links to those posts lead to their pages here. Notes tell what else of it is on the old site, and goes with that: other
   * links, and images.
   */
  withPages(html: string, fit: Fit): string {
    const links = new Set<string>();
    const shown = html.replaceAll(LINK, (found, before: string, quote: string, address: string) => {
      const url = this.#own(address);
      if (url === undefined) return found;
      const slug = this.#slugs.get(pageOf(url));
      if (slug === undefined) links.add(address.trim());
      return slug === undefined ? found : `${before}${quote}/blog/${slug}${url.hash}${quote}`;
    });
    const images = new Set<string>();
    for (const [, address = ''] of html.matchAll(IMAGE)) if (this.#own(address) !== undefined) images.add(address);
    told(fit, 'link', links, 'it leads to the old site');
    told(fit, 'image', images, 'it stays on the old site');
    return shown;
  }

  /** An address of the site; undefined for any other. */
  #own(written: string): URL | undefined {
    const address = written.trim();
    const base = `https://${this.#host ?? 'site.invalid'}`;
    if (!/^(?:https?:)?\/{1,2}[^/\s]/i.test(address) && address !== '/') return undefined;
    if (!URL.canParse(address, base)) return undefined;
    const url = new URL(address, base);
    return hostOf(url) === hostOf(new URL(base)) ? url : undefined;
  }
}
