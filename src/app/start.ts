import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import type { Config } from '../platform/config/index.ts';
import { loadMigrations, migrate } from '../platform/db/index.ts';
import type { HttpApp } from '../platform/http/index.ts';
import type { Log } from '../platform/log/log.ts';
import { type Loop, type RunningLoop, runLoop } from '../platform/loop/loop.ts';
import { compose } from './compose.ts';
import type { SupervisorLink } from './cores/supervisor-link.ts';
import type { Demo } from './demo/demo-file.ts';
import { openDemo } from './demo/open-demo.ts';
import { type Opened, openPlatform, type Overrides } from './deps.ts';
import type { Modules } from './modules.ts';
import type { Role } from './role.ts';

export interface Service {
  /** `http://host:port` where it listens. */
  url: string;
  opened: Opened;
  modules: Modules;
  http: HttpApp;
  /** The demo of this database, with its credentials; null when there is none. */
  demo: Demo | null;
  /** With this somebody can become the first operator; null when there is an operator. Nobody else has it. */
  setupToken: string | null;
  settled: Promise<unknown>;
  /** Graceful: refuse what is new, finish what is under way, release leases. Within SHUTDOWN_SECONDS, after DRAIN_SECONDS. */
  stop(): Promise<void>;
}

export interface StartOptions extends Overrides {
  role?: Role;
  random?: () => number;
  /** Set when this is one of several processes of a machine, numbered from 0 on. */
  among?: { number: number; supervisor: SupervisorLink };
  /** For tests that drive the loops step by step. */
  withoutLoops?: boolean;
}

async function prepare(config: Config, log: Log, options: StartOptions): Promise<Opened> {
  const opened = await openPlatform(config, log, options);
  try {
    const applied = await migrate(opened.platform.db, await loadMigrations(), {
      connect: opened.platform.database.connect,
      log,
    });
    if (applied.length > 0) log.info({ migrations: applied }, 'the database schema was brought up to date');
    opened.platform.replica?.watch();
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

function createStop(
  config: Config,
  log: Log,
  parts: { opened: Opened; modules: Modules; http: HttpApp; loops: RunningLoop[]; role: Role },
): () => Promise<void> {
  const { opened, modules, http, loops, role } = parts;
  const run = async (): Promise<void> => {
    const ms = config.SHUTDOWN_SECONDS * 1000;
    if (config.DRAIN_SECONDS > 0 && role !== 'worker') {
      http.drain();
      await pause(config.DRAIN_SECONDS * 1000);
    }
    // One step that fails (the database may be away) does not keep the others from being done.
    const step = (share: number, promise: Promise<unknown>): Promise<void> =>
      within(share * ms, promise).catch((error: unknown) => log.error({ err: error }, 'a step of the shutdown failed'));
    http.refuse();
    for (const module of modules.all) module.leave?.();
    await step(0.05, http.quiet(Math.min(500, 0.05 * ms)));
    // Requests under way end first: what they publish is still handed to the loops' leases below.
    await step(0.4, http.app.close());
    await step(0.1, modules.events.drain());
    await step(0.1, Promise.all(loops.map((l) => l.stop())));
    await step(0.3, Promise.all(modules.all.map(async (module) => module.stop?.(0.25 * ms))));
    await opened.close();
    log.info('stopped');
  };
  let stopping: Promise<void> | undefined;
  return () => (stopping ??= run());
}

/** Waits for a promise, but no longer than `ms`. */
async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  try {
    await Promise.race([promise, new Promise((done) => (timer = setTimeout(done, ms)))]);
  } finally {
    clearTimeout(timer);
  }
}

/** The demo or the first operator: an installation that nobody can sign in to would be of no use. */
async function welcome(modules: Modules, { platform }: Opened): Promise<Pick<Service, 'demo' | 'setupToken'>> {
  const env = { now: new Date(platform.clock.now()), newId: platform.newId, requestId: 'start' };
  const demo = await openDemo(platform, modules.accounts);
  await modules.accounts.ensureConfiguredOperator(env);
  return { demo, setupToken: await modules.accounts.offerSetup(env) };
}

/** A label tells the processes apart; each gives its metrics to whoever of them is asked. */
function joinMetrics(metrics: Registry, number: number, supervisor: SupervisorLink): void {
  metrics.setDefaultLabels({ process: String(number) });
  supervisor.onCollect(() => metrics.metrics());
}

function runLoops(loops: readonly Loop[], log: Log): { running: RunningLoop[]; settled: Promise<unknown> } {
  const first: Promise<void>[] = [];
  const running = loops.map((loop) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    first.push(promise);
    return runLoop({ ...loop, step: (polled) => loop.step(polled).finally(resolve) }, log);
  });
  return { running, settled: Promise.all(first) };
}

const WRONG_KEY =
  'POSTHORN_MASTER_KEY opens none of the last signing secrets in this database: what this node sends for is held (NO_SIGNING_SECRET). ' +
  'If other nodes have another key, stop this one and give it theirs. If the key is lost, rotate the API keys of each account.';

/** Starts the service: opens, migrates, listens, runs the loops of its role. */
export async function start(config: Config, log: Log, options: StartOptions = {}): Promise<Service> {
  const opened = await prepare(config, log, options);
  const role = options.role ?? 'all';
  const { number = 0, supervisor } = options.among ?? {};
  try {
    if (supervisor) joinMetrics(opened.platform.metrics, number, supervisor);
    const { modules, http } = await compose(opened, { ...options, ...(supervisor ? { supervisor } : {}) });
    // A worker serves nobody: the nodes that do welcome people. Of several processes one is enough.
    const isSilent = role === 'worker' || number > 0;
    const welcomed = isSilent ? { demo: null, setupToken: null } : await welcome(modules, opened);
    await http.app.listen({ host: config.HOST, port: config.PORT });
    const { address, port, family } = http.app.server.address() as AddressInfo;
    if (!(await modules.accounts.opensSecrets())) log.error(WRONG_KEY);
    const loops = role === 'api' || options.withoutLoops ? [] : modules.all.flatMap((m) => m.loops);
    const { running, settled } = runLoops(loops, log);
    const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
    const stop = createStop(config, log, { opened, modules, http, loops: running, role });
    return { url, opened, modules, http, ...welcomed, settled, stop };
  } catch (error) {
    await opened.close();
    throw error;
  }
}
