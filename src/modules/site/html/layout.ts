import type { SessionCaller } from '../../../contracts/caller.ts';
import { type Markup, markup, type Part } from '../../../lib/markup.ts';
import type { FeedLinks } from '../links.ts';
import { withQuery } from '../links.ts';
import type { Site } from '../site.ts';

/** What a page brings for its frame. */
export interface Content {
  /** Without the name of the site; '' on the home page. */
  title: string;
  description?: string | undefined;
  /** The one address of this content, as a link. */
  canonical?: string | undefined;
  /** Not for search engines. */
  isHidden?: boolean;
  /** More for the head: Open Graph, JSON-LD. Default: what links to a list show. */
  head?: Part;
  feeds?: { title: string; links: FeedLinks };
  /** Where to come back to after signing in; default: the home page. */
  here?: string;
  /** What was searched for. */
  q?: string | undefined;
  main: Part;
}

/** Somebody who is signed in, as pages know them. */
export type Reader = Pick<SessionCaller, 'userId' | 'name' | 'blogRole'>;

/** Who looks at the page. `caller` null: nobody is signed in; undefined: not known, so nothing is said of it. */
export interface Viewer {
  caller?: Reader | null;
}

const FEED_TYPES = [
  ['rss', 'RSS', 'application/rss+xml'],
  ['atom', 'Atom', 'application/atom+xml'],
  ['json', 'JSON Feed', 'application/feed+json'],
] as const;

const feedLinks = ({ title, links }: { title: string; links: FeedLinks }): Markup[] =>
  FEED_TYPES.map(
    ([kind, name, type]) =>
      markup`<link rel="alternate" type="${type}" title="${title} (${name})" href="${links[kind]}">`,
  );

/** Canonical address and what search engines and other sites take from the head. */
function metaOf(site: Site, content: Content): Part[] {
  const { description, isHidden } = content;
  const canonical = content.canonical === undefined ? undefined : site.canonical(content.canonical);
  const { home, feeds } = site.links;
  return [
    description ? markup`<meta name="description" content="${description}">` : null,
    isHidden ? markup`<meta name="robots" content="noindex">` : null,
    canonical === undefined ? null : markup`<link rel="canonical" href="${canonical}">`,
    markup`<link rel="home" href="${home}">`,
    feedLinks({ title: site.title, links: feeds }),
    content.feeds ? feedLinks(content.feeds) : null,
    content.head ?? [
      markup`<meta property="og:type" content="website">`,
      markup`<meta property="og:site_name" content="${site.title}">`,
      markup`<meta property="og:title" content="${content.title || site.title}">`,
      description ? markup`<meta property="og:description" content="${description}">` : null,
    ],
  ];
}

function account(site: Site, { caller }: Viewer, here: string): Part {
  const { links } = site;
  if (caller === undefined) return null;
  if (caller === null) {
    return [
      markup`<li><a href="${withQuery(links.other('sign-in'), { next: here })}">Sign in</a></li>`,
      site.takesSignUps && markup`<li><a href="${withQuery(links.other('sign-up'), { next: here })}">Sign up</a></li>`,
    ];
  }
  return [
    markup`<li><span class="unseen">Signed in as </span><bdi>${caller.name}</bdi></li>`,
    markup`<li><form method="post" action="${links.other('sign-out')}">
<input type="hidden" name="next" value="${here}"><button class="plain">Sign out</button></form></li>`,
  ];
}

const brand = ({ title, logoUrl, links }: Site): Markup =>
  markup`<a class="brand" href="${links.home}">${logoUrl ? markup`<img src="${logoUrl}" alt="${title}">` : markup`<bdi>${title}</bdi>`}</a>`;

const top = (site: Site, viewer: Viewer, { here = site.links.home, q = '' }: Content): Markup => markup`
<header class="top"><div class="frame">
${brand(site)}
<form class="search" role="search" action="${site.links.home}">
<label class="unseen" for="q">Search</label><input id="q" type="search" name="q" value="${q}" maxlength="200" placeholder="Search" autocomplete="off">
<button>Search</button></form>
<nav aria-label="Site"><ul role="list">
<li><a href="${site.links.archive()}">Archive</a></li>
${account(site, viewer, here)}
</ul></nav>
</div></header>`;

const bottom = ({ title, links }: Site): Markup => markup`
<footer class="bottom"><div class="frame">
<p><bdi>${title}</bdi></p>
<ul role="list">
<li><a href="${links.archive()}">Archive</a></li>
${FEED_TYPES.map(([kind, name]) => markup`<li><a href="${links.feeds[kind]}">${name}</a></li>`)}
<li><a href="${links.sitemap}">Sitemap</a></li>
</ul>
</div></footer>`;

/** A whole page. */
export function layout(site: Site, viewer: Viewer, content: Content): Markup {
  const { assets, links, title } = site;
  const name = content.title === '' ? title : `${content.title} – ${title}`;
  return markup`<!doctype html>
<html lang="${site.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
<link rel="stylesheet" href="${links.other(assets.css.name)}">
<link rel="icon" type="image/svg+xml" href="${links.other(assets.icon.name)}">
<script defer src="${links.other(assets.script.name)}"></script>
${metaOf(site, content)}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
${top(site, viewer, content)}
<main id="main" class="frame" tabindex="-1">
<p id="said" class="unseen" role="status"></p>
${content.main}
</main>
${bottom(site)}
</body>
</html>
`;
}
