import { posix } from 'node:path';

/** Where the documentation begins. */
export const HOME = '/docs';
/** The reference of the API. */
export const REFERENCE = '/docs/api';
/** What is searched for stands in `q`. */
export const SEARCH = '/docs/search';

const README = /(?:^|\/)README\.md$/;

/**
 * The address of a file, which is given by its path from the root of the repository. Pages of `docs/` have short ones:
 * `docs/adr/0005-delivery-engine.md` is `/docs/adr/0005-delivery-engine`. Everything else stands below `/docs/-/` by its path.
 */
export function addressOf(path: string): string {
  if (!path.startsWith('docs/')) return `${HOME}/-/${path}`;
  const inner = path.slice('docs/'.length).replace(README, '').replace(/\.md$/, '');
  return inner === '' ? HOME : `${HOME}/${inner}`;
}

/** A file that a page links to; null for what is no file of the repository. `from`: the page's own path. */
export function linkedFile(from: string, href: string): { path: string; hash: string } | null {
  if (/^[a-z][a-z0-9+.-]*:|^\//i.test(href)) return null;
  const [target = '', hash] = href.split('#');
  const path = target === '' ? from : posix.join(posix.dirname(from), decodeURI(target)).replace(/\/$/, '');
  return path.startsWith('..') ? null : { path, hash: hash === undefined ? '' : `#${hash}` };
}
