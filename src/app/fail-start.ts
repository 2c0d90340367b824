import { ConfigError } from '../platform/config/index.ts';
import type { Log } from '../platform/log/log.ts';

/** What a person must read, without the stack that a fault of ours would have. */
export function failStart(error: unknown, log: Log | undefined): never {
  const known = error instanceof ConfigError || ['DataDirInUseError', 'MigrationError'].includes((error as Error).name);
  const refused = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
  console.error(
    `Posthorn did not start: ${refused ? `the port is in use (${(error as Error).message}); set PORT` : (error as Error).message}`,
  );
  if (!known && !refused) log?.fatal({ err: error }, 'start failed');
  process.exit(1);
}
