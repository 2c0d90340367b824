import { Readable } from 'node:stream';
import { markup } from '../../../lib/markup.ts';
import type { PageInput, PageReply } from '../../../platform/http/index.ts';
import { notFound } from '../pages/errors.ts';
import type { Site } from '../site.ts';

/** Addresses in a file (sitemaps.org); with slugs of 120 characters that is a third of the 50 MB that it may have. */
export const PER_FILE = 50_000;
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const XML = 'application/xml; charset=utf-8';
const CACHING = { 'cache-control': 'public, max-age=300' };
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

const fileLink = (site: Site, name: string | number): string => site.links.sitemap.replace(/\.xml$/, `-${name}.xml`);

const urlOf = (loc: string, lastmod?: string): string =>
  markup`<url><loc>${loc}</loc>${lastmod !== undefined && markup`<lastmod>${lastmod}</lastmod>`}</url>\n`.toString();

/** The index of the sitemap: posts in files of 50,000, the oldest first, so that only the last ones change much. */
export async function sitemapIndex(site: Site, { listening }: PageInput): Promise<PageReply> {
  const files = Math.ceil((await site.reads.countPosts()) / PER_FILE);
  const names = ['lists', ...Array.from({ length: files }, (_, i) => i + 1)];
  const index = markup`<sitemapindex xmlns="${NAMESPACE}">
${names.map((name) => markup`<sitemap><loc>${site.absolute(fileLink(site, name), listening)}</loc></sitemap>\n`)}</sitemapindex>
`;
  return { status: 200, type: XML, headers: CACHING, body: DECLARATION + index.toString() };
}

/** The home page, the categories and tags, and the months of the archive. */
async function listsFile(site: Site, { listening }: PageInput): Promise<PageReply> {
  const [{ categories, tags }, months] = await Promise.all([site.reads.taxonomy(), site.reads.months()]);
  const { links } = site;
  const all = [
    links.home,
    links.archive(),
    ...categories.map(({ name }) => links.category(name)),
    ...months.map(({ month }) => links.archive(month)),
    ...tags.map(({ name }) => links.tag(name)),
  ].slice(0, PER_FILE);
  const urls = all.map((link) => urlOf(site.absolute(link, listening))).join('');
  const body = `${DECLARATION}<urlset xmlns="${NAMESPACE}">\n${urls}</urlset>\n`;
  return { status: 200, type: XML, headers: CACHING, body };
}

/** A file of posts, written as it is read: some hundred kB of memory for 50,000 addresses. */
async function* postsFile(site: Site, file: number, listening: () => string): AsyncGenerator<string> {
  yield `${DECLARATION}<urlset xmlns="${NAMESPACE}">\n`;
  for await (const portion of site.reads.addresses((file - 1) * PER_FILE, PER_FILE)) {
    yield portion
      .map(({ slug, publishedAt, updatedAt }) =>
        urlOf(
          site.absolute(site.links.post(slug), listening),
          (updatedAt > publishedAt ? updatedAt : publishedAt).toISOString(),
        ),
      )
      .join('');
  }
  yield '</urlset>\n';
}

/** A file of the sitemap: `lists`, or a number of the index. Others are 404. */
export async function sitemapFile(site: Site, input: PageInput): Promise<PageReply> {
  const name = input.params['file'] ?? '';
  if (name === 'lists') return listsFile(site, input);
  const file = /^[1-9]\d{0,5}$/.test(name) ? Number(name) : 0;
  if (file === 0 || (file - 1) * PER_FILE >= (await site.reads.countPosts())) return notFound(site, input);
  const body = Readable.from(postsFile(site, file, input.listening), { highWaterMark: 1 });
  return { status: 200, type: XML, headers: CACHING, body };
}

/** What robots may look at, and where the sitemap is. */
export async function robots(site: Site, { listening }: PageInput): Promise<PageReply> {
  const { links } = site;
  const body = `User-agent: *
Disallow: ${links.other('sign-')}
Disallow: ${links.home}?q=
Disallow: /v1/
Allow: /

Sitemap: ${site.absolute(links.sitemap, listening)}
`;
  return { status: 200, type: 'text/plain; charset=utf-8', headers: CACHING, body };
}
