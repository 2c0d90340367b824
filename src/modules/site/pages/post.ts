import { jsonMarkup, type Markup, markup, type Part } from '../../../lib/markup.ts';
import { slugifyAny } from '../../../lib/slug.ts';
import type { PageInput, PageReply } from '../../../platform/http/index.ts';
import type { Comment, PostDetail } from '../../blog/index.ts';
import { article } from '../html/article.ts';
import { commentForm, commentTree, type Draft } from '../html/comments.ts';
import { layout, type Reader } from '../html/layout.ts';
import { card, chips, counted, paging } from '../html/posts.ts';
import { shareLinks } from '../html/share.ts';
import { withQuery } from '../links.ts';
import type { Site } from '../site.ts';
import { gone, notFound } from './errors.ts';
import { pageOf } from './list-query.ts';

/** What stands above the comments of what was just done with one, since readers come back to there: `?notice=`. */
const NOTICES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    commented: 'Your comment is published.',
    held: 'Thank you. Your comment is shown once a moderator has looked at it.',
    deleted: 'Your comment is deleted.',
    reported: 'Thank you. The moderators will look at that comment.',
  }),
);

/** A request for the page of a post; who has just signed in is known by less than a session. */
type Visit = Omit<PageInput, 'caller'> & { caller: Reader | null };

interface View {
  post: PostDetail;
  comments: { data: Comment[]; page: number; pages: number; total: number };
  beside: Awaited<ReturnType<Site['reads']['neighbours']>>;
  draft: Draft | undefined;
}

function headOf(site: Site, { seo, coverImageUrl, publishedAt, updatedAt }: PostDetail): Part {
  const og = Object.entries(seo.openGraph).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => [name, one] as const),
  );
  return [
    markup`<meta property="og:site_name" content="${site.title}">`,
    og.map(([name, content]) => markup`<meta property="${name}" content="${content}">`),
    markup`<meta name="twitter:card" content="${coverImageUrl === null ? 'summary' : 'summary_large_image'}">`,
    updatedAt > publishedAt && markup`<meta property="og:updated_time" content="${updatedAt}">`,
    markup`<script type="application/ld+json">${jsonMarkup(seo.jsonLd)}</script>`,
  ];
}

function likeButton(site: Site, { caller }: Visit, post: PostDetail, here: string): Markup {
  const label = (isLiked: boolean): Markup =>
    markup`<span aria-hidden="true">♥</span> Like <span class="unseen">this post. Likes: </span><span data-count>${post.likeCount}</span>${isLiked && markup`<span class="unseen"> (you like it)</span>`}`;
  if (caller === null) {
    return markup`<a class="button second" href="${withQuery(site.links.other('sign-in'), { next: here })}">${label(false)}<span class="unseen"> – sign in to like it</span></a>`;
  }
  return markup`<form method="post" action="${site.links.ofPost(post.slug, 'like')}" data-like>
<input type="hidden" name="liked" value="${String(!post.likedByMe)}">
<button class="button second" aria-pressed="${String(post.likedByMe)}">${label(false)}</button></form>`;
}

function footer(site: Site, input: Visit, post: PostDetail, here: string): Markup {
  const url = site.absolute(site.links.post(post.slug), input.listening);
  return markup`<footer>
${
  post.tags.length > 0 && [
    markup`<h2 class="unseen">Tags</h2>`,
    chips(
      post.tags.map((name) => ({ name })),
      site.links.tag,
    ),
  ]
}
<div class="actions">${likeButton(site, input, post, here)}
${shareLinks({ url, title: post.title, countAt: site.links.ofPost(post.slug, 'share') })}</div>
</footer>`;
}

function besideLinks(site: Site, { previous, next }: View['beside']): Part {
  if (!previous && !next) return null;
  const { post } = site.links;
  return markup`<nav class="beside narrow" aria-label="Posts before and after">
${previous && markup`<a class="previous" rel="prev" href="${post(previous.slug)}" dir="auto"><span>← Previous post</span>${previous.title}</a>`}
${next && markup`<a class="next" rel="next" href="${post(next.slug)}" dir="auto"><span>Next post →</span>${next.title}</a>`}
</nav>`;
}

const idsOf = (comments: readonly Comment[]): string[] =>
  comments.flatMap(({ id, replies }) => [id, ...idsOf(replies)]);

function commentSection(site: Site, { caller, query }: Visit, { post, comments, draft }: View): Markup {
  const here = site.links.post(post.slug);
  const notice = draft ? undefined : NOTICES.get(query['notice'] ?? '');
  const signIn = withQuery(site.links.other('sign-in'), { next: `${here}#comments` });
  const view = { slug: post.slug, page: comments.page, userId: caller?.userId ?? null, draft, signIn };
  const link = (n: number): string => `${withQuery(here, { comments: n === 1 ? undefined : n })}#comments`;
  return markup`<section class="comments narrow" id="comments" aria-labelledby="comments-title">
<h2 id="comments-title">${post.commentCount === 0 ? 'No comments yet' : counted(post.commentCount, 'comment')}</h2>
${notice !== undefined && markup`<p class="notice" role="status">${notice}</p>`}
${commentTree(site, view, comments.data)}
${paging(comments, link)}
${commentForm(site, view, new Set(idsOf(comments.data)))}
</section>`;
}

function related(site: Site, { related: posts }: PostDetail): Part {
  if (posts.length === 0) return null;
  return markup`<section class="related narrow" aria-labelledby="related-title"><h2 id="related-title">Related posts</h2>
<ol role="list">${posts.map((post) => markup`<li>${card(site, post, { level: 3, isShort: true })}</li>`)}</ol></section>`;
}

function page(site: Site, input: Visit, view: View): Markup {
  const { post, comments, beside } = view;
  const here = site.links.post(post.slug);
  const main = markup`
${article(site, post, footer(site, input, post, here))}
${besideLinks(site, beside)}
${related(site, post)}
${commentSection(site, input, view)}
<img class="pixel" src="${site.links.other(`views/${post.slug}`)}" alt="" width="1" height="1">`;
  return layout(site, input, {
    title: post.seo.title,
    description: post.seo.description,
    canonical: withQuery(here, { comments: comments.page === 1 ? undefined : comments.page }),
    head: headOf(site, post),
    here,
    main,
  });
}

const NONE: View['comments'] = { data: [], page: 1, pages: 0, total: 0 };

/** A page of comments, or the last one where there are not so many: one may just have been deleted. */
async function commentsOf(site: Site, slug: string, page: number): Promise<View['comments']> {
  const comments = await site.reads.comments(slug, page);
  return page > 1 && comments.data.length === 0 ? site.reads.comments(slug, Math.max(1, comments.pages)) : comments;
}

/** A browser may keep a 301 for ever, and a post may take an old slug back: so it has to ask again each time. */
const movedTo = (site: Site, slug: string, query: Visit['query']): PageReply => ({
  status: 301,
  headers: { location: withQuery(site.links.post(slug), query), 'cache-control': 'no-cache' },
});

/** Addresses are also written, and linked to from elsewhere, in capitals, and as other systems spell slugs (`Hello_World`, `привет`). */
async function inUsualForm(site: Site, input: Visit, slug: string): Promise<PageReply> {
  const usual = slugifyAny(slug);
  if (usual === slug || usual === '') return notFound(site, input);
  const found = await site.reads.post(usual, null);
  if (found.is === 'missing') return notFound(site, input);
  if (found.is === 'gone') return gone(site, input);
  return movedTo(site, found.is === 'moved' ? found.slug : usual, input.query);
}

/** The page of a post; `draft`: a comment that was not taken. */
export async function post(site: Site, input: Visit, draft?: Draft): Promise<PageReply> {
  const slug = input.params['slug'] ?? '';
  const found = await site.reads.post(slug, input.caller?.userId ?? null);
  switch (found.is) {
    case 'missing':
      return inUsualForm(site, input, slug);
    case 'gone':
      return gone(site, input);
    case 'moved':
      if (draft) return post(site, { ...input, params: { slug: found.slug } }, draft);
      return movedTo(site, found.slug, input.query);
    case 'post': {
      const wanted = draft?.page ?? pageOf(input.query['comments']);
      // Another node may have taken a comment this very second: its writer is to see it, others may wait.
      const isSilent = input.caller === null && found.post.commentCount === 0;
      const [comments, beside] = await Promise.all([
        isSilent ? NONE : commentsOf(site, slug, wanted),
        site.reads.neighbours(found.post),
      ]);
      return { status: draft ? 422 : 200, body: page(site, input, { post: found.post, comments, beside, draft }) };
    }
  }
}
