import { directionOf } from '../../../lib/direction.ts';
import { foldCase } from '../../../lib/fold-case.ts';
import type { PageInput, PageReply } from '../../../platform/http/index.ts';
import type { PostDetail, PostSummary } from '../../blog/index.ts';
import { type FeedLinks, withQuery } from '../links.ts';
import { notFound } from '../pages/errors.ts';
import { listMeant, type NamedList, spellingOf } from '../pages/name-of-slug.ts';
import type { Site } from '../site.ts';
import { atom } from './atom.ts';
import { jsonFeed } from './json-feed.ts';
import { rss } from './rss.ts';
import { withWholeAddresses } from './whole-addresses.ts';

/** Posts of a feed: the latest. */
const ITEMS = 20;
/** HTML of all posts of a feed together; beyond it a post comes with its excerpt only. UTF-16 units. */
const CONTENT_MAX = 2_000_000;

export type FeedKind = keyof FeedLinks;

export interface FeedItem {
  post: PostSummary;
  url: string;
  updatedAt: string;
  /** Its category and tags, each once. */
  topics: readonly string[];
  /** Safe HTML; absent where it would be too much. */
  html?: string;
}

/** A feed in whatever format. All addresses are whole. */
export interface Feed {
  title: string;
  description: string;
  language: string;
  /** The page that shows the same. */
  url: string;
  /** Its own address. */
  self: string;
  /**
   * What stays the same for whoever asks at one address, whatever is published: by another id a reader of feeds takes it for another feed. Hence not
   * `self`, whose spelling of a category or tag is that of most posts.
   */
  id: string;
  icon: string;
  /** When the latest of its posts changed; null: there are none. */
  updatedAt: string | null;
  items: readonly FeedItem[];
}

const FORMATS = { rss, atom, json: jsonFeed } as const;
const TYPES: Readonly<Record<FeedKind, string>> = {
  rss: 'application/rss+xml; charset=utf-8',
  atom: 'application/atom+xml; charset=utf-8',
  json: 'application/feed+json; charset=utf-8',
};
/** Feed readers come often, and nobody waits for a post to the minute. */
const CACHING = { 'cache-control': 'public, max-age=300' };

const detailOf = async (site: Site, slug: string): Promise<PostDetail | null> => {
  const found = await site.reads.post(slug, null);
  return found.is === 'post' ? found.post : null;
};

/** HTML for readers of feeds, which know neither where its addresses go on from nor, without being told, that it runs from the right. */
function readable(bodyHtml: string, url: string): string {
  const html = withWholeAddresses(bodyHtml, url);
  return directionOf(bodyHtml) === 'rtl' ? `<div dir="rtl">${html}</div>` : html;
}

/** Readers of feeds show categories and tags as one, and a post may have a tag of its category's name. */
const topicsOf = ({ category, tags }: PostSummary): string[] => [
  category,
  ...tags.filter((tag) => foldCase(tag) !== foldCase(category)),
];

/** The posts with their HTML, as far as that is not too much. One that was unpublished at this moment is left out. */
async function itemsOf(site: Site, posts: readonly PostSummary[], { listening }: PageInput): Promise<FeedItem[]> {
  const details = await Promise.all(posts.map(({ slug }) => detailOf(site, slug)));
  let left = CONTENT_MAX;
  return posts.flatMap((post, i) => {
    const detail = details[i];
    if (!detail) return [];
    const { bodyHtml, publishedAt, updatedAt } = detail;
    const isShown = bodyHtml.length <= left;
    if (isShown) left -= bodyHtml.length;
    const url = site.absolute(site.links.post(post.slug), listening);
    return {
      post,
      url,
      updatedAt: updatedAt > publishedAt ? updatedAt : publishedAt,
      topics: topicsOf(post),
      ...(isShown ? { html: readable(bodyHtml, url) } : {}),
    };
  });
}

/** A feed of the latest posts: of all, of a category or of a tag. A name that no public post has is 404, the slug of one leads there. */
export async function feed(site: Site, input: PageInput, kind: FeedKind, of?: NamedList): Promise<PageReply> {
  const filter = of === undefined ? {} : of.list === 'tag' ? { tag: [of.name] } : { category: of.name };
  if (of && (of.name.trim() === '' || Array.from(of.name).length > 60)) return notFound(site, input);
  const { data } = await site.reads.list({ page: 1, limit: ITEMS, ...filter });
  const [first] = data;
  if (of && !first) return movedFeed(site, input, kind, of);
  const name = of && first && spellingOf(of, await site.reads.taxonomy(), first);
  const { links } = site;
  const items = await itemsOf(site, data, input);
  const whole = (link: string): string => site.absolute(link, input.listening);
  const updatedAt = items.reduce<string | null>(
    (last, item) => (last === null || item.updatedAt > last ? item.updatedAt : last),
    null,
  );
  const body = FORMATS[kind]({
    title: name === undefined ? site.title : `${name} – ${site.title}`,
    description: site.description ?? `The latest posts of ${site.title}.`,
    language: site.language,
    url: whole(of && name !== undefined ? links[of.list](name) : links.home),
    self: whole((of && name !== undefined ? links.feedsOf(of.list, name) : links.feeds)[kind]),
    id: whole((of ? links.feedsOf(of.list, of.name) : links.feeds)[kind]),
    icon: site.logoUrl ?? whole(links.other(site.assets.icon.name)),
    updatedAt,
    items,
  });
  return { status: 200, type: TYPES[kind], headers: CACHING, body };
}

/** The feed that is meant by an address that other systems have. */
async function movedFeed(site: Site, input: PageInput, kind: FeedKind, of: NamedList): Promise<PageReply> {
  const meant = listMeant(of, await site.reads.taxonomy());
  if (meant === undefined) return notFound(site, input);
  const location = withQuery(site.links.feedsOf(meant.list, meant.name)[kind], input.query);
  return { status: 301, headers: { location, 'cache-control': 'no-cache' } };
}
