import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { checkedInject } from '../../../test/helpers/checked-inject.ts';
import { cleanup } from '../../../test/helpers/cleanup.ts';
import { createCipher } from '../../lib/cipher.ts';
import { ManualClock } from '../../lib/clock.ts';
import { uuidv7Maker } from '../../lib/ids.ts';
import type { Bus } from '../../platform/bus/bus.ts';
import { Subscriptions } from '../../platform/bus/subscriptions.ts';
import { type Config, parseConfig } from '../../platform/config/index.ts';
import { type Database, type Env, inTransaction, type Trx } from '../../platform/db/index.ts';
import { createHttpApp } from '../../platform/http/index.ts';
import { createLog } from '../../platform/log/log.ts';
import { createSender } from '../../platform/outbound/index.ts';
import { type Accounts, type AccountsOptions, createAccounts } from './index.ts';
import { type Passwords, passwordsOf } from './passwords.ts';
import type { AccountsPlatform } from './platform.ts';
import type { User } from './schemas.ts';
import { createUser } from './users/create-user.ts';

/** A bus within the test, which can lose messages like a real one. */
export class TestBus implements Bus {
  readonly #subscriptions = new Subscriptions();
  losing = false;
  publish(topic: string): void {
    if (!this.losing) this.#subscriptions.emit(topic);
  }
  subscribe(topic: string, fn: () => void): () => void {
    return this.#subscriptions.add(topic, fn);
  }
  async close(): Promise<void> {}
}

export const PASSWORD = 'correct horse battery';
let passwordHash: Promise<string> | undefined;

/** An installation for tests: one database, a clock that stands still, as many nodes as asked for. */
export class Installation {
  readonly database: Database;
  readonly clock = new ManualClock();
  readonly bus = new TestBus();
  readonly platform: AccountsPlatform;
  /** Read by the caches; moves with `advance`. Milliseconds. */
  monotonic = 0;
  readonly passwords: Passwords;
  #users = 0;
  readonly #newUuid = uuidv7Maker();

  constructor(database: Database, settings: Record<string, string> = {}) {
    this.database = database;
    this.platform = {
      config: parseConfig({
        POSTHORN_ENV: 'test',
        PASSWORD_HASH_COST: '10',
        POSTHORN_MASTER_KEY: randomBytes(32).toString('base64'),
        ...settings,
      }),
      log: createLog('silent'),
      clock: this.clock,
      ownClock: this.clock,
      leastTime: async () => this.clock.now(),
      newId: () => this.#newUuid(this.clock.now()),
      db: database.db,
      bus: this.bus,
      cipher: createCipher(randomBytes(32)),
      sender: createSender({ allowedTargets: [], requireHttps: true }),
    };
    this.passwords = passwordsOf(this.platform.config);
  }
  node(options: AccountsOptions = {}, settings: Partial<Config> = {}): Accounts {
    const config = { ...this.platform.config, ...settings };
    return createAccounts({ ...this.platform, config }, { monotonic: () => this.monotonic, ...options });
  }
  /** The routes of a node, asked by `inject`, which checks each reply; closed after the test file. */
  async http(node: Accounts): Promise<FastifyInstance> {
    const http = await createHttpApp(
      { ...this.platform, metrics: new Registry(), authenticate: (bearer) => node.authenticate(bearer) },
      { routes: node.module.routes, webhooks: {}, version: '0.0.0', isReady: async () => true },
    );
    cleanup(() => http.app.close());
    return checkedInject(http);
  }
  advance(ms: number): void {
    this.clock.advance(ms);
    this.monotonic += ms;
  }
  get env(): Env {
    return { now: new Date(this.clock.now()), newId: this.platform.newId, requestId: 'test' };
  }
  trx<T>(fn: (trx: Trx) => Promise<T>): Promise<T> {
    return inTransaction(this.database.db, fn);
  }
  /** What the record of changes has of a user: action, who, and the user's fields before and after. */
  async recordedOf(userId: string): Promise<unknown[]> {
    const { rows } = await sql<{ action: string; by: string; before: object; after: object }>`
      select action, coalesce(actor_id::text, actor_kind) as by, before, after from changes
      where thing_id = ${userId} order by id`.execute(this.database.db);
    return rows.map(({ action, by, before, after }) => [action, by, before, after]);
  }
  /** A user with PASSWORD. */
  async user(roles: Pick<Partial<User>, 'blogRole' | 'operator'> = {}): Promise<User & { email: string }> {
    passwordHash ??= this.passwords.hash(PASSWORD);
    const input = {
      email: `user${++this.#users}@example.com`,
      name: 'A user',
      passwordHash: await passwordHash,
      ...roles,
    };
    const user = await this.trx((trx) => createUser(trx, input, this.env));
    return { ...user, email: input.email };
  }
}
