import { readFileSync } from 'node:fs';
import type { Config } from '../platform/config/index.ts';
import type { Role } from './role.ts';

/** What a process opens besides its connections to receivers: those of clients, the database and other servers, and its own files. */
const BESIDES = 256;

/** How many files, of which each connection is one, this process may have open; undefined where the system does not tell, or has no limit. */
export function mostFiles(read: () => string = () => readFileSync('/proc/self/limits', 'latin1')): number | undefined {
  try {
    // The soft limit, which Node has raised to the hard one.
    const [, most] = /^Max open files +(\d+) /m.exec(read()) ?? [];
    return most === undefined ? undefined : Number(most);
  } catch {
    return undefined;
  }
}

/**
 * What to say of a limit below what the settings may need; null: nothing. Beyond it the system drops connections of clients without a word to
 * this process, and no receiver is reached.
 */
export function fewFiles(
  { WEBHOOK_WORKER_IN_FLIGHT: inFlight }: Pick<Config, 'WEBHOOK_WORKER_IN_FLIGHT'>,
  role: Role,
  most = mostFiles(),
): string | null {
  const needed = BESIDES + (role === 'api' ? 0 : inFlight);
  if (most === undefined || most >= needed) return null;
  const receivers = role === 'api' ? '' : `, of which up to ${inFlight} are to receivers (WEBHOOK_WORKER_IN_FLIGHT)`;
  return `this process may have only ${most} files and connections open, and may need ${needed}${receivers}: raise the limit (ulimit -n; LimitNOFILE of systemd), else connections are dropped and webhooks put off`;
}
