import type { RedisClientType } from '@redis/client';
import type { Log } from '../platform/log/log.ts';

/** Not being there at start is no reason not to start. Milliseconds. */
const FIRST_WAIT_MS = 2000;

const AWAY = 'Redis is not reachable; this node counts rate limits for itself';
/** It is reached: not a matter of networks and firewalls, which who reads of one that is away would look at. */
const REFUSES =
  'Redis answers, but refuses this node, which counts rate limits for itself: are user, password and database of REDIS_URL right?';
/** It is being started, has no room for another client, or is a replica without its primary: nothing that REDIS_URL says is wrong. */
const UNABLE = 'Redis answers with an error; until it can be used, this node counts rate limits for itself';

/** How Redis begins what it says of user, password, rights and database; the rest is of itself. */
const OF_WHO_ASKS = /^(WRONGPASS|NOAUTH|NOPERM|ERR (invalid )?DB index|ERR (AUTH|Client sent AUTH|invalid password))/;

/**
 * A client of Redis that goes on trying for ever, about every two seconds. The log has why it is away once, not at each try, and that it is
 * back: until then a limit is that of each node.
 */
export async function openRedis(url: string, log: Log): Promise<RedisClientType> {
  const { createClient, ErrorReply } = await import('@redis/client');
  const client: RedisClientType = createClient({ url, disableOfflineQueue: true });
  let told: string | null = null;
  client.on('error', (error: Error) => {
    if (told === error.message) return;
    told = error.message;
    const answered = OF_WHO_ASKS.test(error.message) ? REFUSES : UNABLE;
    log.warn({ err: error }, error instanceof ErrorReply ? answered : AWAY);
  });
  client.on('ready', () => {
    if (told !== null) log.info('Redis can be used again; rate limits are shared');
    told = null;
  });
  const first = new Promise((done) => setTimeout(done, FIRST_WAIT_MS).unref());
  await Promise.race([client.connect().catch(() => undefined), first]);
  return client;
}
