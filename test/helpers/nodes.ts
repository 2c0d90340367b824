import { type Database, openPglite, openPostgres } from '../../src/platform/db/index.ts';
import { cleanup } from './cleanup.ts';
import { migratedPostgres, testDb } from './database.ts';
import { migratedDataDir } from './embedded.ts';
import { ServiceProcess } from './process.ts';

/** One of several services over one database, each a process that can be killed and started again. */
export class Node {
  readonly process: ServiceProcess;
  /** Resolves when it can serve; a new promise from each kill on. */
  ready: Promise<void> = Promise.resolve();

  constructor(env: Record<string, string>) {
    this.process = new ServiceProcess({
      RATE_LIMIT_ANONYMOUS: '1000000',
      RATE_LIMIT_SIGN_IN: '1000000',
      RATE_LIMIT_COMMENTS: '1000000',
      ...env,
    });
    cleanup(() => this.process.kill());
  }

  start(): Promise<void> {
    this.ready = this.process.start();
    return this.ready;
  }

  /** kill -9, and a start on the same data. */
  killAndStart(): Promise<void> {
    this.ready = this.process.kill().then(() => this.process.start());
    return this.ready;
  }
}

export interface Nodes {
  nodes: readonly [Node, ...Node[]];
  /** The data itself. Of the embedded database only when no node runs: one process can have it. */
  open: () => Promise<Database>;
}

async function place(): Promise<{ env: Record<string, string>; open: Nodes['open'] }> {
  if (testDb === 'postgres') {
    const url = await migratedPostgres();
    const env = { DATABASE_URL: url, POSTHORN_MASTER_KEY: Buffer.alloc(32, 5).toString('base64') };
    return { env, open: () => openPostgres(url, 2) };
  }
  const dir = await migratedDataDir();
  return { env: { POSTHORN_DATA_DIR: dir }, open: () => openPglite(dir) };
}

/** Started nodes over one new database: two on PostgreSQL, one on the embedded one. */
export async function startNodes(env: Record<string, string> = {}): Promise<Nodes> {
  const { env: where, open } = await place();
  const first = new Node({ ...where, ...env });
  await first.start();
  if (testDb === 'pglite') return { nodes: [first], open };
  const second = new Node({ ...where, ...env });
  await second.start();
  return { nodes: [first, second], open };
}

/** Who prepares posts on the nodes, and reads them. */
export interface Site {
  /** An API key with `blog:read`. */
  apiKey: string;
  /** The access token of an editor. */
  editor: string;
}

/** A key and an editor, made through this node. */
export async function openSite({ process: service }: Pick<Node, 'process'>): Promise<Site> {
  const operator = await service.operator();
  const { id } = await service.call('POST', '/v1/admin/accounts', { name: 'Site', type: 'SITE' }, operator);
  const body = { accountId: id, name: 'site', scopes: ['blog:read'] };
  const { key } = await service.call('POST', '/v1/admin/api-keys', body, operator);
  const credentials = { email: 'writer@nodes.example', password: 'writer of the nodes' };
  const writer = { ...credentials, name: 'Writer', blogRole: 'EDITOR' };
  await service.call('POST', '/v1/admin/users', writer, operator);
  const { accessToken } = await service.call('POST', '/v1/auth/sign-in', credentials);
  return { apiKey: key, editor: accessToken };
}
