import { sql } from 'kysely';
import type { Db } from '../../platform/db/index.ts';

/** Version of the database server. */
export async function serverVersion(db: Db): Promise<string> {
  const { rows } = await sql<{ version: string }>`select current_setting('server_version') as version`.execute(db);
  return (rows[0] as { version: string }).version;
}
