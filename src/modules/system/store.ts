import { sql } from 'kysely';
import type { Db } from '../../platform/db/index.ts';

/** What the database says of itself. */
export async function selectDatabase(db: Db): Promise<{ version: string; size: number; schema: string | null }> {
  const { rows } = await sql<{ version: string; size: string | number; schema: string | null }>`
    select current_setting('server_version') as version, pg_database_size(current_database())::text as size,
      (select max(name) from schema_migrations) as schema`.execute(db);
  const [row] = rows;
  return { version: row?.version ?? '', size: Number(row?.size ?? 0), schema: row?.schema ?? null };
}

/** Asks nothing. */
export async function ping(db: Db): Promise<void> {
  await sql`select 1`.execute(db);
}
