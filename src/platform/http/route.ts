import type { Static, TObject, TSchema } from 'typebox';
import type { Caller, Scope, SessionCaller } from '../../contracts/caller.ts';
import type { AppError, ErrorCode, ErrorDetail } from '../../contracts/errors.ts';
import type { Db, Env, Trx } from '../db/types.ts';
import type { Octets } from './etag.ts';

/**
 * Routes are data: method, path, who may call, shapes, and a handler of a few lines. Everything else (authentication,
 * validation, rate limits, transaction, idempotency, error envelope, OpenAPI) is done by `registerRoutes` from this.
 */
export type Access =
  /** No credential is looked at. */
  | 'public'
  /** Any API key or session. */
  | 'any'
  /** K of interface.md §4: an API key with the scope; a session is accepted too. */
  | { key: Scope }
  /** S of interface.md §4: a session; an API key is 401. */
  | 'session'
  /** A session whose user has a blog role; else 403. */
  | 'writer'
  /** A session whose user is an editor of the blog; else 403. */
  | 'editor'
  /** A session of an operator, or a key with scope `admin`. */
  | 'operator'
  /** A key with the scope, or a session of an operator or of a member of some account. */
  | { account: Scope };

/** The type of `caller` that an access policy guarantees. */
export type CallerOf<A extends Access> = A extends 'session' | 'writer' | 'editor'
  ? SessionCaller
  : A extends 'public'
    ? undefined
    : Caller;

export interface RouteSchemas {
  params?: TObject;
  query?: TObject;
  body?: TSchema;
  /** One schema per declared success status; `null` for a reply without body. Errors are added by the platform. */
  replies: Record<number, TSchema | null>;
}

type Of<T> = T extends TSchema ? Static<T> : undefined;

export interface RouteInput<A extends Access, S extends RouteSchemas> {
  params: Of<S['params']>;
  query: Of<S['query']>;
  body: Of<S['body']>;
  caller: CallerOf<A>;
  env: Env;
  /** Lower-case header names. */
  headers: Readonly<Record<string, string | undefined>>;
  /** Where this process listens: `http://host:port`. The Host header is the caller's to choose. */
  listening: () => string;
  /** Whether the caller has hung up: nobody is there for the reply. */
  hasLeft: () => boolean;
  /** The bytes of the body as they came; for signatures. Absent where there was none. */
  rawBody?: string;
  /** With `recordsRefusals`: why the body, which is JSON, does not fit its schema. Nothing of it may be relied on then. */
  misfit?: AppError;
  /** With `recordsRefusals`: why the request is refused before its body could be looked at. To be kept, and thrown. */
  refusal?: AppError;
}

export interface Reply {
  status: number;
  /** Absent for 204 and 304. Serialised by the declared schema: fields that it does not name are dropped. */
  body?: unknown;
  /** A ready-made body of JSON instead, sent as it is: see `octets`. */
  bytes?: Octets;
  headers?: Record<string, string>;
  /**
   * Of a read: what any API key that may call this very address gets for these header fields now, if that can be told at
   * once; null when it has to be asked for again. Holds the address in memory, so it must not hold a body. See ShortWay.
   */
  again?: Again;
}

/** Lower-case header names. 200 with `bytes`, or 304 without; the values of its header fields are all of our making. */
export type Again = (headers: Readonly<Record<string, string | undefined>>) => Reply | null;

interface RouteBase<A extends Access, S extends RouteSchemas> extends RouteDocs {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** OpenAPI form: `/v1/blog/posts/{slug}`. */
  path: string;
  access: A;
  schemas: S;
  /** As `keyPerResource`, where several addresses lead to one resource: what names it. */
  resourceOf?(params: Of<S['params']>): Promise<string>;
}

export interface RouteDocs {
  /** Also the name of the use case's file in kebab case: `createPost` → create-post.ts. */
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  /** Error codes beyond those that the platform can give on this route by itself. */
  errors?: readonly ErrorCode[];
  /** Name of a limiter in the settings, on top of the general one. */
  limit?: 'signIn' | 'comments';
  /** Schemas with an `$id` that the others refer to by it; one `$id`, one schema in the whole service. */
  named?: readonly TSchema[];
  /** Replies of success carry `ETag`, `Cache-Control` and `Vary`. */
  etag?: true;
  /** The reply holds a secret: a stored idempotent reply is encrypted. */
  secretReply?: boolean;
  /** An Idempotency-Key is one per resource, not one per route: the same one may be sent to several of them. */
  keyPerResource?: boolean;
  /**
   * Of a `batch` route: its handler gets every request of a known caller, also what is refused before (`misfit`, `refusal`),
   * and keeps it. Whoever is over a rate limit, has no valid credential or hangs up is not known. An Idempotency-Key
   * is the handler's to look up (`commitReply`), after whatever it checks of each request.
   */
  recordsRefusals?: true;
  /**
   * What is wrong with a body that does not fit its schema, by rules that are in none: told together with that, so that nobody mends one
   * to be told of the other. Not beside `recordsRefusals`.
   */
  moreFaults?: (body: unknown) => ErrorDetail[];
  /** The caller signs the body; the handler looks at the signature. */
  isSigned?: true;
  /** Bytes of body; default: the setting BODY_LIMIT_BYTES, at most 64 KiB where any reader, merchant or business may call, and 16 KiB where the access is public. */
  bodyLimit?: number;
}

export interface ReadRoute<A extends Access, S extends RouteSchemas> extends RouteBase<A, S> {
  kind: 'read';
  handle(db: Db, input: RouteInput<A, S>): Promise<Reply>;
}

/** Runs in one transaction together with its Idempotency-Key; throwing rolls both back. */
export interface WriteRoute<A extends Access, S extends RouteSchemas> extends RouteBase<A, S> {
  kind: 'write';
  /**
   * Throws where the caller may not do this any more, though it may have before: asked before a stored reply is given again. For replies that hold
   * secrets, where the right is no matter of `access` alone.
   */
  checkRight?(input: RouteInput<A, S>): void;
  handle(trx: Trx, input: RouteInput<A, S>): Promise<Reply>;
}

/** Manages its own atomicity (group commit): gets the idempotency key, hands it to the batch that commits the effect. */
export interface BatchRoute<A extends Access, S extends RouteSchemas> extends RouteBase<A, S> {
  kind: 'batch';
  handle(db: Db, input: RouteInput<A, S>, claim: IdempotencyClaim | undefined): Promise<Reply>;
  /**
   * What `handle` does without a claim, where it needs nothing but this and its path has no parameters: plain requests then go past the framework. The
   * reply has a body of exactly its schema, and header fields of our making. See ShortBodies.
   */
  handleShort?(input: Pick<RouteInput<A, S>, 'body' | 'env'>): Promise<Reply>;
}

/** The row that must commit with the effect: see platform/http/idempotency. */
export interface IdempotencyClaim {
  scope: string;
  key: string;
  requestHash: string;
}

// oxlint-disable-next-line typescript/no-explicit-any -- a list of routes forgets each one's own input type
export type AnyRoute = ReadRoute<any, any> | WriteRoute<any, any> | BatchRoute<any, any>;

/** Identity functions that infer the handler's input from the schemas. */
export const read = <const A extends Access, S extends RouteSchemas>(route: Omit<ReadRoute<A, S>, 'kind'>): AnyRoute =>
  ({ kind: 'read', ...route }) as AnyRoute;
export const write = <const A extends Access, S extends RouteSchemas>(
  route: Omit<WriteRoute<A, S>, 'kind'>,
): AnyRoute => ({ kind: 'write', ...route }) as AnyRoute;
export const batch = <const A extends Access, S extends RouteSchemas>(
  route: Omit<BatchRoute<A, S>, 'kind'>,
): AnyRoute => ({ kind: 'batch', ...route }) as AnyRoute;
