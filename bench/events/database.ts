import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { loadMigrations, migrate, openPostgres } from '../../src/platform/db/index.ts';
import { adminUrl, freshDatabase } from '../lib/processes.ts';
import { fillEvents } from './data.ts';

const HOUR_MS = 3_600_000;

const nameOf = (events: number): string => `posthorn_bench_events_${events}`;

/** Of what the rows are made: another text is another log. */
async function markerOf(events: number): Promise<string> {
  const digest = createHash('sha256').update(String(events));
  for (const { checksum } of await loadMigrations()) digest.update(checksum);
  for (const name of ['data', 'mix']) digest.update(await readFile(new URL(`${name}.ts`, import.meta.url)));
  return digest.digest('hex');
}

async function ask<T extends object>(statement: string, values: unknown[] = []): Promise<T[]> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    return (await client.query<T>(statement, values)).rows;
  } finally {
    await client.end();
  }
}

/** The address of a database with so many events: one that was kept, if it is the same as a new one would be. */
export async function eventsDatabase(events: number): Promise<string> {
  const url = new URL(adminUrl);
  url.pathname = `/${nameOf(events)}`;
  const [kept] = await ask<{ marker: string | null }>(
    "select shobj_description(oid, 'pg_database') as marker from pg_database where datname = $1",
    [nameOf(events)],
  );
  const marker = await markerOf(events);
  if (kept?.marker === marker) return url.href;
  const started = performance.now();
  const told = (what: string) =>
    console.error(`${events} events, ${((performance.now() - started) / 1000).toFixed(0)} s: ${what}`);
  const database = await openPostgres(await freshDatabase(nameOf(events)), 3, { queryTimeoutMs: HOUR_MS });
  try {
    await migrate(database.db, await loadMigrations());
    await fillEvents(database.db, events, told);
  } finally {
    await database.close();
  }
  // What was written is on the disk before anything is measured.
  await ask('checkpoint');
  await ask(`comment on database ${nameOf(events)} is '${marker}'`);
  told('done');
  return url.href;
}

/** BENCH_KEEP=1 keeps the database for the next run. */
export async function dropUnlessKept(events: number): Promise<void> {
  if (process.env.BENCH_KEEP !== '1') await ask(`drop database if exists ${nameOf(events)} with (force)`);
}
