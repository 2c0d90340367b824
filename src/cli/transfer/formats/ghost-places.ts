import type { Fit } from './fit.ts';

/** What Ghost writes for the address of the site. */
const PLACE = '__GHOST_URL__';
/** Versions before 4 write its files without the site, from the root of the host, also where the blog is below a path. */
const FILE = /^\/(?:[^\s"'<>/]+\/){0,5}content\/(?:images|files|media)\//;
/** Before the address: the tag, as text has none, and its attribute. */
const FILES =
  /(<(?:img|a|audio|video|source)\s(?:[^<>]*?\s)?(?:src|href)\s*=\s*["'])(?=\/(?:[^\s"'<>/]+\/){0,5}content\/(?:images|files|media)\/)/gi;

function withSite(fit: Fit, isLacking: boolean, site: string | undefined): string {
  if (site === undefined && isLacking) fit.note('addresses without their site: give it with --site');
  return site ?? '';
}

const hostOf = (site: string | undefined): string =>
  site !== undefined && URL.canParse(site) ? new URL(site).origin : '';

/** HTML with the address of the old site where the user gave one; else from its root. */
export function placed(fit: Fit, html: string, site: string | undefined): string {
  const whole = html.includes(PLACE) ? html.replaceAll(PLACE, withSite(fit, true, site)) : html;
  const host = hostOf(site);
  if (site === undefined && html.search(FILES) >= 0) withSite(fit, true, site);
  return host === '' ? whole : whole.replaceAll(FILES, (before: string) => `${before}${host}`);
}

/** The same of an address alone. One that lacks its site and is not given it is none. */
export function fileOf(fit: Fit, address: string, site: string | undefined): string {
  if (!FILE.test(address)) return address.replaceAll(PLACE, withSite(fit, address.includes(PLACE), site));
  withSite(fit, true, site);
  return `${hostOf(site)}${address}`;
}
