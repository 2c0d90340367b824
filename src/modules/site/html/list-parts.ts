import { type Markup, markup, type Part } from '../../../lib/markup.ts';
import { foldCase } from '../../../lib/fold-case.ts';
import type { Taxonomy } from '../../blog/index.ts';
import type { Site } from '../site.ts';
import { chips } from './posts.ts';

/** Categories as tabs, and tags beside a list: the most used ones. */
const TABS = 6;
const CHIPS = 24;

const current = (is: boolean): Markup | false => is && markup` aria-current="page"`;

/** Tabs of the categories; `category`: the one that is shown, in whatever case. */
export function categoryTabs(site: Site, { categories }: Taxonomy, category?: string): Part {
  if (categories.length < 2) return null;
  const key = category === undefined ? undefined : foldCase(category);
  const most = categories.slice(0, TABS);
  const shown = key === undefined ? undefined : categories.find(({ name }) => foldCase(name) === key);
  const tabs = shown && !most.includes(shown) ? [...most, shown] : most;
  return markup`<nav class="tabs" aria-label="Categories"><ul role="list">
<li><a href="${site.links.home}"${current(key === undefined)}>All</a></li>
${tabs.map(({ name }) => markup`<li><a href="${site.links.category(name)}"${current(foldCase(name) === key)}><bdi>${name}</bdi></a></li>`)}
</ul></nav>`;
}

/** Orders to choose from; the first is the usual one. `linkOf` gives the address of an order, undefined being the usual. */
export function sortLinks(
  sorts: readonly (readonly [string, string])[],
  chosen: string | undefined,
  linkOf: (sort: string | undefined) => string,
): Markup {
  return markup`<nav class="sorts" aria-label="Order"><ul role="list">${sorts.map(
    ([sort, name], i) =>
      markup`<li><a href="${linkOf(i === 0 ? undefined : sort)}"${current(sort === (chosen ?? sorts[0]?.[0]))}>${name}</a></li>`,
  )}</ul></nav>`;
}

/** What stands beside lists: tags, all categories, where to subscribe. */
export function aside(site: Site, { categories, tags }: Taxonomy): Markup {
  const { links } = site;
  return markup`<aside class="aside" aria-label="More">
${tags.length > 0 && markup`<section><h2>Tags</h2>${chips(tags.slice(0, CHIPS), links.tag)}</section>`}
${categories.length > TABS && markup`<section><h2>Categories</h2>${chips(categories, links.category)}</section>`}
<section><h2>Subscribe</h2><ul class="links" role="list">
<li><a href="${links.feeds.rss}">RSS</a></li><li><a href="${links.feeds.atom}">Atom</a></li><li><a href="${links.feeds.json}">JSON Feed</a></li>
</ul></section>
</aside>`;
}
