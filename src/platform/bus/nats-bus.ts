import { setTimeout as pause } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Log } from '../log/log.ts';
import { connectTo } from '../nats/connect.ts';
import type { Bus } from './bus.ts';
import { isRefusal, watchConnection } from '../nats/watch-connection.ts';
import { Coalescer, Subscriptions } from './subscriptions.ts';

const PREFIX = 'posthorn.wake.';
/** A start waits this long for NATS; the service does its work without it as well. Milliseconds. */
const FIRST_WAIT_MS = 2000;

const AWAY = 'NATS is not reachable; until it is, nodes find each other’s work by polling';
const REFUSES =
  'NATS answers, but refuses this node, which finds the work of others by polling: are user and password, or the token, of NATS_URL right?';

/**
 * Wake-ups over NATS (core, no stream: a lost one is made up for by polling). Connects and reconnects for ever; while
 * there is no connection messages are lost, and once there is one again every listener is called.
 */
export async function natsBus(url: string, nodeId: string, log: Log): Promise<Bus> {
  const subscriptions = new Subscriptions();
  const end = new AbortController();
  let connection: NatsConnection | null = null;
  let failure: unknown;
  /** It was said that there is none. */
  let isMissed = false;

  const isBack = (): void => {
    if (isMissed) log.info('NATS is reachable again; nodes tell each other of their work');
    isMissed = false;
    subscriptions.emitAll();
  };
  const open = async (): Promise<void> => {
    const opened = await connectTo(url, `posthorn ${nodeId}`, end.signal, (error) => (failure = error));
    connection = opened;
    opened.subscribe(`${PREFIX}>`, {
      callback: (error, message) => {
        if (!error && message.string() !== nodeId) subscriptions.emit(message.subject.slice(PREFIX.length));
      },
    });
    void watchConnection(opened, {
      lost() {
        if (end.signal.aborted) return;
        isMissed = true;
        log.warn('the connection to NATS was lost; it is opened again');
      },
      refused: (error) => log.warn({ err: error }, REFUSES),
      back: isBack,
    });
    // One round trip: from here on nothing is missed.
    await opened.flush();
    isBack();
  };
  const opening = open().catch((error: unknown) => {
    if (!end.signal.aborted) log.error({ err: error }, 'NATS cannot be used; nodes find each other’s work by polling');
  });
  await Promise.race([opening, pause(FIRST_WAIT_MS, undefined, { ref: false })]);
  if (connection === null) {
    isMissed = true;
    log.warn({ err: failure }, isRefusal(failure) ? REFUSES : AWAY);
  }

  const coalescer = new Coalescer(async (topic) => {
    connection?.publish(`${PREFIX}${topic}`, nodeId);
    await connection?.flush();
  });
  return {
    publish: (topic) => coalescer.publish(topic),
    subscribe: (topic, fn) => subscriptions.add(topic, fn),
    async close() {
      end.abort();
      await opening;
      // Not `drain`: while the connection is lost that fails late, and leaves the client reconnecting for ever.
      await connection?.close();
    },
  };
}
