import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type AnyCaller,
  type Caller,
  type KeyCaller,
  type SessionCaller,
  userCredentialId,
} from '../../contracts/caller.ts';
import { AppError } from '../../contracts/errors.ts';
import { isSameOrigin, isSecure, sessionTokenOf } from './browser-session.ts';
import { authorize, credentialId, identify, nobodyId } from './caller.ts';
import { networkOf } from './network-of.ts';
import { createLimiter, type Limiter, type LimitResult, limitHeaders } from './rate-limit.ts';
import { RedisCounts } from './redis-counts.ts';
import type { AnyRoute } from './route.ts';
import type { HttpContext } from './types.ts';

type Admitting = Pick<HttpContext, 'config' | 'log' | 'authenticate' | 'knownCaller' | 'redis' | 'countTogether'>;

const NOBODY: AnyCaller = { kind: 'nobody' };

interface Limiters {
  key: Limiter;
  session: Limiter;
  anonymous: Limiter;
  /** Apart from `anonymous`: whoever sends wrong keys from an address does not keep others there from signing in. */
  failed: Limiter;
  signIn: Limiter;
  comments: Limiter;
}

function createLimiters({ config, log, redis: client, countTogether: together }: Admitting): Limiters {
  const redis = client && new RedisCounts(client, log);
  return {
    // Without the other processes of the machine: a read with a key is answered without waiting for anything (docs/adr/0016).
    key: createLimiter('key', config.RATE_LIMIT_KEY, { redis }),
    session: createLimiter('session', config.RATE_LIMIT_SESSION, { redis, together }),
    anonymous: createLimiter('anonymous', config.RATE_LIMIT_ANONYMOUS, { redis, together }),
    failed: createLimiter('failed', config.RATE_LIMIT_ANONYMOUS, { redis, together }),
    signIn: createLimiter('sign-in', config.RATE_LIMIT_SIGN_IN, { redis, together }),
    comments: createLimiter('comments', config.RATE_LIMIT_COMMENTS, { redis, together }),
  };
}

function tell(result: LimitResult, reply: FastifyReply): void {
  const headers = limitHeaders(result);
  reply.headers(headers);
  if (!result.allowed) throw new AppError('RATE_LIMITED', { headers });
}

/**
 * Whose tries are counted together: those of a caller, else those for one e-mail from one address. So are sign-ins by the form
 * of somebody who is signed in already: else each further session would be further tries at one password.
 */
function limitKey({ caller = NOBODY, ip, body }: FastifyRequest, name: string): string {
  const isForEmail = name === 'signIn' && typeof (body as { email?: unknown } | null | undefined)?.email === 'string';
  return caller.kind === 'nobody' || isForEmail ? nobodyId(ip, body) : credentialId(caller);
}

/** Who calls, whether they may, and whether not too often. */
export class Admission {
  readonly #context: Admitting;
  readonly #limiters: Limiters;

  constructor(context: Admitting) {
    this.#context = context;
    this.#limiters = createLimiters(context);
  }

  /** The holder of an API key, where that can be told and counted without waiting; else null. */
  known(authorization: string | undefined): KeyCaller | null {
    if (!authorization?.startsWith('Bearer ') || !this.#limiters.key.isLocal) return null;
    return this.#context.knownCaller?.(authorization.slice('Bearer '.length)) ?? null;
  }

  /** Counts a request of someone whom `known` has told. */
  count(caller: KeyCaller): LimitResult {
    // `known` tells nobody where this were a promise.
    return this.#limiters.key.take(credentialId(caller)) as LimitResult;
  }

  /** Whether the next request of someone whom `known` has told is too many; counts nothing. */
  isOver(caller: KeyCaller): boolean {
    return this.#limiters.key.isReached(credentialId(caller));
  }

  /** Whether the caller may; runs before the body is read. A promise only where something has to be asked for. */
  admit(route: AnyRoute, request: FastifyRequest, reply: FastifyReply): AnyCaller | Promise<AnyCaller> {
    if (route.access === 'public') return this.#admitNobody(request, reply);
    const known = this.known(request.headers.authorization);
    if (!known) return this.#admitAsked(route, request, reply);
    tell(this.count(known), reply);
    return this.#allowed(route, known, request, reply);
  }

  async #admitNobody(request: FastifyRequest, reply: FastifyReply): Promise<AnyCaller> {
    tell(await this.#limiters.anonymous.take(networkOf(request.ip)), reply);
    return NOBODY;
  }

  async #admitAsked(route: AnyRoute, request: FastifyRequest, reply: FastifyReply): Promise<AnyCaller> {
    const { key, session } = this.#limiters;
    let caller: Caller;
    try {
      const { headers } = request;
      const { config, authenticate } = this.#context;
      const token = sessionTokenOf(headers, isSecure(config.POSTHORN_PUBLIC_URL));
      caller = await identify(headers.authorization, token, authenticate);
    } catch (error) {
      return this.#refuse(error, request, reply);
    }
    tell(await (caller.kind === 'key' ? key : session).take(credentialId(caller)), reply);
    return this.#allowed(route, caller, request, reply);
  }

  #allowed(
    route: AnyRoute,
    caller: Caller,
    request: FastifyRequest,
    reply: FastifyReply,
  ): AnyCaller | Promise<AnyCaller> {
    // Known from here on, also to whoever tells of a request that was refused.
    request.caller = caller;
    try {
      this.#checkOrigin(request);
      authorize(route.access, caller);
      return caller;
    } catch (error) {
      return this.#refuse(error, request, reply);
    }
  }

  /** FORBIDDEN for what another site had a browser send with its cookie. Reads change nothing, and it cannot see the reply. */
  #checkOrigin({ method, headers }: FastifyRequest): void {
    if (headers.authorization !== undefined || method === 'GET' || method === 'HEAD') return;
    if (isSameOrigin(headers, this.#context.config.POSTHORN_PUBLIC_URL)) return;
    throw new AppError('FORBIDDEN', {
      message: 'A request with the cookie of a session must come from a page of this service.',
    });
  }

  /** Counted by address, and only when it failed: wrong keys never lock out a right one. */
  async #refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<never> {
    if (error instanceof AppError && error.code === 'UNAUTHENTICATED')
      tell(await this.#limiters.failed.take(networkOf(request.ip)), reply);
    throw error;
  }

  /** Who reads a page: whose session the token of the cookie is, else nobody. Throws RATE_LIMITED. */
  async admitReader(token: string | null, request: FastifyRequest, reply: FastifyReply): Promise<SessionCaller | null> {
    const known = token === null ? null : await this.#context.authenticate(token);
    const { session, anonymous } = this.#limiters;
    if (known?.kind !== 'session') {
      tell(await anonymous.take(networkOf(request.ip)), reply);
      return null;
    }
    tell(await session.take(credentialId(known)), reply);
    return known;
  }

  /** Counts against the limit that the route has besides; throws RATE_LIMITED. */
  async countMore(name: NonNullable<AnyRoute['limit']>, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    tell(await this.#limiters[name].take(limitKey(request, name)), reply);
  }

  /** Counts a comment of somebody who has only just shown who they are; throws RATE_LIMITED. */
  async countComment(userId: string, reply: FastifyReply): Promise<void> {
    tell(await this.#limiters.comments.take(userCredentialId(userId)), reply);
  }
}
