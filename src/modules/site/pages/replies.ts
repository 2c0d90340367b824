import { isUuid } from '../../../lib/ids.ts';
import { isSlug } from '../../../lib/slug.ts';
import { markup } from '../../../lib/markup.ts';
import type { PageInput, PageReply } from '../../../platform/http/index.ts';
import { replyList } from '../html/comments.ts';
import { layout } from '../html/layout.ts';
import { counted, paging } from '../html/posts.ts';
import { withQuery } from '../links.ts';
import type { Site } from '../site.ts';
import { notFound } from './errors.ts';
import { pageOf } from './list-query.ts';

/** All replies of a thread that is longer than the page of its post shows, oldest first, by pages. A thread that is none is 404. */
export async function replies(site: Site, input: PageInput): Promise<PageReply> {
  const { params, query } = input;
  const [id, slug] = [params['id'] ?? '', query['post'] ?? ''];
  const list = isUuid(id) && isSlug(slug) ? await site.reads.replies(id.toLowerCase(), pageOf(query['page'])) : null;
  if (list === null || list.data.length === 0) return notFound(site, input);
  const link = (page: number): string =>
    withQuery(site.links.replies(id, slug), { page: page === 1 ? undefined : page });
  const main = markup`<section class="comments narrow" aria-labelledby="replies-title">
<h1 id="replies-title">${counted(list.total, 'reply', 'replies')}</h1>
<p><a href="${site.links.post(slug)}#comment-${id}">Back to the post</a></p>
${replyList(site, list.data)}
${paging(list, link)}
</section>`;
  return { status: 200, body: layout(site, input, { title: 'Replies', isHidden: true, here: link(list.page), main }) };
}
