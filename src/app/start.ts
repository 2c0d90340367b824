import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import type { Config } from '../platform/config/index.ts';
import { loadMigrations, migrate } from '../platform/db/index.ts';
import { createHttpApp, type HttpApp } from '../platform/http/index.ts';
import type { Log } from '../platform/log/log.ts';
import { type RunningLoop, runLoop } from '../platform/loop/loop.ts';
import { type Opened, openPlatform, type Overrides } from './deps.ts';
import { createModules, type Modules } from './modules.ts';
import { openapiWebhooks } from './openapi-webhooks.ts';
import { VERSION } from './version.ts';

export type Role = 'all' | 'api' | 'worker';

export interface Service {
  /** `http://host:port` where it listens. */
  url: string;
  opened: Opened;
  modules: Modules;
  http: HttpApp;
  /** Graceful: refuse what is new, finish what is under way, release leases. Within SHUTDOWN_SECONDS. */
  stop(): Promise<void>;
}

export interface StartOptions extends Overrides {
  role?: Role;
  random?: () => number;
  /** For tests that drive the loops step by step. */
  withoutLoops?: boolean;
}

async function prepare(config: Config, log: Log, options: StartOptions): Promise<Opened> {
  const opened = await openPlatform(config, log, options);
  try {
    const applied = await migrate(opened.platform.db, await loadMigrations());
    if (applied.length > 0) log.info({ migrations: applied }, 'the database schema was brought up to date');
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

function createStop(config: Config, log: Log, parts: { opened: Opened; modules: Modules; http: HttpApp; loops: RunningLoop[] }): () => Promise<void> {
  const { opened, modules, http, loops } = parts;
  const run = async (): Promise<void> => {
    const ms = config.SHUTDOWN_SECONDS * 1000;
    http.refuse();
    // Requests under way end first: what they publish is still handed to the loops' leases below.
    await within(ms / 4, http.app.close());
    await within(ms / 8, modules.events.drain());
    await within(ms / 8, Promise.all(loops.map((l) => l.stop())));
    for (const module of modules.all) await within(ms / 4, module.stop?.(ms / 4));
    await opened.close();
    log.info('stopped');
  };
  let stopping: Promise<void> | undefined;
  return () => (stopping ??= run());
}

/** Waits for a promise, but no longer than `ms`. */
async function within(ms: number, promise: Promise<unknown> | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([promise, new Promise((done) => (timer = setTimeout(done, ms)))]);
  clearTimeout(timer);
}

/** Starts the service: opens, migrates, listens, runs the loops of its role. */
export async function start(config: Config, log: Log, options: StartOptions = {}): Promise<Service> {
  const opened = await prepare(config, log, options);
  const { platform, policy, redis } = opened;
  const role = options.role ?? 'all';
  try {
    const modules = createModules(platform, policy, options.random ? { random: options.random } : {});
    await modules.accounts.ensureConfiguredOperator({ now: new Date(platform.clock.now()), newId: platform.newId, requestId: 'start' });
    const http = await createHttpApp(
      {
        config, log, clock: platform.clock, newId: platform.newId, db: platform.db, cipher: platform.cipher, metrics: platform.metrics,
        authenticate: (bearer) => modules.accounts.authenticate(bearer),
        ...(redis ? { redis } : {}),
      },
      {
        routes: role === 'worker' ? [] : modules.all.flatMap((m) => m.routes),
        webhooks: openapiWebhooks(),
        version: VERSION,
        ...(config.POSTHORN_PUBLIC_URL ? { serverUrl: config.POSTHORN_PUBLIC_URL } : {}),
        isReady: async () => (await sql`select 1`.execute(platform.db)).rows.length === 1,
      },
    );
    await http.app.listen({ host: config.HOST, port: config.PORT });
    const { address, port, family } = http.app.server.address() as AddressInfo;
    const loops = role === 'api' || options.withoutLoops ? [] : modules.all.flatMap((m) => m.loops).map((l) => runLoop(l, log));
    const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
    return { url, opened, modules, http, stop: createStop(config, log, { opened, modules, http, loops }) };
  } catch (error) {
    await opened.close();
    throw error;
  }
}
