import { sql } from 'kysely';
import type { Db } from '../../../platform/db/index.ts';

/** Version of the database server. */
export async function serverVersion(db: Db): Promise<string> {
  const { rows } = await sql<{ version: string }>`select current_setting('server_version') as version`.execute(db);
  return (rows[0] as { version: string }).version;
}

/** Who gives the fewest connections, how many, and how many of them are in use by others. Superusers have no limits of their own. */
interface Connections {
  giver: string;
  most: number;
  open: number;
}

/** The bound on connections: of the server, the role or the database, whichever is least. */
export async function serverConnections(db: Db): Promise<Connections> {
  const { rows } = await sql<Connections>`
    with limits (giver, most, open) as (
      select 'the server gives', current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
        (select count(*)::int from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid())
      union all
      select 'the role ' || rolname || ' may have', rolconnlimit,
        (select count(*)::int from pg_stat_activity where usename = rolname and pid <> pg_backend_pid())
      from pg_roles where rolname = session_user and rolconnlimit >= 0 and not rolsuper
      union all
      select 'the database ' || datname || ' takes', datconnlimit,
        (select count(*)::int from pg_stat_activity as a where a.datname = d.datname and pid <> pg_backend_pid())
      from pg_database as d where datname = current_database() and datconnlimit >= 0
        and not (select rolsuper from pg_roles where rolname = session_user)
    )
    select giver, most, open from limits order by most limit 1`.execute(db);
  return rows[0] as Connections;
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
