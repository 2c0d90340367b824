import { EVENTS } from '../../src/contracts/events/index.ts';
import { emptyPostgres } from './database.ts';
import { Node, openSite, type Site } from './nodes.ts';
import { type Pooler, startPooler } from './pooler.ts';
import { type Receiver, startReceiver } from './receiver.ts';

/** Two nodes behind a pooler, with who writes posts, publishes events and receives them. */
export interface PooledNodes {
  direct: string;
  pooler: Pooler;
  here: Node;
  there: Node;
  site: Site;
  operator: string;
  /** Publishes events. */
  platform: { key: string };
  /** Receives them. */
  merchant: { id: string; secret: string; receiver: Receiver };
}

export const MASTER_KEY = Buffer.alloc(32, 6).toString('base64');

/** Starts two nodes together, on a database with nothing in it, which share `size` connections of PostgreSQL. */
export async function startPooledNodes(size: number): Promise<PooledNodes> {
  const direct = await emptyPostgres();
  const pooler = await startPooler(size);
  const env = {
    DATABASE_URL: pooler.through(direct),
    DATABASE_LISTEN_URL: direct,
    POSTHORN_MASTER_KEY: MASTER_KEY,
    LOG_LEVEL: 'error',
  };
  const [here, there] = [new Node(env), new Node(env)];
  await Promise.all([here.start(), there.start()]);
  const operator = await here.process.operator();
  const account = async (type: string, scopes: string[]) => {
    const { id } = await here.process.call('POST', '/v1/admin/accounts', { name: type, type }, operator);
    const body = { accountId: id, name: 'pooled', scopes };
    const { key, signingSecret } = await here.process.call('POST', '/v1/admin/api-keys', body, operator);
    return { id: id as string, key: key as string, secret: signingSecret as string };
  };
  const platform = await account('PLATFORM', ['events:publish', 'admin']);
  const merchant = await account('MERCHANT', ['webhooks:manage']);
  const receiver = await startReceiver();
  await here.process.call('POST', '/v1/webhooks/endpoints', { url: receiver.url() }, merchant.key);
  const site = await openSite(here);
  return { direct, pooler, here, there, site, operator, platform, merchant: { ...merchant, receiver } };
}

/** An event that the merchant receives. */
export const eventFor = ({ merchant }: PooledNodes, tradeSessionId: string) => ({
  event: 'checkout.started',
  data: { ...EVENTS['checkout.started'].example, tradeSessionId },
  accountIds: [merchant.id],
});

/** `tradeSessionId` of everything that arrived, with how often it did. */
export function arrivedAt(receiver: Receiver): Map<string, number> {
  const seen = new Map<string, number>();
  for (const { body } of receiver.received) {
    const { tradeSessionId } = JSON.parse(body) as { tradeSessionId: string };
    seen.set(tradeSessionId, (seen.get(tradeSessionId) ?? 0) + 1);
  }
  return seen;
}
