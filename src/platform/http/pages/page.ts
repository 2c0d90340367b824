import type { Readable } from 'node:stream';
import type { SessionCaller } from '../../../contracts/caller.ts';
import type { AppError } from '../../../contracts/errors.ts';
import type { Markup } from '../../../lib/markup.ts';
import type { Db, Env, Trx } from '../../db/types.ts';

/**
 * Pages are data, as routes are: what people read in a browser. The platform does the rest: rate limit, session cookie,
 * same origin of forms, ETag, content policy, errors as pages. No operation of the API: openapi.json does not know them.
 */
export interface WebPage {
  method: 'GET' | 'POST';
  /** As of a route: `/blog/{slug}`. */
  path: string;
  /** For metrics and the log. */
  name: string;
  /** Whether it is the same for everybody: then nobody is asked who they are, and no cookie matters. */
  isForAll?: true;
  /** Name of a limiter in the settings, on top of the general one. */
  limit?: 'signIn' | 'comments';
  handle(input: PageInput): Promise<PageReply>;
}

/** Fields of an address or a form: of a field that is repeated, the first. None holds U+0000. */
export type Fields = Readonly<Record<string, string | undefined>>;

/** A form as it came, and the parts of its address. */
export type Sent = Pick<PageInput, 'form' | 'params'>;

export interface PageInput {
  /** Only the head of the reply is wanted. */
  isHead: boolean;
  params: Readonly<Record<string, string>>;
  query: Fields;
  /** Empty of what is no POST. */
  form: Fields;
  /** Who is signed in, by the cookie; always null where `isForAll`. */
  caller: SessionCaller | null;
  env: Env;
  db: Db;
  /** Lower-case header names. */
  headers: Readonly<Record<string, string | undefined>>;
  /** Where this process listens: `http://host:port`. The Host header is the caller's to choose. */
  listening: () => string;
  /**
   * Counts a comment of a user who has only just shown who they are, as `limit` counts those of whoever was signed in before. Throws
   * RATE_LIMITED.
   */
  countComment: (userId: string) => Promise<void>;
  /** One transaction, run again when it loses a deadlock. */
  write: <T>(effect: (trx: Trx) => Promise<T>) => Promise<T>;
}

export interface PageReply {
  status: number;
  /** A `Buffer` is one that is held for longer than this reply, and the same for everybody: it is compressed once for those who take that. */
  body?: Markup | string | Buffer | Readable;
  /** Default: HTML. */
  type?: string;
  /** Of the body, where it was made before; else it is made for each reply. */
  etag?: string;
  /** Over those of every page. */
  headers?: Readonly<Record<string, string>>;
  /** `Set-Cookie`, one each. */
  cookies?: readonly string[];
}

/** The pages of a module, and what they have in common. */
export interface PageSet {
  pages: readonly WebPage[];
  /** Addresses from here on are its own: what is unknown below is an error page. `/blog`. */
  below: string;
  /** Of every reply: content policy and the like. */
  headers: Readonly<Record<string, string>>;
  /** What people see when something fails; `sent` is what they had filled in. Must not throw. */
  onError(error: AppError, requestId: string, sent: Sent): PageReply;
}
