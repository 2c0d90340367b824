import { sql } from 'kysely';
import { afterCommit } from './transaction.ts';
import type { Db, Trx } from './types.ts';

/** Caches of this process, by topic. A call too many (another database in the same process) only costs a look. */
const listeners = new Map<string, Set<() => void>>();

/** Calls `fn` after each commit of this process that moved the topic's version. Returns the undoing. */
export function onVersionBumped(topic: string, fn: () => void): () => void {
  const of = listeners.get(topic) ?? new Set();
  listeners.set(topic, of.add(fn));
  return () => void of.delete(fn);
}

/**
 * A counter per topic that moves in the transaction that changes what a cache holds. Since the row stays locked until
 * the commit, versions become visible in order, and a cache that has read version v has everything up to v.
 */
export async function bumpVersion(trx: Trx, topic: string): Promise<number> {
  afterCommit(trx, () => listeners.get(topic)?.forEach((fn) => fn()));
  const { rows } = await sql<{ version: number }>`
    insert into change_versions (topic, version) values (${topic}, 1)
    on conflict (topic) do update set version = change_versions.version + 1
    returning version`.execute(trx);
  return rows[0]?.version ?? 0;
}

/**
 * One number that moves with every change of any topic; a subselect for statements that should also tell whether caches
 * are still right.
 */
export const changeStamp = sql<number>`(select coalesce(sum(version), 0)::bigint from change_versions)`;

/** The present version of each topic; 0 for one that never changed. */
export async function readVersions(db: Db | Trx, topics: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ topic: string; version: number }>`
    select topic, version from change_versions where topic = any(${topics})`.execute(db);
  const found = new Map(rows.map((r) => [r.topic, r.version]));
  return new Map(topics.map((t) => [t, found.get(t) ?? 0]));
}

/** The stamp and the version of one topic, of the same moment. */
export async function readStamp(db: Db, topic: string): Promise<{ stamp: number; version: number }> {
  const { rows } = await sql<{ stamp: number; version: number }>`/*named:read-stamp*/
    select ${changeStamp} as stamp, coalesce((select version from change_versions where topic = ${topic}), 0) as version`.execute(
    db,
  );
  return rows[0] ?? { stamp: 0, version: 0 };
}
