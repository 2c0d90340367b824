import { fileURLToPath } from 'node:url';
import type { PageInput, PageReply, WebPage } from '../../platform/http/index.ts';
import type { Module } from '../../platform/platform.ts';
import { type Markup, markup } from '../../lib/markup.ts';
import { HOME, REFERENCE, SEARCH } from './addresses.ts';
import { type Asset, readAssets } from './assets.ts';
import { type Content, layout, QUERY_MAX } from './layout.ts';
import { type Library, openLibrary } from './library.ts';
import { resultsOf } from './search/results.ts';
import { createSearch, type Search } from './search/search.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Nothing is inline and nothing comes from elsewhere. No `upgrade-insecure-requests`: it may be served by http. */
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
/** A drawing has its styles in it, and no script. */
const DRAWING_CSP = "default-src 'none'; style-src 'unsafe-inline'";

const HEADERS = {
  'content-security-policy': CSP,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
};
const IMMUTABLE = { 'cache-control': 'public, max-age=31536000, immutable' };
const ASKED_AGAIN = { 'cache-control': 'no-cache' };

/** What the reference of the API had below /docs before it moved. */
const MOVED = /^\/docs\/(json|yaml|static(?:\/[\w./-]*)?)$/;

const moved = (location: string): PageReply => ({ status: 301, headers: { ...ASKED_AGAIN, location } });

/** The documentation of this repository as pages at /docs. Files are read when somebody asks for them. */
export function createDocs(): { module: Module } {
  const assets = readAssets();
  let opened: Promise<Library> | undefined;
  const library = (): Promise<Library> => {
    opened ??= openLibrary(ROOT);
    // What went wrong once is tried again by the next one who asks.
    opened.catch(() => (opened = undefined));
    return opened;
  };
  let searched: Promise<Search> | undefined;
  const search = (): Promise<Search> => {
    searched ??= library().then(async (all) => createSearch(await all.passages()));
    searched.catch(() => (searched = undefined));
    return searched;
  };
  const shown = async (content: Content): Promise<Markup> =>
    layout({ assets, sections: (await library()).sections }, content);

  /** By address: what does not change while the service runs. */
  const held = new Map<string, Buffer>();
  const hold = (address: string, body: Buffer): Buffer => {
    const known = held.get(address);
    if (!known) held.set(address, body);
    return known ?? body;
  };

  const show = async ({ params }: PageInput): Promise<PageReply> => {
    const below = params['*'] ?? '';
    const address = below === '' ? HOME : `${HOME}/${below.replace(/\/$/, '')}`;
    const old = MOVED.exec(address)?.[1];
    if (old !== undefined) return moved(`${REFERENCE}/${old}`);
    const found = await (await library()).find(address);
    if (found === null)
      return { status: 404, headers: { 'cache-control': 'no-store' }, body: await shown(missing(address)) };
    if ('file' in found) {
      const policy = found.type.startsWith('image/') ? { 'content-security-policy': DRAWING_CSP } : {};
      const body = hold(address, found.file);
      return { status: 200, type: found.type, body, headers: { ...ASKED_AGAIN, ...policy } };
    }
    const { title, headings, body: main } = found.page;
    const body =
      held.get(address) ?? hold(address, Buffer.from((await shown({ title, address, headings, main })).toString()));
    return { status: 200, headers: ASKED_AGAIN, body };
  };
  const showSearch = async ({ query: { q = '' } }: PageInput): Promise<PageReply> => {
    const query = q.trim().slice(0, QUERY_MAX);
    const main = resultsOf(query, (await search()).find(query));
    const title = query === '' ? 'Search' : `Search: ${query}`;
    const body = await shown({ title, address: SEARCH, headings: [], main, query });
    return { status: 200, headers: ASKED_AGAIN, body };
  };
  const page = (path: string): WebPage => ({ method: 'GET', path, name: 'docs', isForAll: true, handle: show });
  const file = ({ address, type, body }: Asset): WebPage => ({
    ...page(address),
    handle: async () => ({ status: 200, type, body, headers: IMMUTABLE }),
  });
  return {
    module: {
      name: 'docs',
      routes: [],
      loops: [],
      pages: {
        pages: [
          page(HOME),
          { ...page(SEARCH), handle: showSearch },
          page(`${HOME}/*`),
          ...Object.values(assets).map(file),
        ],
        below: HOME,
        headers: HEADERS,
        onError: ({ status, message }, requestId) => ({
          status,
          body: layout(
            { assets, sections: [] },
            { title: message, address: '', headings: [], main: markup`<h1>${message}</h1><p>Request ${requestId}</p>` },
          ),
        }),
      },
    },
  };
}

const missing = (address: string): Content => ({
  title: 'Page not found',
  address,
  headings: [],
  main: markup`<h1>Page not found</h1><p>There is nothing at <code>${address}</code>. The pages that there are:</p>`,
});
