import { sql } from 'kysely';
import { type Db, isLockTimeout, type Trx } from '../../../platform/db/index.ts';
import { changing, isOfAnother } from './parts-store.ts';
import { tablesTakenOff, TO_REMOVE } from './taking-off-store.ts';

/** What can be removed by itself of a part of which nothing is left to keep: an index, and the table once it has none. */
export interface Piece {
  /** Of the part. */
  table: string;
  name: string;
  kind: 'constraint' | 'index' | 'table';
  /** On the disk. */
  bytes: number;
}

/** All that is left of them, in the order in which it goes. */
export async function remainsOf(db: Db | Trx): Promise<Piece[]> {
  const { rows } = await sql<Omit<Piece, 'bytes'> & { bytes: string }>`
    with taken_off as (${tablesTakenOff(TO_REMOVE)})
    select t.name as "table", coalesce(k.conname, c.relname)::text as name,
        case when k.oid is null then 'index' else 'constraint' end as kind, coalesce(pg_relation_size(c.oid), 0)::text as bytes
      from taken_off t join pg_index i on i.indrelid = t.oid join pg_class c on c.oid = i.indexrelid
      left join pg_constraint k on k.conindid = c.oid and k.conrelid = t.oid
    union all select name, name, 'table', coalesce(pg_table_size(oid), 0)::text from taken_off
    order by "table", kind, name`.execute(db);
  return rows.map((row) => ({ ...row, bytes: Number(row.bytes) }));
}

/** `is read`: by somebody, maybe for hours (a dump). `by another`: another node is at it, or has removed one of them since. */
export type Removed = 'removed' | 'is read' | 'by another';

/** Removes the first of what was there a moment ago. */
export async function removeFirst(db: Db, remains: readonly [Piece, ...Piece[]]): Promise<Removed> {
  const { table: of, name, kind } = remains[0];
  try {
    return await changing(db, async (trx) => {
      const names = new Set((await remainsOf(trx)).map((piece) => piece.name));
      if (remains.some((piece) => !names.has(piece.name))) return 'by another';
      // As they are written: an operator may have named them in any way.
      if (kind === 'table') await sql`drop table ${sql.id(of)}`.execute(trx);
      else if (kind === 'index') await sql`drop index ${sql.id(name)}`.execute(trx);
      else await sql`alter table ${sql.id(of)} drop constraint ${sql.id(name)}`.execute(trx);
      return 'removed';
    });
  } catch (error) {
    if (isLockTimeout(error)) return 'is read';
    if (isOfAnother(error)) return 'by another';
    throw error;
  }
}
