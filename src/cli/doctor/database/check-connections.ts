import { availableParallelism } from 'node:os';
import type { Config } from '../../../platform/config/index.ts';
import type { Database } from '../../../platform/db/index.ts';
import { fail, type Finding, ok, warn } from '../finding.ts';
import { serverConnections } from './store.ts';

const WHAT = 'connections';
/** Nodes that ought to find room: one that runs, and the one that takes its place during an upgrade. */
const ROOM_FOR = 2;

type Settings = Pick<Config, 'DATABASE_POOL' | 'WEB_CONCURRENCY' | 'NATS_URL'>;

/** Connections of one node with these settings, all its processes together. */
export function ofOneNode({ DATABASE_POOL, WEB_CONCURRENCY, NATS_URL }: Settings): number {
  const processes = WEB_CONCURRENCY === 'auto' ? availableParallelism() : WEB_CONCURRENCY;
  // One more listens for wake-ups, unless NATS carries them.
  return processes * (DATABASE_POOL + (NATS_URL === undefined ? 1 : 0));
}

/** Whether the server, the role and the database give as many connections as nodes with these settings take. Behind a pooler it is the pooler that has to. */
export async function checkConnections({ kind, db, pooler }: Database, config: Settings): Promise<Finding[]> {
  if (kind !== 'postgres' || pooler !== undefined) return [];
  const { giver, most, open } = await serverConnections(db);
  const one = ofOneNode(config);
  const nodes = Math.floor(most / one);
  const found = `a node takes up to ${one}, and ${giver} ${most} (${open} are open): room for ${nodes} such ${nodes === 1 ? 'node' : 'nodes'}`;
  const limit = giver.startsWith('the server') ? 'max_connections of the server' : 'that limit';
  const advice = `lower DATABASE_POOL or WEB_CONCURRENCY, raise ${limit}, or put a pooler before it`;
  if (nodes < 1) return [fail(WHAT, found, advice)];
  return [nodes < ROOM_FOR ? warn(WHAT, `${found}; an upgrade needs two for a moment`, advice) : ok(WHAT, found)];
}
