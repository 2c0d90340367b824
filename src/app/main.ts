import { parseArgs } from 'node:util';
import { type Config, ConfigError, readConfig } from '../platform/config/index.ts';
import { createLog, type Log } from '../platform/log/log.ts';
import { dashboard, NO_DASHBOARD } from './dashboard.ts';
import { callableUrl, demoTable } from './demo/demo-table.ts';
import { wantsDemo } from './demo/open-demo.ts';
import { readableLog } from './readable-log.ts';
import { setupHint, setupRequest } from './setup-hint.ts';
import { type Role, type Service, start } from './start.ts';
import { VERSION } from './version.ts';

const ROLES: readonly string[] = ['all', 'api', 'worker'];
const USAGE = `usage: npm start [-- --role all|api|worker]

Starts Posthorn. Settings are environment variables: see docs/settings.md.`;

function roleOf(args: readonly string[]): Role {
  const { values } = parseArgs({
    args: [...args],
    options: { role: { type: 'string', default: 'all' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help || !ROLES.includes(values.role)) {
    console.error(USAGE);
    process.exit(values.help ? 0 : 2);
  }
  return values.role as Role;
}

/** What a person must read, without the stack that a fault of ours would have. */
function failStart(error: unknown, log: Log | undefined): never {
  const known = error instanceof ConfigError || ['DataDirInUseError', 'MigrationError'].includes((error as Error).name);
  const refused = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
  console.error(
    `Posthorn did not start: ${refused ? `the port is in use (${(error as Error).message}); set PORT` : (error as Error).message}`,
  );
  if (!known && !refused) log?.fatal({ err: error }, 'start failed');
  process.exit(1);
}

function stopOnSignals(service: Service, config: Config, log: Log): void {
  let asked = false;
  const stop = (signal: string): void => {
    if (asked) {
      log.warn('asked twice to stop: stopping at once');
      process.exit(1);
    }
    asked = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      log.error('the shutdown took too long');
      process.exit(1);
    }, config.SHUTDOWN_SECONDS * 1000).unref();
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
}

/** Where `npm run demo` looks when it is told nothing: the defaults of the settings. */
const USUAL = { url: 'http://127.0.0.1:3000', dataDir: '.data' };

/** Longest wait for the log lines of a start, so that what a person must read stands below them. Milliseconds. */
const SETTLE_MS = 1000;

const onTerminal = (config: Config): boolean => process.stdout.isTTY && config.POSTHORN_ENV === 'development';

/**
 * JSON lines; on a developer's terminal, lines for people. There, a demo begins with warnings only: else the first
 * requests would push its table of credentials off the screen.
 */
function openLog(config: Config): Log {
  const demo = wantsDemo(config);
  if (onTerminal(config)) return createLog(config.LOG_LEVEL ?? (demo ? 'warn' : 'info'), readableLog(process.stdout));
  // pino's own stream is faster and writes later than `process.stdout` does: the table would not stand last.
  const inOrder = { write: (line: string) => void process.stdout.write(line) };
  return createLog(config.LOG_LEVEL ?? 'info', demo ? inOrder : undefined);
}

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

/** The service from the command line. */
export async function main(args: readonly string[]): Promise<void> {
  const role = roleOf(args);
  let log: Log | undefined;
  try {
    const config = readConfig();
    log = openLog(config);
    // The first start takes seconds, and the log of a demo says nothing meanwhile.
    if (onTerminal(config) && wantsDemo(config)) process.stdout.write('Posthorn is starting …\n');
    const service = await start(config, log, { role });
    stopOnSignals(service, config, log);
    if (!service.demo) log.level = config.LOG_LEVEL ?? 'info';
    log.info({ url: service.url, role, database: service.opened.platform.database.kind }, 'Posthorn is listening');
    if (role !== 'worker' && (await dashboard()).site === null) log.warn(NO_DASHBOARD);
    await Promise.race([service.settled, new Promise((done) => setTimeout(done, SETTLE_MS).unref())]);
    greet(service, config, log);
  } catch (error) {
    failStart(error, log);
  }
}
