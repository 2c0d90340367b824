import type { Module, Platform } from '../../platform/platform.ts';
import { allPages } from './pages/all-pages.ts';
import { unsentIn } from './acting/unsent.ts';
import { failed } from './pages/errors.ts';
import { createSiteContext, type SiteDeps } from './site.ts';

/**
 * Scripts and styles are files of ours, nothing is inline; pictures come from wherever writers say. No
 * `upgrade-insecure-requests`: it may be served by http.
 */
const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src http: https: data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': CSP,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'cross-origin-opener-policy': 'same-origin',
};

/** The public site: pages, feeds and sitemaps of the blog. None with `SITE=off`. */
export function createSite({ config }: Platform, deps: SiteDeps): { module: Module } {
  const site = createSiteContext(config, deps);
  return {
    module: {
      name: 'site',
      routes: [],
      loops: [],
      ...(config.SITE
        ? {
            pages: {
              pages: allPages(site),
              below: '/blog',
              headers: HEADERS,
              onError: (error, requestId, sent) => failed(site, error, { requestId, unsent: unsentIn(sent) }),
            },
          }
        : {}),
    },
  };
}
