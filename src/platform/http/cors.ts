import type { IncomingHttpHeaders } from 'node:http';
import { RESPONSE_HEADERS } from './openapi-headers.ts';

/** For so long a browser need not ask again what it may send; the most that any of them takes. Seconds. */
const KEPT_SECONDS = 86_400;
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
/** What a browser shows of a reply without being told so (Fetch Standard §2.2.2, CORS-safelisted response-header names). */
const SHOWN = new Set(['cache-control']);
const EXPOSED = Object.keys(RESPONSE_HEADERS)
  .filter((name) => !SHOWN.has(name.toLowerCase()) && name !== 'Vary')
  .join(', ');

type Fields = Readonly<Record<string, string>>;

/**
 * What pages of other origins may read in a browser: every reply of the API, by the credential that their request names. Cookies are no
 * part of it (there is no `Access-Control-Allow-Credentials`), so a browser session stays with our own pages (Fetch Standard §3.2,
 * docs/adr/0040).
 */
export class Cors {
  readonly #origins: ReadonlySet<string>;
  readonly #isForAll: boolean;

  /** `*` among them: all. */
  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
    this.#isForAll = this.#origins.has('*');
  }

  /** Whether it is about replies to this address. */
  concerns(url: string): boolean {
    return url.startsWith('/v1/');
  }

  /** Header fields of a reply. `vary`: what else decides about it; kept by its side, since a cache must not give one origin what another was told. */
  fieldsFor(origin: string | undefined, vary: string | undefined): Fields {
    if (this.#isForAll) return { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED };
    const varies = { vary: vary === undefined ? 'Origin' : `${vary}, Origin` };
    return origin !== undefined && this.#origins.has(origin)
      ? { ...varies, 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED }
      : varies;
  }

  /** Header fields for a browser that asks what a page may send (preflight); null: the request is none. What it may send is whatever it names: it decides about nothing. */
  preflight({ origin, ...headers }: IncomingHttpHeaders): Fields | null {
    if (origin === undefined || headers['access-control-request-method'] === undefined) return null;
    const named = headers['access-control-request-headers'];
    return {
      'access-control-allow-methods': METHODS,
      'access-control-max-age': String(KEPT_SECONDS),
      vary: 'Access-Control-Request-Headers',
      ...(named === undefined ? {} : { 'access-control-allow-headers': named }),
    };
  }
}
