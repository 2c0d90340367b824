import { isSlug, slugifyAny } from '../../lib/slug.ts';

/** Addresses of the site's pages, as links from one to another: below the path of POSTHORN_PUBLIC_URL, if it has one. */
export interface Links {
  home: string;
  post: (slug: string) => string;
  /** Where a form about a post, or a part of it, is sent: `like`. */
  ofPost: (slug: string, what: string) => string;
  /** All replies of the thread of a top comment. */
  replies: (commentId: string, slug: string) => string;
  category: (name: string) => string;
  tag: (name: string) => string;
  author: (name: string) => string;
  /** A year (`2026`), a month (`2026-03`), or all. */
  archive: (time?: string) => string;
  /** Pages and files that are no posts: no slug is a single dash. */
  other: (path: string) => string;
  feeds: FeedLinks;
  feedsOf: (list: 'category' | 'tag', name: string) => FeedLinks;
  sitemap: string;
}

export interface FeedLinks {
  rss: string;
  atom: string;
  json: string;
}

const feedsBelow = (path: string): FeedLinks => ({
  rss: `${path}/feed.xml`,
  atom: `${path}/atom.xml`,
  json: `${path}/feed.json`,
});

/** `publicUrl`: POSTHORN_PUBLIC_URL; the proxy that serves it takes its path away, so no route of ours has it. */
export function linksBelow(publicUrl: string | undefined): Links {
  const base = publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '');
  const home = `${base}/blog`;
  const named = (kind: string, name: string): string => `${home}/${kind}/${encodeURIComponent(name.toWellFormed())}`;
  return {
    home,
    post: (slug) => `${home}/${slug}`,
    ofPost: (slug, what) => `${home}/${slug}/${what}`,
    replies: (commentId, slug) => withQuery(`${home}/-/comments/${commentId}/replies`, { post: slug }),
    category: (name) => named('category', name),
    tag: (name) => named('tag', name),
    author: (name) => named('author', name),
    archive: (time) => `${home}/-/archive${time === undefined ? '' : `/${time.replace('-', '/')}`}`,
    other: (path) => `${home}/-/${path}`,
    feeds: feedsBelow(home),
    feedsOf: (list, name) => feedsBelow(named(list, name)),
    sitemap: `${home}/sitemap.xml`,
  };
}

/** The post of an address, also of one in capitals, or as other systems spell slugs. */
export const slugIn = ({ slug = '' }: Readonly<Record<string, string>>): string =>
  isSlug(slug) ? slug : slugifyAny(slug);

/** A link with parameters, after those that it has; those without a value are left out. */
export function withQuery(link: string, query: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  const text = new URLSearchParams(given).toString();
  return text === '' ? link : `${link}${link.includes('?') ? '&' : '?'}${text}`;
}

/** Segments that lead out of where an address seems to be, also as browsers read `%2e`. */
const DOTS = /\/(?:\.|%2e){1,2}(?:[/?#]|$)/i;

/**
 * Where to go after a form: only a page of the site, whatever the address of the form said. Never another host
 * (`//host`, `/\host`) or what else is on this one (`/blog/../`).
 */
export function nextOf(links: Links, wanted: string | undefined): string {
  if (wanted === undefined || wanted.length > 1000 || !/^\/[\x21-\x5b\x5d-\x7e]*$/.test(wanted)) return links.home;
  const isOurs = wanted.startsWith(links.home) && /^(?:[/?#]|$)/.test(wanted.slice(links.home.length));
  return isOurs && !wanted.includes('//') && !DOTS.test(wanted) ? wanted : links.home;
}
