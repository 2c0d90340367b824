import { sql } from 'kysely';
import type { Db } from '../../../platform/db/index.ts';

/** Version of the database server. */
export async function serverVersion(db: Db): Promise<string> {
  const { rows } = await sql<{ version: string }>`select current_setting('server_version') as version`.execute(db);
  return (rows[0] as { version: string }).version;
}

/** How many connections the server gives to those who are no superusers, and how many there are of whom. */
export async function serverConnections(db: Db): Promise<{ most: number; open: number }> {
  const { rows } = await sql<{ most: number; open: number }>`
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most,
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()) as open`.execute(
    db,
  );
  return rows[0] as { most: number; open: number };
}
