import type { PostDetail } from '@posthorn/client';

/** What the list needs to know of a post; kept between two builds. */
export interface Listed {
  slug: string;
  title: string;
  excerpt: string;
  publishedAt: string;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text as HTML, also within an attribute. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (c) => ENTITIES[c] ?? c);

/** JSON for a `script` element: no `<` can end it. */
const scriptJson = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

const page = (title: string, head: string, main: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
${head}
<style>body { max-width: 42rem; margin: 2rem auto; padding: 0 1rem; font: 1.1rem/1.6 system-ui; color-scheme: light dark }</style>
</head>
<body>
${main}
</body>
</html>
`;

const day = (at: string): string => at.slice(0, 10);

/** The page of a post. `bodyHtml` is safe as it comes: the service has sanitised it. */
export function postPage(post: PostDetail): string {
  const { seo } = post;
  const head = [
    `<meta name="description" content="${escaped(seo.description)}">`,
    `<meta property="og:title" content="${escaped(seo.openGraph['og:title'])}">`,
    `<script type="application/ld+json">${scriptJson(seo.jsonLd)}</script>`,
  ].join('\n');
  const cover = post.coverImageUrl
    ? `<img src="${escaped(post.coverImageUrl)}" alt="${escaped(post.coverImageAlt ?? '')}">`
    : '';
  return page(
    seo.title,
    head,
    `<p><a href="../">All posts</a></p>
<article>
<h1>${escaped(post.title)}</h1>
<p>${escaped(post.author.name)}, <time datetime="${post.publishedAt}">${day(post.publishedAt)}</time>, ${post.readingMinutes} min</p>
${cover}
${post.bodyHtml}
</article>`,
  );
}

/** The page of all posts, newest first. */
export function listPage(posts: readonly Listed[]): string {
  const items = posts
    .toSorted((a, b) => (a.publishedAt < b.publishedAt ? 1 : -1))
    .map(
      (post) => `<li><a href="./${encodeURIComponent(post.slug)}/">${escaped(post.title)}</a>
<time datetime="${post.publishedAt}">${day(post.publishedAt)}</time><br>${escaped(post.excerpt)}</li>`,
    );
  return page('Blog', '', `<h1>Blog</h1>\n<ul>\n${items.join('\n')}\n</ul>`);
}
