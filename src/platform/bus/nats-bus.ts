import { connect } from '@nats-io/transport-node';
import type { Log } from '../log/log.ts';
import type { Bus } from './bus.ts';
import { Coalescer, Subscriptions } from './subscriptions.ts';

const PREFIX = 'posthorn.wake.';

/** Wake-ups over NATS (core, no stream: a lost one is made up for by polling). Reconnects for ever. */
export async function natsBus(url: string, nodeId: string, log: Log): Promise<Bus> {
  const connection = await connect({
    servers: url,
    name: `posthorn ${nodeId}`,
    maxReconnectAttempts: -1,
    waitOnFirstConnect: true,
    reconnectTimeWait: 1000,
  });
  const subscriptions = new Subscriptions();
  const wakeUps = connection.subscribe(`${PREFIX}>`, {
    callback: (error, message) => {
      if (!error && message.string() !== nodeId) subscriptions.emit(message.subject.slice(PREFIX.length));
    },
  });
  void (async () => {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') log.warn('the connection to NATS was lost; it is opened again');
      if (status.type === 'reconnect') subscriptions.emitAll();
    }
  })();
  // One round trip: from here on nothing is missed.
  await connection.flush();
  const coalescer = new Coalescer(async (topic) => {
    connection.publish(`${PREFIX}${topic}`, nodeId);
    await connection.flush();
  });
  return {
    publish: (topic) => coalescer.publish(topic),
    subscribe: (topic, fn) => subscriptions.add(topic, fn),
    async close() {
      wakeUps.unsubscribe();
      await connection.drain().catch(() => undefined);
    },
  };
}
