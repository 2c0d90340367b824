import type { Client } from 'pg';
import type { Log } from '../log/log.ts';
import type { Bus } from './bus.ts';
import { Coalescer, Subscriptions } from './subscriptions.ts';

const CHANNEL = 'posthorn';
const RECONNECT_MS = 1000;

/**
 * LISTEN/NOTIFY over one connection of its own. That connection must reach PostgreSQL itself: a pooler in transaction
 * mode cannot carry LISTEN. When it breaks it is opened again, and every listener is called once, since messages may
 * have been missed.
 */
export async function postgresBus(connect: () => Promise<Client>, nodeId: string, log: Log): Promise<Bus> {
  const subscriptions = new Subscriptions();
  let client: Client | null = null;
  let closed = false;
  let retry: NodeJS.Timeout | undefined;

  const lost = (failed: Client): void => {
    if (closed || client !== failed) return;
    client = null;
    log.warn('the connection for LISTEN was lost; it is opened again');
    reopen();
  };
  const reopen = (): void => {
    retry = setTimeout(() => {
      open().then(
        () => subscriptions.emitAll(),
        () => !closed && reopen(),
      );
    }, RECONNECT_MS);
  };
  const open = async (): Promise<void> => {
    const opened = await connect();
    opened.on('error', () => lost(opened));
    opened.on('end', () => lost(opened));
    opened.on('notification', ({ payload = '' }) => {
      const [from, topic = ''] = payload.split(' ');
      if (from !== nodeId) subscriptions.emit(topic);
    });
    try {
      await opened.query(`listen ${CHANNEL}`);
    } catch (error) {
      await opened.end();
      throw error;
    }
    // Not before: until it listens, nothing else is asked on it, and whoever opened it tries again when it breaks.
    if (closed) await opened.end();
    else client = opened;
  };
  await open();

  /** A client takes one query at a time (pg refuses more from version 9 on), and topics are sent independently. */
  let sending: Promise<unknown> = Promise.resolve();
  const coalescer = new Coalescer(async (topic) => {
    const mine = sending.then(() => client?.query('select pg_notify($1, $2)', [CHANNEL, `${nodeId} ${topic}`]));
    sending = mine.catch(() => undefined);
    await mine;
  });
  return {
    publish: (topic) => coalescer.publish(topic),
    subscribe: (topic, fn) => subscriptions.add(topic, fn),
    async close() {
      closed = true;
      clearTimeout(retry);
      await client?.end().catch(() => undefined);
    },
  };
}
