import { markup } from '../../../lib/markup.ts';
import type { PageInput, PageReply } from '../../../platform/http/index.ts';
import { layout } from '../html/layout.ts';
import { aside, categoryTabs, sortLinks } from '../html/list-parts.ts';
import { card, counted, paging } from '../html/posts.ts';
import { withQuery } from '../links.ts';
import type { Site } from '../site.ts';
import { notFound } from './errors.ts';
import { listQueryOf, PER_PAGE, SORTS } from './list-query.ts';
import { listMeant, spellingOf } from './name-of-slug.ts';

export type ListKind = 'category' | 'tag' | 'author';

const HEADS: Readonly<Record<ListKind, string>> = { category: 'Category', tag: 'Tag', author: 'Author' };

/** The longest name that there can be, so that a longer one is none. Characters (contract: "Blog", limits). */
const NAME_MAX: Readonly<Record<ListKind, number>> = { category: 60, tag: 40, author: 200 };

/** The posts of a category, a tag or an author. A name that no public post has is 404. */
export async function listing(site: Site, input: PageInput, kind: ListKind): Promise<PageReply> {
  const asked = input.params['name'] ?? '';
  const { page, sort } = listQueryOf({ ...input.query, q: undefined });
  if (asked.trim() === '' || Array.from(asked).length > NAME_MAX[kind]) return notFound(site, input);
  const filter = kind === 'tag' ? { tag: [asked] } : { [kind]: asked };
  const [list, taxonomy] = await Promise.all([
    site.reads.list({ page, limit: PER_PAGE, ...(sort ? { sort } : {}), ...filter }, input.caller?.userId ?? null),
    site.reads.taxonomy(),
  ]);
  const [first] = list.data;
  if (!first) {
    const meant = kind === 'author' ? undefined : listMeant({ list: kind, name: asked }, taxonomy);
    if (meant === undefined) return notFound(site, input);
    const location = withQuery(site.links[meant.list](meant.name), input.query);
    const headers = { location, 'cache-control': 'no-cache' };
    return { status: 301, headers };
  }
  const name = kind === 'author' ? first.author.name : spellingOf({ list: kind, name: asked }, taxonomy, first);
  const link = (sort: string | undefined, page?: number): string =>
    withQuery(site.links[kind](name), { sort, page: page === 1 ? undefined : page });
  const main = markup`
<div class="head"><p class="kicker">${HEADS[kind]}</p><h1 dir="auto">${name}</h1><p>${counted(list.total, 'post')}</p></div>
<div class="columns"><div>
${kind === 'category' && categoryTabs(site, taxonomy, name)}
${list.total > 1 && sortLinks(SORTS, sort, link)}
${list.data.map((post) => card(site, post))}
${paging(list, (n) => link(sort, n))}
</div>
${aside(site, taxonomy)}</div>`;
  const here = link(sort, page);
  return {
    status: 200,
    body: layout(site, input, {
      title: page > 1 ? `${name} – page ${page}` : name,
      description: `${HEADS[kind]}: ${name}. ${counted(list.total, 'post')}.`,
      ...(sort === undefined ? { canonical: here } : { isHidden: true }),
      ...(kind === 'author' ? {} : { feeds: { title: name, links: site.links.feedsOf(kind, name) } }),
      here,
      main,
    }),
  };
}
