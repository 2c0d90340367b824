import { type Markup, markup } from '../../../lib/markup.ts';
import type { Feed, FeedItem } from './feed.ts';
import { cover, MEDIA } from './media.ts';

const entry = ({ post, url, updatedAt, topics, html }: FeedItem): Markup => markup`<entry>
<id>urn:uuid:${post.id}</id>
<title>${post.title}</title>
<link rel="alternate" type="text/html" href="${url}"/>
<published>${post.publishedAt}</published>
<updated>${updatedAt}</updated>
<author><name>${post.author.name}</name></author>
${topics.map((name) => markup`<category term="${name}"/>`)}
<summary>${post.excerpt}</summary>
${cover(post)}
${html !== undefined && markup`<content type="html" xml:base="${url}">${html}</content>`}
</entry>
`;

/** When nothing is there that could have a date. */
const EPOCH = '1970-01-01T00:00:00.000Z';

/** Atom 1.0 (RFC 4287) with the whole posts. */
export const atom = ({
  title,
  description,
  language,
  url,
  self,
  id,
  icon,
  updatedAt,
  items,
}: Feed): Markup => markup`<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="${MEDIA}" xml:lang="${language}">
<id>${id}</id>
<title>${title}</title>
<subtitle>${description}</subtitle>
<link rel="self" type="application/atom+xml" href="${self}"/>
<link rel="alternate" type="text/html" href="${url}"/>
<icon>${icon}</icon>
<updated>${updatedAt ?? EPOCH}</updated>
${items.map(entry)}</feed>
`;
