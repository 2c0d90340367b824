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

/** Has the server sort some 10 MB on its disk. Nothing of it stays, and a standby does it too. */
export async function spill(db: Db): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`set local work_mem = '64kB'`.execute(trx);
    await sql`select count(*) from (
      select from generate_series(1, 100000) as n order by md5(n::text) || repeat('x', 64) offset 1) as sorted`.execute(
      trx,
    );
  });
}

export interface Rights {
  role: string;
  /** Where tables are made that name no schema; null where there is no such place. */
  schema: string | null;
  /** Whether the server, or this role in it, takes no writes. */
  isReadOnly: boolean;
  mayCreate: boolean;
  /** A table that was made by a role which this one is no member of: it cannot be altered. */
  foreign: string | null;
}

/** What the role of the settings may do with the database. */
export async function rightsOf(db: Db): Promise<Rights> {
  const { rows } = await sql<Rights>`
    select current_user::text as role, current_schema()::text as schema,
      current_setting('transaction_read_only') = 'on' as "isReadOnly",
      coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) as "mayCreate",
      (select min(c.relname::text) from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = current_schema() and c.relkind in ('r', 'p') and not pg_has_role(c.relowner, 'USAGE')
        -- Those of extensions are none of ours.
        and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')) as foreign`.execute(
    db,
  );
  return rows[0] as Rights;
}
