import type { AppError } from '../../../contracts/errors.ts';
import { type Markup, markup, type Part } from '../../../lib/markup.ts';
import type { PageReply } from '../../../platform/http/index.ts';
import { sentFields, type Unsent } from '../acting/unsent.ts';
import { layout, type Viewer } from '../html/layout.ts';
import { card } from '../html/posts.ts';
import type { Site } from '../site.ts';

interface ErrorText {
  title: string;
  text: Markup;
  more?: Part;
}

const errorPage = (site: Site, viewer: Viewer, { title, text, more }: ErrorText): Markup =>
  layout(site, viewer, {
    title,
    isHidden: true,
    main: markup`<div class="head narrow"><h1>${title}</h1><p>${text}</p>${more}
<p><a href="${site.links.home}">All posts</a> · <a href="${site.links.archive()}">Archive</a></p></div>`,
  });

/** Also of a page of a list behind its last one. */
export const notFound = (site: Site, viewer: Viewer): PageReply => ({
  status: 404,
  body: errorPage(site, viewer, NOT_FOUND),
});

const NOT_FOUND = {
  title: 'Page not found',
  text: markup`There is nothing at this address. It may be misspelt, or the page may have moved.`,
};

/** Of a post that readers knew: it will not come back by itself, which robots are told by 410. With the latest ones. */
export async function gone(site: Site, viewer: Viewer): Promise<PageReply> {
  const { data } = await site.reads.list({ page: 1, limit: 3 });
  const main = markup`<div class="narrow"><div class="head"><h1>This post is gone</h1>
<p>It was here once and has been taken down.</p></div>
${data.length > 0 && markup`<h2>The latest posts</h2>`}
${data.map((post) => card(site, post, { level: 3, isShort: true }))}</div>`;
  return { status: 410, body: layout(site, viewer, { title: 'This post is gone', isHidden: true, main }) };
}

const TEXTS: Readonly<Record<number, { title: string; text: Markup }>> = {
  403: {
    title: 'That was not taken',
    text: markup`The form did not come from a page of this site. Go back, reload the page, and try again.`,
  },
  404: NOT_FOUND,
  413: { title: 'That was too long', text: markup`Go back and shorten your text.` },
  429: { title: 'Too many requests', text: markup`Wait a minute, and try again.` },
  503: { title: 'Not available now', text: markup`The site cannot answer at this moment. Try again in a few seconds.` },
};

/** What was typed, to be sent again: to where it is taken, which asks whoever is not signed in to do so first. */
function sendAgain({ links }: Site, unsent: Unsent): Markup {
  const action =
    unsent.is === 'comment'
      ? links.ofPost(unsent.slug, 'comments')
      : links.other(`comments/${unsent.commentId}/report`);
  return markup`<form class="form" method="post" action="${action}">
${sentFields(unsent)}
<button class="button">Send it again</button></form>`;
}

/** Whether the same may go well a moment later, or what was written once it is shorter. */
const isWorthAnother = ({ status, details }: AppError): boolean =>
  status === 429 || status >= 500 || details?.some(({ path }) => path === 'body.reason') === true;

/** Whether the address cannot be read (`/blog/caf%E9`): to whoever opens it that is one at which nothing is. */
const isOfAddress = ({ details }: AppError): boolean => details?.some(({ path }) => path === 'url') === true;

/** Any failure that no page tells by itself, with the comment or report that was not taken. Who is signed in is not known here. */
export function failed(
  site: Site,
  error: AppError,
  { requestId, unsent }: { requestId: string; unsent: Unsent | null },
): PageReply {
  const other =
    error.status >= 500
      ? {
          title: 'Something went wrong',
          text: markup`It is not your fault. If it happens again, quote <code>${requestId}</code>.`,
        }
      : { title: 'That did not work', text: markup`${error.message}` };
  const more = unsent !== null && isWorthAnother(error) && sendAgain(site, unsent);
  const said = isOfAddress(error) ? NOT_FOUND : (TEXTS[error.status] ?? other);
  return { status: error.status, body: errorPage(site, {}, { ...said, more }) };
}
