import type { PageInput, PageReply, WebPage } from '../../../platform/http/index.ts';
import { comment, removeComment, report } from '../acting/comment.ts';
import { like, share, view } from '../acting/engage.ts';
import { showSignIn, showSignUp, signIn, signOut, signUp } from '../acting/sign-in.ts';
import { feed, type FeedKind } from '../feeds/feed.ts';
import { robots, sitemapFile, sitemapIndex } from '../feeds/sitemap.ts';
import type { Asset } from '../look/assets.ts';
import type { Site } from '../site.ts';
import { archive, archiveOf } from './archive.ts';
import { home } from './home.ts';
import { type ListKind, listing } from './listing.ts';
import type { NamedList } from './name-of-slug.ts';
import { post } from './post.ts';
import { preview } from './preview.ts';
import { replies } from './replies.ts';

type Handle = (site: Site, input: PageInput) => Promise<PageReply>;

/**
 * What a page shows is chosen by these alone. A page that is kept goes by no others, or each click on an address that somebody follows up (`?fbclid=…`)
 * would have one of its own made, compressed and kept, in the room of those that many ask for.
 */
const CHOOSING = ['q', 'page', 'sort', 'comments', 'notice'] as const;

const IMMUTABLE = { 'cache-control': 'public, max-age=31536000, immutable' };

const FILES: Readonly<Record<FeedKind, string>> = { rss: 'feed.xml', atom: 'atom.xml', json: 'feed.json' };

/** Every page, feed, form and file of the site. The paths are those of links.ts, without the path of the public URL. */
export function allPages(site: Site): WebPage[] {
  const get = (path: string, name: string, handle: Handle): WebPage => ({
    method: 'GET',
    path,
    name,
    handle: (input) => handle(site, input),
  });
  const form = (path: string, name: string, handle: Handle, limit?: WebPage['limit']): WebPage => ({
    ...get(path, name, handle),
    method: 'POST',
    ...(limit ? { limit } : {}),
  });
  const forAll = (path: string, name: string, handle: Handle): WebPage => ({
    ...get(path, name, handle),
    isForAll: true,
  });
  /** One that is the same for all who are not signed in, and is kept for them. */
  const kept = (page: WebPage, handle: Handle): WebPage => ({
    ...page,
    handle(input) {
      if (input.caller !== null) return handle(site, input);
      const chosen = CHOOSING.map((name) => input.query[name]);
      const key = JSON.stringify([page.path, input.params, chosen]);
      return site.kept.reply(key, (reads) => handle({ ...site, reads }, input));
    },
  });
  const getKept = (path: string, name: string, handle: Handle): WebPage => kept(get(path, name, handle), handle);
  const keptForAll = (path: string, name: string, handle: Handle): WebPage => kept(forAll(path, name, handle), handle);
  const asset = ({ name, type, body }: Asset): WebPage =>
    forAll(`/blog/-/${name}`, 'siteAsset', async () => ({ status: 200, type, body, headers: IMMUTABLE }));
  const list = (kind: ListKind): WebPage =>
    getKept(`/blog/${kind}/{name}`, 'sitePostsOf', (from, input) => listing(from, input, kind));
  const feedsOf = (path: string, of: (input: PageInput) => NamedList | undefined): WebPage[] =>
    Object.entries(FILES).map(([kind, file]) =>
      keptForAll(`${path}/${file}`, 'siteFeed', (from, input) => feed(from, input, kind as FeedKind, of(input))),
    );
  const toHome = async (): Promise<PageReply> => ({ status: 302, headers: { location: site.links.home } });

  return [
    forAll('/', 'siteRoot', toHome),
    getKept('/blog', 'siteHome', home),
    getKept('/blog/{slug}', 'sitePost', (from, input) => post(from, input)),
    ...(['category', 'tag', 'author'] as const).map(list),
    // The token is the credential.
    forAll('/blog/-/preview/{token}', 'sitePreview', preview),
    getKept('/blog/-/archive', 'siteArchive', archive),
    get('/blog/-/archive/{year}', 'siteArchiveOf', archiveOf),
    get('/blog/-/archive/{year}/{month}', 'siteArchiveOf', archiveOf),
    get('/blog/-/sign-in', 'siteSignInForm', showSignIn),
    get('/blog/-/sign-up', 'siteSignUpForm', showSignUp),
    form('/blog/-/sign-in', 'siteSignIn', signIn, 'signIn'),
    form('/blog/-/sign-up', 'siteSignUp', signUp, 'signIn'),
    form('/blog/-/sign-out', 'siteSignOut', signOut),
    form('/blog/{slug}/like', 'siteLike', like),
    form('/blog/{slug}/share', 'siteShare', share),
    form('/blog/{slug}/comments', 'siteComment', comment, 'comments'),
    get('/blog/-/comments/{id}/replies', 'siteReplies', replies),
    form('/blog/-/comments/{id}/delete', 'siteDeleteComment', removeComment),
    form('/blog/-/comments/{id}/report', 'siteReportComment', report),
    // Not below the post: `/blog/category/…` and its like are lists, and a post may be called so.
    forAll('/blog/-/views/{slug}', 'siteView', view),
    // What pages ask for that a node of the version before has sent.
    forAll('/blog/{slug}/view.gif', 'siteViewOfOldPage', view),
    ...feedsOf('/blog', () => undefined),
    ...(['category', 'tag'] as const).flatMap((kind) =>
      feedsOf(`/blog/${kind}/{name}`, ({ params }) => ({ list: kind, name: params['name'] ?? '' })),
    ),
    forAll('/blog/sitemap.xml', 'siteSitemap', sitemapIndex),
    forAll('/blog/sitemap-{file}.xml', 'siteSitemapFile', sitemapFile),
    forAll('/robots.txt', 'siteRobots', robots),
    ...Object.values(site.assets).map(asset),
  ];
}
