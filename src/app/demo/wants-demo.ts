import type { Config } from '../../platform/config/index.ts';

/** Whether these settings ask for a demo: never with PostgreSQL, never in production; else by default in development. */
export function wantsDemo(config: Config): boolean {
  if (config.DATABASE_URL !== undefined || config.POSTHORN_ENV === 'production') return false;
  return config.POSTHORN_DEMO ?? config.POSTHORN_ENV === 'development';
}
