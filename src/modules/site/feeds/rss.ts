import { type Markup, markup } from '../../../lib/markup.ts';
import type { Feed, FeedItem } from './feed.ts';
import { cover, MEDIA } from './media.ts';

/** RFC 822, as RSS wants dates. */
const date = (time: string): string => new Date(time).toUTCString();

const item = ({ post, url, topics, html }: FeedItem): Markup => markup`<item>
<title>${post.title}</title>
<link>${url}</link>
<guid isPermaLink="false">urn:uuid:${post.id}</guid>
<pubDate>${date(post.publishedAt)}</pubDate>
<dc:creator>${post.author.name}</dc:creator>
${topics.map((name) => markup`<category>${name}</category>`)}
<description>${post.excerpt}</description>
${cover(post)}
${html !== undefined && markup`<content:encoded>${html}</content:encoded>`}
</item>
`;

/** RSS 2.0 with the whole posts. HTML stands in it as escaped text: no CDATA that a text could end. */
export const rss = ({
  title,
  description,
  language,
  url,
  self,
  updatedAt,
  items,
}: Feed): Markup => markup`<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:media="${MEDIA}">
<channel>
<title>${title}</title>
<link>${url}</link>
<description>${description}</description>
<language>${language}</language>
<atom:link rel="self" type="application/rss+xml" href="${self}"/>
${updatedAt !== null && markup`<lastBuildDate>${date(updatedAt)}</lastBuildDate>`}
${items.map(item)}</channel>
</rss>
`;
