import type { Config } from '../platform/config/index.ts';
import type { Log } from '../platform/log/log.ts';
import { linkToSupervisor, type SupervisorLink } from './cores/supervisor-link.ts';
import { dashboard, NO_DASHBOARD } from './dashboard.ts';
import { callableUrl, demoTable } from './demo/demo-table.ts';
import { wantsDemo } from './demo/wants-demo.ts';
import { fewFiles } from './few-files.ts';
import { onTerminal } from './open-log.ts';
import type { Role } from './role.ts';
import { setupHint, setupRequest } from './setup-hint.ts';
import { type Service, start } from './start.ts';
import { StopWishes } from './stop-wishes.ts';
import { VERSION } from './version.ts';

/** Where `npm run demo` looks when it is told nothing: the defaults of the settings. */
const USUAL = { url: 'http://127.0.0.1:3000', dataDir: '.data' };

/** Longest wait for the log lines of a start, so that what a person must read stands below them. Milliseconds. */
const SETTLE_MS = 1000;

/** The table of the demo, or how to become the first operator. */
function greet({ url: listening, demo, setupToken }: Service, config: Config, log: Log): void {
  const url = config.POSTHORN_PUBLIC_URL?.replace(/\/+$/, '') ?? callableUrl(listening);
  if (demo) {
    const { POSTHORN_DATA_DIR: dataDir, POSTHORN_OPERATOR_EMAIL: operatorEmail } = config;
    const site = config.SITE ? `${url}/blog` : undefined;
    process.stdout.write(demoTable({ demo, url, site, version: VERSION, dataDir, operatorEmail, usual: USUAL }));
  } else if (setupToken !== null) {
    if (process.stdout.isTTY) process.stdout.write(setupHint(setupToken, url));
    // In the message, since a field of this name would be removed from the log as a secret.
    else log.warn(`There is no operator yet. ${setupRequest(setupToken, url)}`);
  }
}

/**
 * Stops at the first signal, and at once at the second. One of several processes stops when its supervisor says so; a signal to
 * a whole group (Ctrl-C, or a service manager's) reaches it as well, and is then the same wish once more.
 */
function stopWhenAsked(
  service: Service,
  { config, role }: { config: Config; role: Role },
  log: Log,
  supervisor: SupervisorLink | undefined,
): void {
  const wishes = new StopWishes();
  const stop = (signal: string): void => {
    const wish = wishes.hear();
    if (wish === 'again' || (wish === 'second' && supervisor)) return;
    if (wish === 'second') {
      log.warn('asked twice to stop: stopping at once');
      process.exit(1);
    }
    log.info({ signal }, 'stopping');
    setTimeout(
      () => {
        log.error('the shutdown took too long');
        process.exit(1);
      },
      ((role === 'worker' ? 0 : config.DRAIN_SECONDS) + config.SHUTDOWN_SECONDS) * 1000,
    ).unref();
    void service.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'the shutdown failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  supervisor?.onStop(() => stop('from the supervisor'));
}

export interface ServeOptions {
  role: Role;
  /** Which of the processes of this machine this is, from 0 on; undefined: the only one, without a supervisor. */
  number: number | undefined;
  /** Called when it stops by itself at a signal, and not before. */
  isStarted: () => void;
}

/** The service in this process, until it is asked to stop. */
export async function serve(config: Config, log: Log, { role, number, isStarted }: ServeOptions): Promise<void> {
  const supervisor = number === undefined ? undefined : linkToSupervisor(log);
  // The first start takes seconds, and the log of a demo says nothing meanwhile.
  if (onTerminal(config) && wantsDemo(config)) process.stdout.write('Posthorn is starting …\n');
  const service = await start(config, log, {
    role,
    ...(supervisor ? { among: { number: number ?? 0, supervisor } } : {}),
  });
  stopWhenAsked(service, { config, role }, log, supervisor);
  isStarted();
  if (!service.demo) log.level = config.LOG_LEVEL ?? 'info';
  const told = { url: service.url, role, database: service.opened.platform.database.kind };
  if (supervisor) log.info({ pid: process.pid, ...told }, 'this process is listening');
  else log.info(told, 'Posthorn is listening');
  supervisor?.ready(service.url);
  const few = fewFiles(config, role);
  if (few !== null && (number ?? 0) === 0) log.warn(few);
  if (role !== 'worker' && (number ?? 0) === 0 && (await dashboard()).site === null) log.warn(NO_DASHBOARD);
  await Promise.race([service.settled, new Promise((done) => setTimeout(done, SETTLE_MS).unref())]);
  greet(service, config, log);
}
