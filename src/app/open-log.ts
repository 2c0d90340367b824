import type { Config } from '../platform/config/index.ts';
import { createLog, type Log } from '../platform/log/log.ts';
import { wantsDemo } from './demo/wants-demo.ts';
import { readableLog } from './readable-log.ts';

/** Whether a developer reads what this writes. */
export const onTerminal = (config: Config): boolean => process.stdout.isTTY && config.POSTHORN_ENV === 'development';

/**
 * JSON lines; on a developer's terminal, lines for people. There, a demo begins with warnings only: else the first
 * requests would push its table of credentials off the screen.
 */
export function openLog(config: Config): Log {
  const demo = wantsDemo(config);
  if (onTerminal(config)) return createLog(config.LOG_LEVEL ?? (demo ? 'warn' : 'info'), readableLog(process.stdout));
  // pino's own stream is faster and writes later than `process.stdout` does: the table would not stand last.
  const inOrder = { write: (line: string) => void process.stdout.write(line) };
  return createLog(config.LOG_LEVEL ?? 'info', demo ? inOrder : undefined);
}
