import { randomUUID } from 'node:crypto';
import { parseCookie, stringifySetCookie } from 'cookie';
import { isbot } from 'isbot';
import { AppError } from '../../../contracts/errors.ts';
import { isSlug } from '../../../lib/slug.ts';
import { type PageInput, type PageReply, wantsJson } from '../../../platform/http/index.ts';
import { CHANNELS } from '../html/share.ts';
import { slugIn, withQuery } from '../links.ts';
import type { Site } from '../site.ts';

/** To the sign-in page, and from there back to the post. */
export const toSignIn = (site: Site, slug: string): PageReply => ({
  status: 303,
  headers: {
    location: withQuery(site.links.other('sign-in'), { next: isSlug(slug) ? site.links.post(slug) : undefined }),
  },
});

/** Likes a post or takes the like back: then to its page, or for the script the new count as JSON. Throws NOT_FOUND. */
export async function like(site: Site, { params, form, caller, env, headers }: PageInput): Promise<PageReply> {
  const slug = slugIn(params);
  if (!caller) {
    if (wantsJson(headers)) throw new AppError('UNAUTHENTICATED');
    return toSignIn(site, slug);
  }
  const result = await site.acts.like({ slug, userId: caller.userId, isLiked: form['liked'] !== 'false' }, env);
  if (wantsJson(headers)) return { status: 200, type: 'application/json', body: JSON.stringify(result) };
  return { status: 303, headers: { location: site.links.post(slug) } };
}

/** Counts that a post was passed on. Throws NOT_FOUND; a channel that no page offers is not counted. */
export async function share(site: Site, { params, form, env }: PageInput): Promise<PageReply> {
  const channel = form['channel'] ?? '';
  if (CHANNELS.has(channel)) await site.acts.share({ slug: slugIn(params), channel }, env);
  return { status: 204 };
}

/** A GIF of one transparent pixel. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const VISIT_COOKIE = 'posthorn_visit';
/** A visit ends when no post was opened for so long. Seconds. */
const VISIT_SECONDS = 30 * 60;
const VISIT = /^[0-9a-f-]{36}$/;

/** Whether a person looks at a page of ours: no robot that can be told, no prefetch or HEAD, no image on another's page. */
function isRead({ headers, isHead }: PageInput): boolean {
  const agent = headers['user-agent'];
  const from = headers['sec-fetch-site'] ?? 'same-origin';
  const purpose = `${headers['sec-purpose'] ?? ''} ${headers['purpose'] ?? ''}`;
  return !isHead && agent !== undefined && !isbot(agent) && from === 'same-origin' && !purpose.includes('prefetch');
}

/** Counts a view, once per visit and post, and gives the image that asks for it. Without such a post it is a 404. */
export async function view(site: Site, input: PageInput): Promise<PageReply> {
  const { params, headers, env } = input;
  const given = parseCookie(headers['cookie'] ?? '')[VISIT_COOKIE] ?? '';
  const visit = VISIT.test(given) ? given : randomUUID();
  const reply: PageReply = { status: 200, type: 'image/gif', body: PIXEL, headers: { 'cache-control': 'no-store' } };
  if (!isRead(input)) return reply;
  await site.acts.view({ slug: slugIn(params), visit }, env);
  const cookie = stringifySetCookie({
    name: VISIT_COOKIE,
    value: visit,
    path: site.links.home,
    maxAge: VISIT_SECONDS,
    httpOnly: true,
    sameSite: 'lax',
    secure: site.isSecure,
  });
  return { ...reply, cookies: [cookie] };
}
