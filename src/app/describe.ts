import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { Registry } from 'prom-client';
import { parseConfig } from '../platform/config/index.ts';
import type { Database } from '../platform/db/index.ts';
import { createLog } from '../platform/log/log.ts';
import { compose } from './compose.ts';
import { openPlatform } from './deps.ts';

/** A database that is never asked anything. */
const noDatabase = (): Database => ({
  kind: 'pglite',
  db: new Kysely({
    dialect: {
      createDriver: () => new DummyDriver(),
      createAdapter: () => new PostgresAdapter(),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createIntrospector: (db) => new PostgresIntrospector(db),
    },
  }),
  close: async () => undefined,
});

/** The OpenAPI document of this version, as the service gives it at /openapi.json with the default settings. */
export async function describeApi(): Promise<Record<string, unknown>> {
  const config = parseConfig({ POSTHORN_ENV: 'test', POSTHORN_MASTER_KEY: Buffer.alloc(32).toString('base64') });
  const opened = await openPlatform(config, createLog('silent'), { database: noDatabase(), metrics: new Registry() });
  try {
    const { http } = await compose(opened, {});
    await http.app.ready();
    const document = http.openapi();
    await http.app.close();
    return document;
  } finally {
    await opened.close();
  }
}
