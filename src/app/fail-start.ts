import { ConfigError } from '../platform/config/index.ts';
import type { Log } from '../platform/log/log.ts';

/**
 * What fails where nothing can listen: `bind` is said to one of several processes. A name that is none is looked up for HOST only: databases
 * say which setting names theirs, and other servers may be away.
 */
const LISTENING: readonly unknown[] = ['listen', 'bind', 'getaddrinfo'];

/** What a person must read, without the stack that a fault of ours would have. */
export function failStart(error: unknown, log: Log | undefined): never {
  const known = error instanceof ConfigError || ['DataDirInUseError', 'MigrationError'].includes((error as Error).name);
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  const refused = LISTENING.includes(syscall);
  const told =
    code === 'EADDRINUSE'
      ? `the port is in use (${message}); set PORT`
      : `it cannot listen (${message}); set HOST and PORT`;
  console.error(`Posthorn did not start: ${refused ? told : message}`);
  if (!known && !refused) log?.fatal({ err: error }, 'start failed');
  process.exit(1);
}
