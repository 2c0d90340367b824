import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Client } from 'pg';
import type { Db } from '../db/index.ts';
import type { Log } from '../log/log.ts';
import type { Bus } from './bus.ts';
import { Coalescer, Subscriptions } from './subscriptions.ts';

const CHANNEL = 'posthorn';
/**
 * A message is a transaction, for which the server would wait for its disk: some fifty times a second where events come one after another. What a crash
 * takes with it, it takes the listening connections with, and whoever listens anew looks. For this transaction only, since the connection may end at a pooler.
 */
const NOTIFY = `select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`;
const RECONNECT_MS = 1000;
/** A message takes milliseconds to a connection that listens. */
const PROOF_MS = 5000;

/**
 * Sends a message from `db`, and waits until the connection that listens has it. Throws when it does not come: the
 * connection ends at a pooler, which has let PostgreSQL's end of it go, or it leads to another database.
 */
async function prove(listening: Client, db: Db): Promise<void> {
  const payload = `proof ${randomUUID()}`;
  const { promise: arrived, resolve, reject } = Promise.withResolvers<void>();
  const listener = (message: { payload?: string | undefined }): void => void (message.payload === payload && resolve());
  const fault =
    'LISTEN does not work: nothing that is sent from the database of DATABASE_URL arrives. Set DATABASE_LISTEN_URL to the address of PostgreSQL itself (no pooler in transaction mode) and of the same database, or NATS_URL';
  const timer = setTimeout(() => reject(new Error(fault)), PROOF_MS);
  listening.on('notification', listener);
  try {
    await Promise.all([arrived, sql`select pg_notify(${CHANNEL}, ${payload})`.execute(db)]);
  } finally {
    clearTimeout(timer);
    listening.off('notification', listener);
  }
}

/**
 * LISTEN/NOTIFY over one connection of its own. That connection must reach PostgreSQL itself: a pooler in transaction
 * mode cannot carry LISTEN. When it breaks it is opened again, and every listener is called once, since messages may
 * have been missed.
 *
 * @param tryFrom where it is not certain that the connection carries messages of this database: then one is sent first,
 * and it throws, with what to set, when that one does not come
 */
export async function postgresBus(
  connect: () => Promise<Client>,
  nodeId: string,
  log: Log,
  tryFrom?: Db,
): Promise<Bus> {
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
        () => {
          if (!closed) log.info('the connection for LISTEN is there again');
          subscriptions.emitAll();
        },
        () => !closed && reopen(),
      );
    }, RECONNECT_MS);
  };
  const open = async (): Promise<Client> => {
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
    return opened;
  };
  const close = async (): Promise<void> => {
    closed = true;
    clearTimeout(retry);
    await client?.end().catch(() => undefined);
  };
  const first = await open();
  if (tryFrom !== undefined) {
    await prove(first, tryFrom).catch(async (error: unknown) => {
      await close();
      throw error;
    });
  }

  /** A client takes one query at a time (pg refuses more from version 9 on), and topics are sent independently. */
  let sending: Promise<unknown> = Promise.resolve();
  const coalescer = new Coalescer(async (topic) => {
    const mine = sending.then(() => client?.query(NOTIFY, [CHANNEL, `${nodeId} ${topic}`]));
    sending = mine.catch(() => undefined);
    await mine;
  });
  return {
    publish: (topic) => coalescer.publish(topic),
    subscribe: (topic, fn) => subscriptions.add(topic, fn),
    close,
  };
}
