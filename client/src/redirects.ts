import { PosthornError } from './errors.ts';

/** More than an old address of a post behind a proxy that moves paths takes. */
const MOST_HOPS = 5;

/** Of the page, in a browser: an address without a host is within it. */
const pageUrl = (): string | undefined => (globalThis as { location?: { href: string } }).location?.href;

const originOf = (url: string): string => new URL(url, pageUrl()).origin;

/** Throws TypeError for what no request could be sent to. In a browser a path will do: it is of the page's own origin. */
export function checkBaseUrl(baseUrl: string): void {
  if (pageUrl() !== undefined && /^(?:$|\/(?!\/))/.test(baseUrl)) return;
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl))
    throw new TypeError(`baseUrl is no address that begins with http:// or https://: ${baseUrl}`);
}

/** A browser does not say where an answer leads that it was told not to follow. */
const isHidden = ({ type }: Response): boolean => type === 'opaqueredirect';
const isRedirect = ({ status }: Response): boolean => [301, 302, 303, 307, 308].includes(status);

function refusal(method: string, url: string, response: Response, location: string | null): PosthornError {
  const to = location === null ? 'elsewhere' : `to ${location}`;
  return new PosthornError({
    code: 'REDIRECTED',
    message: `${method} ${url} is answered with a redirect ${to}, which is not followed: mend baseUrl`,
    status: response.status === 0 ? null : response.status,
    requestId: response.headers.get('x-request-id'),
  });
}

/** Where a read goes on; throws where that is another origin, which must not get what was meant for this one. */
function nextOf(url: string, response: Response): string {
  const location = response.headers.get('location');
  if (location === null || !URL.canParse(location, url)) throw refusal('GET', url, response, location);
  const next = new URL(location, url);
  if (next.origin !== originOf(url)) throw refusal('GET', url, response, next.href);
  return next.href;
}

/** The browser follows by itself, without the credential beyond the origin; what it found there is not taken. */
async function followedByBrowser(fetching: typeof fetch, url: string, init: RequestInit): Promise<Response> {
  const response = await fetching(url, { ...init, redirect: 'follow' });
  if (response.url === '' || originOf(response.url) === originOf(url)) return response;
  await response.body?.cancel();
  throw refusal('GET', url, response, response.url);
}

/**
 * `fetch` that follows a read within its origin only, such as from an old address of a post to the present one. A write
 * would arrive as a GET, or where nobody meant to send it. Throws PosthornError with the code REDIRECTED for all else.
 */
export async function fetchWithin(
  fetching: typeof fetch,
  url: string,
  init: RequestInit & { method: string },
): Promise<Response> {
  let at = url;
  for (let hops = 0; ; hops++) {
    const response = await fetching(at, { ...init, redirect: 'manual' });
    if (!isHidden(response) && !isRedirect(response)) return response;
    // Nobody reads it, and its connection is wanted again.
    await response.body?.cancel();
    if (init.method !== 'GET' || hops === MOST_HOPS)
      throw refusal(init.method, at, response, response.headers.get('location'));
    if (isHidden(response)) return followedByBrowser(fetching, at, init);
    at = nextOf(at, response);
  }
}
