import { markup, type Markup } from '../../../lib/markup.ts';
import type { PageInput, PageReply } from '../../../platform/http/index.ts';
import type { PostDetail } from '../../blog/index.ts';
import { article } from '../html/article.ts';
import { layout } from '../html/layout.ts';
import type { Site } from '../site.ts';

/** Nobody keeps, indexes or passes on what a link shows, nor its address: whoever ends it wants it gone. */
const HEADERS = {
  'cache-control': 'private, no-store',
  'x-robots-tag': 'noindex',
  'referrer-policy': 'no-referrer',
};

const notice = markup`<p class="notice narrow" role="status">A preview: the post as it is now, for those who have this link.</p>`;

const ended = markup`<div class="head narrow"><h1>This link shows nothing</h1>
<p>It is not whole, or it has ended. Ask whoever sent it to you for a new one.</p></div>`;

/** What readers can do with a post is left out: it may not be public. */
function shown(site: Site, post: PostDetail): Markup {
  const title = post.title === '' ? 'Untitled' : post.title;
  return markup`${notice}${article(site, { ...post, title })}`;
}

/** The post of a preview link as it is now; 404 for a link that is none, expired or ended, or whose post is gone. */
export async function preview(site: Site, { params }: PageInput): Promise<PageReply> {
  const post = await site.reads.preview(params['token'] ?? '');
  const [title, main] = post ? ['Preview', shown(site, post)] : ['This link shows nothing', ended];
  const body = layout(site, {}, { title, isHidden: true, main });
  return { status: post ? 200 : 404, headers: HEADERS, body };
}
