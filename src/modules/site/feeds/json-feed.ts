import type { Feed } from './feed.ts';

/** JSON Feed 1.1 with the whole posts. */
export const jsonFeed = ({ title, description, language, url, self, icon, items }: Feed): string =>
  JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title,
    description,
    language,
    home_page_url: url,
    feed_url: self,
    icon,
    items: items.map(({ post, url, updatedAt, topics, html }) => ({
      id: `urn:uuid:${post.id}`,
      url,
      title: post.title,
      summary: post.excerpt,
      ...(html === undefined ? { content_text: post.excerpt } : { content_html: html }),
      date_published: post.publishedAt,
      date_modified: updatedAt,
      authors: [{ name: post.author.name }],
      tags: topics,
      ...(post.coverImageUrl === null ? {} : { image: post.coverImageUrl }),
    })),
  });
