import { type Markup, markup, type Part } from '../../lib/markup.ts';
import { HOME, REFERENCE, SEARCH } from './addresses.ts';
import type { Assets } from './assets.ts';
import type { Section } from './library.ts';
import type { Heading } from './render.ts';

export interface Content {
  title: string;
  address: string;
  headings: readonly Heading[];
  main: Part;
  /** What was searched for. */
  query?: string;
}

interface Frame {
  assets: Assets;
  sections: readonly Section[];
}

const item = ({ text, address }: Section['links'][number], here: string): Markup =>
  address === here
    ? markup`<li><a href="${address}" aria-current="page">${text}</a></li>`
    : markup`<li><a href="${address}">${text}</a></li>`;

const navigation = (sections: readonly Section[], here: string): Markup => markup`
<nav class="pages" id="the.pages" aria-label="Documentation">
${sections.map(
  ({ title, links }) => markup`<h2>${title}</h2>
<ul role="list">${links.map((link) => item(link, here))}</ul>`,
)}
</nav>`;

const onThisPage = (headings: readonly Heading[]): Part =>
  headings.length > 1 &&
  markup`<nav class="toc" aria-label="On this page"><h2>On this page</h2>
<ul role="list">${headings.map(
    ({ level, text, id }) => markup`<li class="level-${level}"><a href="#${id}">${text}</a></li>`,
  )}</ul></nav>`;

/** The pages before and after in the order of the navigation. */
function beside(sections: readonly Section[], here: string): Part {
  const all = sections.flatMap(({ links }) => links);
  const at = all.findIndex(({ address }) => address === here);
  const [before, next] = at < 0 ? [] : [all[at - 1], all[at + 1]];
  if (!before && !next) return null;
  return markup`<nav class="beside" aria-label="Neighbours">
${before && markup`<a class="before" href="${before.address}"><span>Before</span>${before.text}</a>`}
${next && markup`<a class="next" href="${next.address}"><span>Next</span>${next.text}</a>`}
</nav>`;
}

/** Of a longer search the beginning counts. UTF-16 units. */
export const QUERY_MAX = 200;

/** A whole page. */
export const layout = (
  { assets, sections }: Frame,
  { title, address, headings, main, query = '' }: Content,
): Markup => markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${address === HOME ? 'Posthorn documentation' : `${title} – Posthorn documentation`}</title>
<link rel="stylesheet" href="${assets.css.address}">
<link rel="icon" type="image/svg+xml" href="${assets.icon.address}">
${address === HOME && markup`<script src="${assets.script.address}"></script>`}
</head>
<body>
<a class="skip" href="#the.content">Skip to content</a>
<header class="top">
<a class="brand" href="${HOME}">Posthorn <span>documentation</span></a>
<form class="search" role="search" action="${SEARCH}">
<input type="search" name="q" value="${query}" maxlength="${QUERY_MAX}" aria-label="Search the documentation" placeholder="Search" autocomplete="off">
<button>Search</button></form>
<nav aria-label="Site"><ul role="list">
<li class="to-pages"><a href="#the.pages">All pages</a></li>
<li><a href="${REFERENCE}">API reference</a></li>
</ul></nav>
</header>
<div class="frame">
${navigation(sections, address)}
<main id="the.content" tabindex="-1">
${onThisPage(headings)}
<article>
${main}
</article>
${beside(sections, address)}
</main>
</div>
</body>
</html>
`;
