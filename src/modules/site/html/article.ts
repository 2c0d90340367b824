import { directionOf } from '../../../lib/direction.ts';
import { type Markup, markup, type Part, trusted } from '../../../lib/markup.ts';
import { excerptOf } from '../../../lib/markdown-text.ts';
import { ID_PREFIX, type PostDetail } from '../../blog/index.ts';
import type { Site } from '../site.ts';
import { kicker, metaLine } from './posts.ts';

/** Headings of the HTML that the blog module made, as its sanitizer writes them: ids of any letters in double quotes, text escaped. */
const HEADING = new RegExp(`<h([1-6]) id="(${ID_PREFIX}[^"]+)"[^>]*>(.*?)</h\\1>`, 'gs');
/** Contents with fewer entries than this are no help. */
const LEAST = 3;

interface TocEntry {
  /** Of the heading, as an address has it. */
  place: string;
  /** What is left of a heading without its elements; still escaped. */
  text: Markup;
  isDeeper: boolean;
}

/** The headings of a post of the two highest levels that it has; none where there are fewer than three. */
function tocOf(bodyHtml: string): TocEntry[] {
  const headings = [...bodyHtml.matchAll(HEADING)].map(([, level, id, inner]) => ({
    level: Number(level),
    id: id as string,
    text: (inner as string).replaceAll(/<[^>]*>/g, '').trim(),
  }));
  const named = headings.filter(({ text }) => text !== '');
  const highest = Math.min(...named.map(({ level }) => level));
  const shown = named.filter(({ level }) => level <= highest + 1);
  if (shown.length < LEAST) return [];
  return shown.map(({ id, text, level }) => ({
    place: encodeURIComponent(id),
    text: trusted(text),
    isDeeper: level > highest,
  }));
}

const toc = (entries: readonly TocEntry[]): Part =>
  entries.length > 0 &&
  markup`<nav class="toc" aria-labelledby="contents"><h2 id="contents">Contents</h2><ol role="list">${entries.map(
    ({ place, text, isDeeper }) =>
      markup`<li${isDeeper && markup` class="deeper"`}><a href="#${place}" dir="auto">${text}</a></li>`,
  )}</ol></nav>`;

/** A box of a list of tasks, which shows and cannot be ticked: what it says to those who do not see it. */
const box = (attributes: string): string =>
  `<input aria-label="${/\bchecked\b/.test(attributes) ? 'Done' : 'To do'}"${attributes}>`;

/**
 * The body for the page: what scrolls sideways can be reached by keyboard, boxes of tasks have a name. `bodyHtml` is safe,
 * and in it `<` and `>` stand for nothing but the ends of elements.
 */
const bodyOf = (bodyHtml: string): Markup =>
  trusted(
    bodyHtml
      .replaceAll(/<input\b([^>]*)>/g, (_, attributes: string) => box(attributes))
      .replaceAll(/<pre(?=[ >])/g, '<pre tabindex="0"')
      .replaceAll(/<table(?=[ >])/g, '<div class="scroll" role="region" aria-label="Table" tabindex="0"><table')
      .replaceAll('</table>', '</table></div>'),
  );

/** What the writer wrote as excerpt; null where it is the beginning of the body, which follows anyway. */
const standfirstOf = ({ excerpt, body }: PostDetail): string | null =>
  excerpt === '' || excerpt === excerptOf(body) ? null : excerpt;

function header(site: Site, post: PostDetail): Markup {
  const standfirst = standfirstOf(post);
  const isRevised = site.dayOf(new Date(post.updatedAt)) !== site.dayOf(new Date(post.publishedAt));
  const isLater = post.updatedAt > post.publishedAt && isRevised;
  return markup`<header>${post.category !== '' && kicker(site, post.category)}<h1 dir="auto">${post.title}</h1>
${standfirst !== null && markup`<p class="standfirst" dir="auto">${standfirst}</p>`}
${metaLine(site, post)}
${isLater && markup`<p class="meta">Updated <time datetime="${post.updatedAt}">${site.dayOf(new Date(post.updatedAt))}</time></p>`}
</header>`;
}

/** A post with its contents; `footer`: what belongs to it at its end. */
export function article(site: Site, post: PostDetail, footer?: Part): Markup {
  const entries = tocOf(post.bodyHtml);
  return markup`<article class="post${entries.length > 0 && ' with-toc'}">
${header(site, post)}
${post.coverImageUrl !== null && markup`<img class="cover" src="${post.coverImageUrl}" alt="${post.coverImageAlt ?? ''}" decoding="async">`}
${toc(entries)}
<div class="body" lang="${site.language}" dir="${directionOf(post.bodyHtml)}">${bodyOf(post.bodyHtml)}</div>
${footer}
</article>`;
}
