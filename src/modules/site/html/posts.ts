import { type Markup, markup, type Part } from '../../../lib/markup.ts';
import type { Piece, PostSummary } from '../../blog/index.ts';
import type { Site } from '../site.ts';

/** A number with its noun: `1 comment`, `2 comments`. */
export const counted = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : nouns}`;

export const day = (site: Site, time: string): Markup =>
  markup`<time datetime="${time}">${site.dayOf(new Date(time))}</time>`;

/** A text with what was searched for marked. */
export const pieces = (all: readonly Piece[]): Part =>
  all.map(({ text, isHit }) => (isHit ? markup`<mark>${text}</mark>` : text));

/** Of a picture that is not shown to those who see none: it stands beside the title that says what it is. */
const cover = ({ coverImageUrl, coverImageAlt }: PostSummary): Part =>
  coverImageUrl !== null &&
  markup`<img class="cover" src="${coverImageUrl}" alt="${coverImageAlt ?? ''}" loading="lazy" decoding="async">`;

const author = (site: Site, name: string): Markup =>
  markup`<span>by <a href="${site.links.author(name)}"><bdi>${name}</bdi></a></span>`;

/** Author, date, reading time and what readers did. */
export const metaLine = (site: Site, post: PostSummary): Markup => markup`<p class="meta">
${author(site, post.author.name)} ${day(site, post.publishedAt)} <span>${post.readingMinutes} min read</span>
${post.likeCount > 0 && markup`<span>${counted(post.likeCount, 'like')}</span>`}
${post.commentCount > 0 && markup`<span>${counted(post.commentCount, 'comment')}</span>`}</p>`;

/** Scripts whose letters hang together, by themselves or by a line above them: spaced letters would tear a word apart. */
const JOINED =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Nko}\p{Script=Mandaic}\p{Script=Adlam}\p{Script=Hanifi_Rohingya}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}]/u;

export const kicker = (site: Site, category: string): Markup =>
  markup`<p class="${JOINED.test(category) ? 'kicker joined' : 'kicker'}"><a href="${site.links.category(category)}"><bdi>${category}</bdi></a></p>`;

export interface CardOptions {
  level?: 2 | 3;
  /** What a search has found in it. */
  found?: { title: readonly Piece[]; text: readonly Piece[] } | undefined;
  isFeatured?: boolean;
  /** Without picture and excerpt. */
  isShort?: boolean;
}

/** A post in a list. */
export function card(
  site: Site,
  post: PostSummary,
  { level = 2, found, isFeatured, isShort }: CardOptions = {},
): Markup {
  const name = markup`<a href="${site.links.post(post.slug)}" dir="auto">${found ? pieces(found.title) : post.title}</a>`;
  const picture = !isShort && cover(post);
  const kinds = ['card', isFeatured && 'featured', picture && 'with-cover'].filter(Boolean).join(' ');
  return markup`<article class="${kinds}">${picture}<div class="text">
${kicker(site, post.category)}
${level === 2 ? markup`<h2>${name}</h2>` : markup`<h3>${name}</h3>`}
${!isShort && markup`<p class="excerpt" dir="auto">${found ? pieces(found.text) : post.excerpt}</p>`}
${metaLine(site, post)}
</div></article>`;
}

export const chips = (list: readonly { name: string; count?: number }[], linkOf: (name: string) => string): Markup =>
  markup`<ul class="chips" role="list">${list.map(
    ({ name, count }) =>
      markup`<li><a href="${linkOf(name)}"><bdi>${name}</bdi>${count === undefined ? null : markup` <span class="count">${count}</span>`}</a></li>`,
  )}</ul>`;

/** Links to the pages before and after; `linkOf` gives the address of a page. */
export function paging({ page, pages }: { page: number; pages: number }, linkOf: (page: number) => string): Part {
  if (pages <= 1) return null;
  return markup`<nav class="paging" aria-label="Pages">
${page > 1 && markup`<a rel="prev" href="${linkOf(page - 1)}">← Previous page</a>`}
<span>Page ${page} of ${pages}</span>
${page < pages && markup`<a rel="next" href="${linkOf(page + 1)}">Next page →</a>`}
</nav>`;
}
