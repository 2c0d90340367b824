import { type Markup, markup } from '../../../lib/markup.ts';
import type { PageInput, PageReply } from '../../../platform/http/index.ts';
import { layout } from '../html/layout.ts';
import { counted, paging } from '../html/posts.ts';
import { withQuery } from '../links.ts';
import type { Site } from '../site.ts';
import { notFound } from './errors.ts';
import { pageOf } from './list-query.ts';

/** Titles on a page of a month or year: a line each. */
const PER_PAGE = 100;

type Months = Awaited<ReturnType<Site['reads']['months']>>;

const yearOf = (month: string): string => month.slice(0, 4);

/** Every year with its months and how many posts each has. */
export async function archive(site: Site, input: PageInput): Promise<PageReply> {
  const months = await site.reads.months();
  const years = [...Map.groupBy(months, ({ month }) => yearOf(month))];
  const section = ([year, some]: [string, Months]): Markup => markup`<section>
<h2><a href="${site.links.archive(year)}">${year}</a></h2>
<ul class="links" role="list">${some.map(
    ({ month, count }) =>
      markup`<li><a href="${site.links.archive(month)}">${site.monthOf(month)}</a> <span class="hint">${counted(count, 'post')}</span></li>`,
  )}</ul></section>`;
  const total = months.reduce((sum, { count }) => sum + count, 0);
  const main = markup`<div class="head"><h1>Archive</h1><p>${counted(total, 'post')} by date.</p></div>
<div class="months">${years.map(section)}</div>`;
  const here = site.links.archive();
  return {
    status: 200,
    body: layout(site, input, {
      title: 'Archive',
      description: `All posts of ${site.title} by date.`,
      canonical: here,
      here,
      main,
    }),
  };
}

/** From the beginning of a year or month until that of the next, in UTC. */
function timeOf(year: number, month: number | undefined): { from: Date; until: Date } {
  const at = (y: number, m: number): Date => {
    const time = new Date(0);
    time.setUTCFullYear(y, m, 1);
    return time;
  };
  return month === undefined
    ? { from: at(year, 0), until: at(year + 1, 0) }
    : { from: at(year, month - 1), until: at(year, month) };
}

/** The posts of a year or of one of its months. */
export async function archiveOf(site: Site, input: PageInput): Promise<PageReply> {
  const { year = '', month } = input.params;
  const isTime = /^\d{4}$/.test(year) && (month === undefined || /^(0[1-9]|1[0-2])$/.test(month));
  if (!isTime) return notFound(site, input);
  const time = month === undefined ? year : `${year}-${month}`;
  const total = (await site.reads.months())
    .filter((m) => m.month.startsWith(time))
    .reduce((sum, { count }) => sum + count, 0);
  // Of years that no post is of, some are no times to a database either.
  if (total === 0) return notFound(site, input);
  const page = pageOf(input.query['page']);
  const between = timeOf(Number(year), month === undefined ? undefined : Number(month));
  const posts = await site.reads.between({ ...between, page, limit: PER_PAGE });
  if (posts.length === 0) return notFound(site, input);
  const name = month === undefined ? year : site.monthOf(time);
  const link = (n: number): string => withQuery(site.links.archive(time), { page: n === 1 ? undefined : n });
  const main = markup`<div class="narrow"><div class="head">
<p class="kicker"><a href="${site.links.archive()}">Archive</a></p><h1>${name}</h1><p>${counted(total, 'post')}</p></div>
<ol class="dated" role="list">${posts.map(
    ({ slug, title, publishedAt }) =>
      markup`<li><time datetime="${publishedAt.toISOString()}">${site.shortDayOf(publishedAt)}</time><a href="${site.links.post(slug)}" dir="auto">${title}</a></li>`,
  )}</ol>
${paging({ page, pages: Math.ceil(total / PER_PAGE) }, link)}</div>`;
  const here = link(page);
  return { status: 200, body: layout(site, input, { title: `Archive: ${name}`, canonical: here, here, main }) };
}
