import { freePort, temporaryCluster, type TemporaryCluster } from '../../scripts/lib/postgres.ts';
import { EVENTS } from '../../src/contracts/events/index.ts';
import { cleanup } from '../helpers/cleanup.ts';
import { type NatsServer, startNatsServers } from '../helpers/nats-servers.ts';
import { openSite } from '../helpers/nodes.ts';
import { type Pooler, startPooler } from '../helpers/pooler.ts';
import { ServiceProcess } from '../helpers/process.ts';
import { ServerProcess } from '../helpers/server-process.ts';
import { redisServerPath } from '../helpers/services.ts';
import { startProxy, type TcpProxy } from '../helpers/tcp-proxy.ts';

/** Of the merchants, each with one endpoint. */
const MERCHANTS = 12;
const POSTS = 30;

/** A Redis that keeps nothing. */
function redisAt(port: number): ServerProcess {
  const flags = ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--appendonly', 'no'];
  return new ServerProcess(redisServerPath as string, flags, port);
}

/** Everything of the largest form: two nodes that serve, two that work, and what they stand on. */
export interface System {
  postgres: TemporaryCluster;
  pooler: Pooler;
  brokers: readonly NatsServer[];
  redis: ServerProcess;
  apis: readonly [ServiceProcess, ServiceProcess];
  workers: readonly [ServiceProcess, ServiceProcess];
  /** What stands between the second worker and all else but the receivers. */
  lifelines: readonly TcpProxy[];
  publisherKey: string;
  readerKey: string;
  merchants: readonly string[];
}

/** `url` by way of a proxy. */
const through = (url: string, { port }: TcpProxy): string => {
  const other = new URL(url);
  other.port = String(port);
  return other.href;
};

const portOf = (url: string): number => Number(new URL(url).port);

/** Starts it all on loopback; it ends after the test file. `receiverUrl`: where the merchants' webhooks go. */
export async function startSystem(receiverUrl: string): Promise<System> {
  const postgres = await temporaryCluster();
  if (typeof postgres === 'string') throw new Error(postgres);
  cleanup(() => postgres.stop());
  const pooler = await startPooler(40, { server_login_retry: '1' }, postgres.url);
  const brokers = await startNatsServers(3);
  const redis = redisAt(await freePort());
  cleanup(() => redis.kill());
  await redis.start();

  const lifelines = await Promise.all(
    [pooler.through(postgres.url), ...brokers.map(({ url }) => url), `redis://127.0.0.1:${redis.port}`].map((url) =>
      startProxy('127.0.0.1', portOf(url)),
    ),
  );
  const [toPooler, ...others] = lifelines as [TcpProxy, ...TcpProxy[]];
  const toRedis = others.at(-1) as TcpProxy;
  const env = {
    DATABASE_URL: pooler.through(postgres.url),
    DATABASE_POOLED: 'true',
    POSTHORN_MASTER_KEY: Buffer.alloc(32, 8).toString('base64'),
    NATS_URL: brokers.map(({ url }) => url).join(','),
    NATS_REPLICAS: '3',
    REDIS_URL: `redis://127.0.0.1:${redis.port}`,
    WEBHOOK_DISPATCH: 'jetstream',
    // At this rate a worker has room for all that it decides about, and what is lost with a broker would be nothing.
    WEBHOOK_HAND_OVER: 'share',
    FANOUT_PARTITIONS: '4',
    LOG_LEVEL: 'fatal',
  };
  const behind = {
    ...env,
    DATABASE_URL: through(env.DATABASE_URL, toPooler),
    NATS_URL: brokers.map(({ url }, i) => through(url, others[i] as TcpProxy)).join(','),
    REDIS_URL: through(env.REDIS_URL, toRedis),
  };
  const apis = [new ServiceProcess(env, 'api'), new ServiceProcess(env, 'api')] as const;
  const workers = [new ServiceProcess(env, 'worker'), new ServiceProcess(behind, 'worker')] as const;
  for (const one of [...apis, ...workers]) cleanup(() => one.kill());
  await apis[0].start();
  await Promise.all([apis[1], ...workers].map((one) => one.start()));

  const [front] = apis;
  const operator = await front.operator();
  const account = async (type: string, scopes: string[]): Promise<{ id: string; key: string }> => {
    const { id } = await front.call('POST', '/v1/admin/accounts', { name: type, type }, operator);
    const { key } = await front.call('POST', '/v1/admin/api-keys', { accountId: id, name: 'c', scopes }, operator);
    return { id, key };
  };
  const merchants: string[] = [];
  for (let i = 0; i < MERCHANTS; i++) {
    const { id, key } = await account('MERCHANT', ['webhooks:manage']);
    await front.call('POST', '/v1/webhooks/endpoints', { url: receiverUrl }, key);
    merchants.push(id);
  }
  const site = await openSite({ process: front });
  for (let i = 0; i < POSTS; i++) {
    const { id } = await front.call(
      'POST',
      '/v1/blog/manage/posts',
      { title: `Post ${i}`, body: `The body of post ${i}.`, category: 'Guides' },
      site.editor,
    );
    await front.call('POST', `/v1/blog/manage/posts/${id}/publish`, {}, site.editor);
  }
  const { key: publisherKey } = await account('PLATFORM', ['events:publish']);
  return {
    postgres,
    pooler,
    brokers,
    redis,
    apis,
    workers,
    lifelines,
    publisherKey,
    readerKey: site.apiKey,
    merchants,
  };
}

/** An event for one of the merchants in turn. */
export const eventFor = ({ merchants }: System, n: number): unknown => ({
  event: 'checkout.started',
  data: { ...EVENTS['checkout.started'].example, tradeSessionId: `event-${n}` },
  accountIds: [merchants[n % merchants.length]],
});
