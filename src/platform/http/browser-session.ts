import { parseCookie, stringifySetCookie } from 'cookie';

/**
 * The session of a browser: the access token in a cookie that no script can read (docs/adr/0027). Such a cookie goes along
 * with requests that other sites cause, so whatever changes something must come from our own pages.
 */
export const SESSION_COOKIE = 'posthorn_session';
/** Of a cookie that came by https: neither a subdomain nor plain http can have set it (RFC 6265bis §4.1.3.2). */
const SECURE_NAME = `__Host-${SESSION_COOKIE}`;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const one = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

const nameOf = (secure: boolean): string => (secure ? SECURE_NAME : SESSION_COOKIE);

/**
 * The access token in the cookie of a request; null without one. `secure`: pages are reached by https. Then the plain name is
 * nobody's: whoever has a subdomain, or the line, could sign a browser in with it as somebody else.
 */
export function sessionTokenOf(headers: Headers, secure: boolean): string | null {
  const header = one(headers['cookie']);
  return header?.includes(SESSION_COOKIE) ? (parseCookie(header)[nameOf(secure)] ?? null) : null;
}

const attributes = (secure: boolean) =>
  ({ name: nameOf(secure), path: '/', httpOnly: true, sameSite: 'lax', secure }) as const;

/** A `Set-Cookie` with the access token, for as many seconds as the session lasts. `secure`: pages are reached by https. */
export const sessionCookie = (token: string, maxAgeSeconds: number, secure: boolean): string =>
  stringifySetCookie({ ...attributes(secure), value: token, maxAge: maxAgeSeconds });

/** A `Set-Cookie` that removes it. */
export const clearedCookie = (secure: boolean): string =>
  stringifySetCookie({ ...attributes(secure), value: '', maxAge: 0 });

/** Whether browsers reach the service by https, by the setting POSTHORN_PUBLIC_URL. */
export const isSecure = (publicUrl: string | undefined): boolean => publicUrl?.startsWith('https:') === true;

const parsed = (url: string | undefined): URL | null => URL.parse(url ?? '');

/**
 * Whether a page of ours, or the user by hand, sent the request (Fetch Metadata: `Sec-Fetch-Site` is set by the browser and
 * cannot be changed by a page; browsers without it send `Origin` with what is no GET). False for whatever has neither, and
 * where pages are reached by https for a page that came by http, into which anybody on the line can write.
 */
export function isSameOrigin(headers: Headers, publicUrl: string | undefined): boolean {
  const site = one(headers['sec-fetch-site']);
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const origin = parsed(one(headers['origin']));
  if (!origin?.host || (isSecure(publicUrl) && origin.protocol !== 'https:')) return false;
  return origin.host === one(headers['host'])?.toLowerCase() || origin.host === parsed(publicUrl)?.host;
}
