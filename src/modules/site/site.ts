import type { Accounts } from '../accounts/index.ts';
import { type Blog, PAGES_SHARE } from '../blog/index.ts';
import type { Config } from '../../platform/config/index.ts';
import { KeptPages } from './kept-pages.ts';
import { type Links, linksBelow } from './links.ts';
import { type Assets, makeAssets } from './look/assets.ts';

/** What the pages have in common: the settings, addresses, and the functions of the modules behind them. */
export interface Site {
  title: string;
  description: string | undefined;
  /** BCP 47 tag: of the posts, and of dates. */
  language: string;
  logoUrl: string | undefined;
  links: Links;
  assets: Assets;
  reads: Blog['pages']['reads'];
  acts: Blog['pages']['acts'];
  /** What is the same for all who are not signed in. */
  kept: KeptPages;
  readers: Accounts['readers'];
  /** Whether readers may sign up by themselves. */
  takesSignUps: boolean;
  /** Seconds that a session lasts. */
  sessionSeconds: number;
  /** Whether browsers come by https: then cookies are for https only. */
  isSecure: boolean;
  /** A link as a whole address; `listening`: what to begin with where POSTHORN_PUBLIC_URL is not set. */
  absolute(link: string, listening: () => string): string;
  /** The one address of a page for search engines; undefined where POSTHORN_PUBLIC_URL is not set: a guess would mislead them. */
  canonical(link: string): string | undefined;
  /** A day in the words of the language, in UTC. */
  dayOf(time: Date): string;
  /** The same without the year. */
  shortDayOf(time: Date): string;
  /** A month (`2026-03`) in the words of the language. */
  monthOf(month: string): string;
}

export interface SiteDeps {
  blog: Blog['pages'];
  readers: Accounts['readers'];
}

/**
 * To make a formatter takes longer than to use it, so there is one of each; and the first of a process some 40 ms, so none is made
 * before a page needs it.
 */
function formatters(language: string): Pick<Site, 'dayOf' | 'shortDayOf' | 'monthOf'> {
  const formatting = (options: Intl.DateTimeFormatOptions): ((time: Date) => string) => {
    let made: Intl.DateTimeFormat | undefined;
    return (time) => (made ??= new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' })).format(time);
  };
  const month = formatting({ year: 'numeric', month: 'long' });
  return {
    dayOf: formatting({ dateStyle: 'long' }),
    shortDayOf: formatting({ month: 'short', day: 'numeric' }),
    monthOf: (text) => month(new Date(`${text}-01T00:00:00Z`)),
  };
}

export function createSiteContext(config: Config, { blog, readers }: SiteDeps): Site {
  const { reads, acts, watch } = blog;
  const publicUrl = config.POSTHORN_PUBLIC_URL;
  const origin = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  const [language = 'en'] = Intl.getCanonicalLocales(config.SITE_LANGUAGE);
  return {
    title: config.SITE_TITLE,
    description: config.SITE_DESCRIPTION,
    language,
    logoUrl: config.SITE_LOGO_URL,
    links: linksBelow(publicUrl),
    assets: makeAssets(config.SITE_ACCENT),
    reads,
    acts,
    kept: new KeptPages({ watch, maxBytes: config.BLOG_CACHE_MB * 1024 * 1024 * PAGES_SHARE }),
    readers,
    takesSignUps: config.POSTHORN_SIGN_UP,
    sessionSeconds: config.SESSION_SECONDS,
    isSecure: publicUrl?.startsWith('https:') === true,
    absolute: (link, listening) => (origin ?? listening()) + link,
    canonical: (link) => (origin === undefined ? undefined : origin + link),
    ...formatters(language),
  };
}
