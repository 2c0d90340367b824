import assert from 'node:assert/strict';
import { Registry } from 'prom-client';
import type { Client } from '../../client/src/index.ts';
import { type Service, start } from '../../src/app/start.ts';
import type { ErrorCode, ErrorDetail } from '../../src/contracts/errors.ts';
import type { Scope } from '../../src/contracts/caller.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { parseConfig } from '../../src/platform/config/index.ts';
import type { Database } from '../../src/platform/db/index.ts';
import { createLog, type Log } from '../../src/platform/log/log.ts';
import { checkedClient } from './checked-client.ts';
import { cleanup } from './cleanup.ts';
import { theContract } from './contract.ts';
import { withDatabase } from './database.ts';

export const PASSWORD = 'correct horse battery';
export const OPERATOR = 'operator@example.com';
export const MASTER_KEY = Buffer.alloc(32, 'posthorn').toString('base64');

/** Settings of a test's service: a fixed master key, an operator, and limits that no test meets by accident. */
const ENV = {
  POSTHORN_ENV: 'test',
  POSTHORN_MASTER_KEY: MASTER_KEY,
  POSTHORN_OPERATOR_EMAIL: OPERATOR,
  POSTHORN_OPERATOR_PASSWORD: PASSWORD,
  HOST: '127.0.0.1',
  PORT: '0',
  // The test's clock and chance reach no thread; those that send over threads say so.
  WEBHOOK_SENDER_THREADS: '0',
  // A thirtieth of the time of each sign-in; what it costs in production is tried in src/lib/password.test.ts.
  PASSWORD_HASH_COST: '10',
  RATE_LIMIT_KEY: '1000000',
  RATE_LIMIT_SESSION: '1000000',
  RATE_LIMIT_ANONYMOUS: '1000000',
  RATE_LIMIT_SIGN_IN: '1000000',
  RATE_LIMIT_COMMENTS: '1000000',
};

export interface TestServiceOptions {
  env?: Record<string, string>;
  clock?: Clock;
  random?: () => number;
  withoutLoops?: boolean;
  /** Default: a new migrated one of the run's kind. Give one to run two services on it. */
  database?: Database;
  log?: Log;
}

export interface CallOptions {
  token?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** The address or method is no operation, on purpose: only the envelope is checked. */
  undeclared?: boolean;
}

export interface TestReply<T> {
  status: number;
  headers: Headers;
  /** Undefined without a body. */
  body: T;
}

export interface Envelope {
  error: { code: ErrorCode; message: string; requestId: string; details?: ErrorDetail[] };
}

export interface IssuedKey {
  id: string;
  accountId: string;
  key: string;
  signingSecret: string;
}

export interface SignedIn {
  id: string;
  email: string;
  token: string;
}

type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

/** A running service and its callers. Stopped after the test file. */
export class TestService {
  readonly service: Service;
  readonly url: string;
  #operator: Promise<string> | undefined;
  #count = 0;

  constructor(service: Service) {
    this.service = service;
    this.url = service.url;
  }

  /** One request over real HTTP. A reply that openapi.json does not declare fails the test. */
  async call<T = Record<string, unknown>>(
    method: Method,
    path: string,
    options: CallOptions = {},
  ): Promise<TestReply<T>> {
    const { token, body, headers, undeclared } = options;
    const response = await fetch(this.url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const contentType = response.headers.get('content-type');
    const parsed: unknown =
      text === '' ? undefined : contentType?.startsWith('application/json') ? JSON.parse(text) : text;
    const { status } = response;
    if (path.startsWith('/v1') && !undeclared)
      theContract().check({ method, path, status, headers: response.headers, body: parsed });
    if (path.startsWith('/v1') && status >= 400 && method !== 'HEAD') {
      theContract().checkEnvelope(parsed, `${method} ${path} ${status}`);
      assert.equal((parsed as Envelope).error.requestId, response.headers.get('x-request-id'));
    }
    return { status, headers: response.headers, body: parsed as T };
  }

  /** A request that must fail with this code. */
  async refused(
    code: ErrorCode,
    method: Method,
    path: string,
    options: CallOptions = {},
  ): Promise<TestReply<Envelope>> {
    const reply = await this.call<Envelope>(method, path, options);
    assert.equal(reply.body?.error?.code, code, `${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply;
  }

  /** A request that must have this status. */
  async ok<T = Record<string, unknown>>(
    status: number,
    method: Method,
    path: string,
    options: CallOptions = {},
  ): Promise<T> {
    const reply = await this.call<T>(method, path, options);
    assert.equal(reply.status, status, `${method} ${path}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  }

  /** The client library, with an API key, an access token or nothing. Replies are held against openapi.json as well. */
  client(credential?: string): Client {
    return checkedClient(this.url, credential, (seen) => theContract().check(seen));
  }

  /** The access token of a new session. */
  async signIn(email: string, password = PASSWORD): Promise<string> {
    return (await this.client().signIn({ body: { email, password } })).accessToken;
  }

  /** The access token of the operator of the settings. */
  operator(): Promise<string> {
    this.#operator ??= this.signIn(OPERATOR);
    return this.#operator;
  }

  /** The client library, in the hand of the operator of the settings. */
  async operatorClient(): Promise<Client> {
    return this.client(await this.operator());
  }

  /** The id of a new account. */
  async account(type: 'MERCHANT' | 'BUSINESS' | 'SITE' | 'PLATFORM' = 'MERCHANT'): Promise<string> {
    const client = await this.operatorClient();
    return (await client.createAccount({ body: { name: `Account ${++this.#count}`, type } })).id;
  }

  /** A new key of the account, or of a new one. */
  async key(scopes: readonly Scope[], accountId?: string): Promise<IssuedKey> {
    const client = await this.operatorClient();
    const owner = accountId ?? (await this.account());
    return client.createApiKey({ body: { accountId: owner, name: `Key ${++this.#count}`, scopes: [...scopes] } });
  }

  /** A new user, signed in. */
  async user(roles: { blogRole?: 'AUTHOR' | 'EDITOR'; operator?: boolean } = {}): Promise<SignedIn> {
    const client = await this.operatorClient();
    const email = `user${++this.#count}@example.com`;
    const { id } = await client.createUser({
      body: { email, name: `User ${this.#count}`, password: PASSWORD, ...roles },
    });
    return { id, email, token: await this.signIn(email) };
  }
}

/** The service as it runs in production, in this process, on a free port, with a database of the run's kind. */
export async function testService(options: TestServiceOptions = {}): Promise<TestService> {
  const { env, clock, random, withoutLoops, log = createLog('silent') } = options;
  const started = await start(parseConfig({ ...ENV, ...env }), log, {
    database: options.database ?? (await withDatabase()),
    metrics: new Registry(),
    ...(clock ? { clock } : {}),
    ...(random ? { random } : {}),
    ...(withoutLoops ? { withoutLoops } : {}),
  });
  const forget = cleanup(() => started.stop());
  return new TestService({ ...started, stop: () => started.stop().then(forget) });
}
