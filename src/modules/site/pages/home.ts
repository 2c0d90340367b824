import { markup, type Part } from '../../../lib/markup.ts';
import type { PageInput, PageReply } from '../../../platform/http/index.ts';
import type { PostSummary } from '../../blog/index.ts';
import { layout } from '../html/layout.ts';
import { aside, categoryTabs, sortLinks } from '../html/list-parts.ts';
import { card, counted, paging } from '../html/posts.ts';
import { withQuery } from '../links.ts';
import type { Site } from '../site.ts';
import { notFound } from './errors.ts';
import { type ListQuery, listQueryOf, PER_PAGE, SEARCH_SORTS, SORTS } from './list-query.ts';

/** The featured post stands above the first page in the usual order. */
const showsFeatured = ({ page, sort, q }: ListQuery): boolean => page === 1 && sort === undefined && q === undefined;

async function featuredOf(site: Site, query: ListQuery, userId: string | null): Promise<PostSummary | undefined> {
  if (!showsFeatured(query)) return undefined;
  return (await site.reads.list({ featured: true, page: 1, limit: 1 }, userId)).data[0];
}

const linkTo =
  (site: Site, { q }: ListQuery) =>
  (sort: string | undefined, page?: number): string =>
    withQuery(site.links.home, { q, sort, page: page === 1 ? undefined : page });

/** The home page, with everything in the order asked for, and also what a search has found. */
export async function home(site: Site, input: PageInput): Promise<PageReply> {
  const query = listQueryOf(input.query);
  const { page, sort, q } = query;
  const userId = input.caller?.userId ?? null;
  const [featured, list, taxonomy] = await Promise.all([
    featuredOf(site, query, userId),
    site.reads.list({ page, limit: PER_PAGE, ...(sort ? { sort } : {}), ...(q ? { q } : {}) }, userId),
    site.reads.taxonomy(),
  ]);
  if (page > 1 && list.data.length === 0) return notFound(site, input);
  const findings = q === undefined ? undefined : await site.reads.findings(q, list.data);
  const link = linkTo(site, query);
  const rest = list.data.filter((post) => post.id !== featured?.id);
  const head: Part =
    q === undefined
      ? markup`<h1>${site.title}</h1>${site.description && markup`<p>${site.description}</p>`}`
      : markup`<h1>Search: <bdi>${q}</bdi></h1><p role="status">${list.total === 0 ? 'Nothing found.' : `${counted(list.total, 'post')} found.`}</p>`;
  const cards = rest.map((post) => card(site, post, { found: findings?.[list.data.indexOf(post)] }));
  const main = markup`
<div class="head">${head}</div>
${featured && card(site, featured, { isFeatured: true })}
<div class="columns"><div>
${q === undefined && categoryTabs(site, taxonomy)}
${list.total > 1 && sortLinks(q === undefined ? SORTS : SEARCH_SORTS, sort, link)}
${cards}
${list.total === 0 && nothing(site, q)}
${paging(list, (n) => link(sort, n))}
</div>
${aside(site, taxonomy)}</div>`;
  const title = q !== undefined ? `Search: ${q}` : page > 1 ? `Page ${page}` : '';
  const here = link(sort, page);
  const isHidden = q !== undefined || sort !== undefined;
  const canonical = isHidden ? undefined : here;
  return {
    status: 200,
    body: layout(site, input, { title, description: site.description, canonical, isHidden, here, q, main }),
  };
}

const nothing = (site: Site, q: string | undefined): Part =>
  q === undefined
    ? markup`<p class="none">Nothing has been published yet.</p>`
    : markup`<p class="none">Try other words, or fewer of them. <a href="${site.links.home}">Show all posts</a></p>`;
