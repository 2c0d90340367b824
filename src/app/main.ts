import { parseArgs } from 'node:util';
import { type Config, ConfigError, readConfig } from '../platform/config/index.ts';
import { createLog, type Log } from '../platform/log/log.ts';
import { type Role, type Service, start } from './start.ts';

const ROLES: readonly string[] = ['all', 'api', 'worker'];
const USAGE = `usage: npm start [-- --role all|api|worker]

Starts Posthorn. Settings are environment variables: see docs/settings.md.`;

function roleOf(args: readonly string[]): Role {
  const { values } = parseArgs({ args: [...args], options: { role: { type: 'string', default: 'all' }, help: { type: 'boolean', short: 'h' } } });
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
  console.error(`Posthorn did not start: ${refused ? `the port is in use (${(error as Error).message}); set PORT` : (error as Error).message}`);
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

/** The service from the command line. */
export async function main(args: readonly string[]): Promise<void> {
  const role = roleOf(args);
  let log: Log | undefined;
  try {
    const config = readConfig();
    log = createLog(config.LOG_LEVEL);
    const service = await start(config, log, { role });
    stopOnSignals(service, config, log);
    log.info({ url: service.url, role, database: service.opened.platform.database.kind }, 'Posthorn is listening');
  } catch (error) {
    failStart(error, log);
  }
}
