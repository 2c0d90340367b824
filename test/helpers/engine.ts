import assert from 'node:assert/strict';
import { sql } from 'kysely';
import type { Client } from '../../client/src/index.ts';
import type { Service } from '../../src/app/start.ts';
import type { Scope } from '../../src/contracts/caller.ts';
import { EVENTS, type InternalEvent } from '../../src/contracts/events/index.ts';
import { ManualClock, monotonicNow, systemClock } from '../../src/lib/clock.ts';
import { uuidv7 } from '../../src/lib/ids.ts';
import { createAccount } from '../../src/modules/accounts/index.ts';
import type { Engine } from '../../src/modules/webhooks/engine/engine.ts';
import { type Database, type Db, type Env, inTransaction } from '../../src/platform/db/index.ts';
import { type TestService, testService } from './service.ts';

/**
 * Waits for a fact that something else brings about; throws, naming it, when it does not come. It looks less and less often, up
 * to every `mostMs`, since each look takes the machine from what is waited for.
 */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  withinMs = 30_000,
  mostMs = 25,
): Promise<void> {
  const deadline = monotonicNow() + withinMs;
  for (let wait = 1; !(await isSo()); wait = Math.min(mostMs, wait * 1.5)) {
    if (monotonicNow() > deadline) throw new Error(`did not happen within ${withinMs} ms: ${what}`);
    await new Promise((done) => setTimeout(done, wait));
  }
}

/**
 * Waits until so many have come of what comes piece by piece. It may take as long as the machine needs; it throws when
 * for `withinMs` nothing more has come.
 */
export async function untilAll(
  what: string,
  count: number,
  arrived: () => number | Promise<number>,
  withinMs = 15_000,
): Promise<void> {
  for (let now = await arrived(); now < count; ) {
    const before = now;
    const more = async (): Promise<boolean> => (now = await arrived()) > before;
    await until(`${what}: ${before} of ${count}, and one more`, more, withinMs);
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- replies are looked into field by field
export type Body = any;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Answered {
  status: number;
  headers: Headers;
  body: Body;
}

/** An account with an API key. */
export interface Tenant {
  id: string;
  key: string;
  keyId: string;
  secret: string;
}

export interface NodeOptions {
  database: Database;
  clock?: ManualClock;
  settings?: Record<string, string>;
  /** What jitter is made of; default 0.5, the middle. */
  random?: () => number;
  /** Runs the loops as in production, instead of step by step. */
  loops?: boolean;
}

/** A running service whose loops are driven by the test, with its clock in the test's hand. */
export class TestNode {
  readonly #test: TestService;
  readonly service: Service;
  readonly clock: ManualClock;
  readonly engine: Engine;
  readonly db: Db;

  constructor(test: TestService, clock: ManualClock) {
    this.#test = test;
    const { service } = test;
    this.service = service;
    this.clock = clock;
    this.engine = service.modules.webhooks.engine;
    this.db = service.opened.platform.db;
  }

  get env(): Env {
    return { now: new Date(this.clock.now()), newId: () => uuidv7(this.clock.now()), requestId: 'test-request' };
  }

  /** One request over HTTP; the reply is held against openapi.json. */
  async call(
    method: Method,
    path: string,
    options: { key?: string; body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Answered> {
    const { key, ...rest } = options;
    return this.#test.call<Body>(method, path, { ...rest, ...(key === undefined ? {} : { token: key }) });
  }

  /** The body of a reply that must have this status. */
  async ok(status: number, ...request: Parameters<TestNode['call']>): Promise<Body> {
    const reply = await this.call(...request);
    assert.equal(reply.status, status, `${request[0]} ${request[1]}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  }

  /** The client library, with an API key, an access token or nothing. */
  client(credential?: string): Client {
    return this.#test.client(credential);
  }

  /** A new account of the type, with a key. */
  async tenant(type: 'MERCHANT' | 'BUSINESS' | 'PLATFORM' = 'MERCHANT', scopes?: readonly Scope[]): Promise<Tenant> {
    return inTransaction(this.db, async (trx) => {
      const { id } = await createAccount(trx, { name: type, type }, this.env);
      const wanted = scopes ?? (type === 'PLATFORM' ? ['events:publish', 'admin'] : ['webhooks:manage']);
      const key = await this.service.modules.accounts.createApiKey(
        trx,
        { accountId: id, name: 'test', scopes: [...wanted] },
        this.env,
      );
      return { id, key: key.key, keyId: key.id, secret: key.signingSecret };
    });
  }

  /** Registers an endpoint (of the account's kind) and returns it. */
  async endpoint(tenant: Tenant, url: string, more: Record<string, unknown> = {}, kind = 'endpoints'): Promise<Body> {
    const [client, body] = [this.client(tenant.key), { url, ...more } as Body];
    return kind === 'endpoints' ? client.createEndpoint({ body }) : client.createBusinessSubscription({ body });
  }

  /** Publishes the catalogue's example (with changes) and returns the ids of the events. */
  async publish(
    publisher: Tenant,
    audience: readonly Tenant[],
    events: readonly { event: InternalEvent; data?: Record<string, unknown> }[] = [{ event: 'checkout.started' }],
  ): Promise<string[]> {
    const body = {
      events: events.map(({ event, data }) => ({
        event,
        data: { ...EVENTS[event].example, ...data },
        accountIds: audience.map((a) => a.id),
      })),
    };
    const reply = (await this.ok(202, 'POST', '/v1/events', { key: publisher.key, body })) as {
      data: { id: string }[];
    };
    return reply.data.map((e) => e.id);
  }

  /** Fans out all that is in the log now, as far as a slow endpoint or another node's lease lets it. */
  async fanOut(): Promise<void> {
    const [loop] = this.engine.loops;
    for (let polled = true; await loop?.step(polled); polled = false);
  }

  /** Brings waiting deliveries in line with their endpoints, and begins the probes that are due. */
  async keepUp(): Promise<void> {
    while (await this.engine.lifecycle.step());
    while (await this.engine.upkeep.step());
  }

  /** Takes up all that is due by the clock. */
  async claim(): Promise<void> {
    await this.keepUp();
    while (await this.engine.claims.step());
  }

  /** Waits until no request is under way and every outcome is written. */
  async quiet(): Promise<void> {
    const { dispatcher, recorder, fanOut } = this.engine;
    await until('no request under way', () => {
      // As the loop does: a holder whose lease has run out sends nothing until it has it again.
      if (!fanOut.maySend) recorder.touch();
      return dispatcher.inFlight === 0 && dispatcher.queued === 0;
    });
    await recorder.drain();
  }

  /** What the loops would do until there is nothing to do at this moment. */
  async work(): Promise<void> {
    await this.fanOut();
    await this.quiet();
    await this.claim();
    await this.quiet();
    // An endpoint that has not answered yet gets few at once, and the rest when it has.
    while (await this.engine.claims.step()) await this.quiet();
  }

  /** From now on no outcome is written, as if the process were killed here. Requests under way still go out. */
  die(): void {
    this.engine.recorder.abandon();
  }
}

/** Starts a service in this process; it is stopped after the test file. */
export async function startNode(options: NodeOptions): Promise<TestNode> {
  const clock = options.clock ?? new ManualClock(systemClock.now());
  const test = await testService({
    database: options.database,
    clock,
    env: options.settings ?? {},
    random: options.random ?? (() => 0.5),
    withoutLoops: !options.loops,
  });
  return new TestNode(test, clock);
}

/** Lets the leases of readers end now, as if their holders had been silent for long enough; those of deliveries go on. */
export async function expireReaders(db: Db): Promise<void> {
  await sql`update event_readers set lease_until = now() - interval '1 second' where lease_until is not null`.execute(
    db,
  );
}

/** Lets every lease end now. */
export async function expireLeases(db: Db): Promise<void> {
  await expireReaders(db);
  await sql`update webhook_deliveries set lease_until = now() - interval '1 second' where lease_until is not null`.execute(
    db,
  );
}

/** The durable cursor of the webhook fan-out. */
export async function cursorOf(db: Db): Promise<number> {
  const { rows } = await sql<{
    position: number;
  }>`select position from event_readers where name = 'webhook-fan-out'`.execute(db);
  return rows[0]?.position ?? 0;
}

export interface StoredDelivery {
  id: string;
  event_id: string;
  event_position: number | null;
  endpoint_id: string;
  webhook: string;
  status: string;
  attempts: number;
  next_attempt_at: Date | null;
  replay_of: string | null;
  error_class: string | null;
}

/** Deliveries in the order of their making. */
export async function deliveriesOf(db: Db, endpointId?: string): Promise<StoredDelivery[]> {
  const { rows } =
    await sql<StoredDelivery>`select id, event_id, event_position, endpoint_id, webhook, status, attempts,
    next_attempt_at, replay_of, error_class from webhook_deliveries
    where ${endpointId ?? null}::uuid is null or endpoint_id = ${endpointId ?? null}::uuid order by id`.execute(db);
  return rows;
}
