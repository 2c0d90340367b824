import { setTimeout as pause } from 'node:timers/promises';
import {
  AckPolicy,
  type ConsumerMessages,
  DiscardPolicy,
  jetstream,
  type JetStreamClient,
  type JetStreamManager,
  jetstreamManager,
  type JsMsg,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import { type NatsConnection, NoRespondersError, RequestError } from '@nats-io/transport-node';
import { monotonicNow, systemClock } from '../../lib/clock.ts';
import type { Log } from '../log/log.ts';
import { connectTo } from './connect.ts';
import { type Job, NobodyThere, type WorkQueue } from './work-queue.ts';

const CONSUMER = 'workers';
/** A job whose process says nothing for so long is given to another. */
const SILENCE_MS = 5000;
/** Longer than any job is waited for; what nobody took leaves the stream. */
const MAX_AGE_MS = 120_000;
/** Bodies that wait; beyond it what is put is refused. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Jobs given out and not done, over all processes. */
const MAX_OUT = 100_000;
const ASK_MS = 2000;
const AGAIN_MS = 500;
/** Given to a process ahead of its asking. */
const AHEAD = 8;
const FIRST_WAIT_MS = 2000;
const NANOS_PER_MS = 1_000_000;

export interface QueueOptions {
  url: string;
  /** Of the stream, and what all subjects begin with. */
  name: string;
  replicas: number;
  nodeId: string;
  log: Log;
}

/** What a subject may be made of. */
const tokenOf = (nodeId: string): string => nodeId.replaceAll(/[^\w-]/g, '_');

function jobOf(message: JsMsg): Job {
  const { timestampNanos, deliveryCount } = message.info;
  return {
    data: message.data,
    times: deliveryCount,
    // Wall clocks on purpose: it was written down by another machine.
    ageMs: systemClock.now() - timestampNanos / NANOS_PER_MS,
    done: () => message.ack(),
    working: () => message.working(),
    giveBack: (afterMs) => message.nak(afterMs),
  };
}

class JetStreamQueue implements WorkQueue {
  readonly #options: QueueOptions;
  readonly #end = new AbortController();
  readonly #subject: string;
  #connection: NatsConnection | null = null;
  #client: JetStreamClient | null = null;
  #manager: JetStreamManager | null = null;
  #isConnected = false;
  #answer: (data: Uint8Array) => Uint8Array = () => new Uint8Array();
  #hear: (data: Uint8Array) => void = () => undefined;
  #taking: Promise<void> | null = null;
  #messages: ConsumerMessages | null = null;
  #mayTake = true;
  #ensuring: Promise<void> | null = null;
  #warnedAt = Number.NEGATIVE_INFINITY;
  opening: Promise<void>;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#subject = `${options.name}.attempts`;
    this.opening = this.#open().catch((error: unknown) => {
      if (!this.#end.signal.aborted) this.#warn(error, 'JetStream cannot be used');
    });
  }

  get isUp(): boolean {
    return this.#isConnected;
  }

  async #open(): Promise<void> {
    const { url, nodeId, name } = this.#options;
    const connection = await connectTo(url, `posthorn ${nodeId} attempts`, this.#end.signal);
    this.#connection = connection;
    void this.#watch(connection);
    this.#client = jetstream(connection, { timeout: ASK_MS });
    connection.subscribe(`${name}.node.${tokenOf(nodeId)}`, {
      callback: (error, message) => {
        if (error) return;
        if (message.reply === undefined || message.reply === '') this.#hear(message.data);
        else message.respond(this.#answer(message.data));
      },
    });
    connection.subscribe(`${name}.all`, {
      callback: (error, message) => {
        if (!error) this.#hear(message.data);
      },
    });
    await connection.flush();
    this.#isConnected = true;
    await this.#ensure();
  }

  async #watch(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') {
        this.#isConnected = false;
        if (!this.#end.signal.aborted)
          this.#options.log.warn('the connection to JetStream was lost; it is opened again');
      }
      if (type !== 'reconnect') continue;
      this.#isConnected = true;
      // The server may have forgotten who asked for work, and the stream: all of it is looked for anew.
      this.#messages?.stop();
    }
    this.#isConnected = false;
  }

  /** The stream and its consumer are there, as these settings want them. One at a time. */
  #ensure(): Promise<void> {
    return (this.#ensuring ??= this.#make().finally(() => (this.#ensuring = null)));
  }

  async #make(): Promise<void> {
    const { name, replicas } = this.#options;
    if (!this.#connection) throw new Error('there is no connection to NATS');
    this.#manager ??= await jetstreamManager(this.#connection, { timeout: ASK_MS });
    const { streams, consumers } = this.#manager;
    const stream = {
      name,
      subjects: [this.#subject],
      retention: RetentionPolicy.Workqueue,
      storage: StorageType.Memory,
      discard: DiscardPolicy.New,
      num_replicas: replicas,
      max_age: MAX_AGE_MS * NANOS_PER_MS,
      max_bytes: MAX_BYTES,
    };
    const found = await streams.info(name).catch(() => null);
    if (!found) await streams.add(stream);
    else if (found.config.num_replicas !== replicas) await streams.update(name, { num_replicas: replicas });
    await consumers.add(name, {
      durable_name: CONSUMER,
      ack_policy: AckPolicy.Explicit,
      ack_wait: SILENCE_MS * NANOS_PER_MS,
      max_ack_pending: MAX_OUT,
      max_deliver: -1,
    });
  }

  async put(data: Uint8Array): Promise<void> {
    if (!this.#client || !this.#isConnected) throw new Error('there is no connection to NATS');
    try {
      await this.#client.publish(this.#subject, data, { timeout: ASK_MS, retries: 0 });
    } catch (error) {
      // The stream may be gone with its server.
      void this.#ensure().catch((reason: unknown) => this.#warn(reason, 'the stream of attempts cannot be made'));
      throw error;
    }
  }

  take(fn: (job: Job) => Promise<void>): void {
    this.#taking ??= this.#takeAll(fn);
  }

  async #takeAll(fn: (job: Job) => Promise<void>): Promise<void> {
    await this.opening;
    while (this.#mayTake && !this.#end.signal.aborted) {
      try {
        await this.#ensure();
        await this.#takeSome(fn);
      } catch (error) {
        if (this.#mayTake && this.#isConnected) this.#warn(error, 'no attempts can be taken from JetStream');
        await pause(AGAIN_MS);
      }
    }
  }

  /** Until the connection, the stream or the consumer is gone, or it is to stop. */
  async #takeSome(fn: (job: Job) => Promise<void>): Promise<void> {
    const consumer = await (this.#client as JetStreamClient).consumers.get(this.#options.name, CONSUMER);
    const messages = await consumer.consume({ max_messages: AHEAD, abort_on_missing_resource: true });
    this.#messages = messages;
    if (!this.#mayTake) messages.stop();
    try {
      for await (const message of messages) {
        const job = jobOf(message);
        if (this.#mayTake) await fn(job);
        else job.giveBack(0);
      }
    } finally {
      this.#messages = null;
      await messages.close().catch(() => undefined);
    }
  }

  async stopTaking(): Promise<void> {
    this.#mayTake = false;
    this.#messages?.stop();
    await this.#taking;
  }

  async ask(node: string, data: Uint8Array): Promise<Uint8Array> {
    if (!this.#connection || !this.#isConnected) throw new Error('there is no connection to NATS');
    const subject = `${this.#options.name}.node.${tokenOf(node)}`;
    try {
      return (await this.#connection.request(subject, data, { timeout: ASK_MS })).data;
    } catch (error) {
      const isAlone = error instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders());
      throw isAlone ? new NobodyThere(`nobody listens as ${node}`) : error;
    }
  }

  answer(fn: (data: Uint8Array) => Uint8Array): void {
    this.#answer = fn;
  }

  tell(node: string | null, data: Uint8Array): void {
    if (!this.#isConnected) return;
    const { name } = this.#options;
    this.#connection?.publish(node === null ? `${name}.all` : `${name}.node.${tokenOf(node)}`, data);
  }

  hear(fn: (data: Uint8Array) => void): void {
    this.#hear = fn;
  }

  async close(): Promise<void> {
    await this.stopTaking();
    this.#end.abort();
    await this.opening;
    // Not `drain`: while the connection is lost that fails late, and leaves the client reconnecting for ever.
    if (this.#isConnected) await this.#connection?.flush().catch(() => undefined);
    await this.#connection?.close();
  }

  /** Once in a while: what fails is tried again twice a second. */
  #warn(error: unknown, text: string): void {
    const now = monotonicNow();
    if (now - this.#warnedAt < 10_000) return;
    this.#warnedAt = now;
    this.#options.log.warn({ err: error }, `${text}; each worker makes its own attempts meanwhile`);
  }
}

/** The work queue in JetStream. A server that is not there is no reason not to start: it is looked for on and on. */
export async function jetStreamQueue(options: QueueOptions): Promise<WorkQueue> {
  const queue = new JetStreamQueue(options);
  await Promise.race([queue.opening, pause(FIRST_WAIT_MS, undefined, { ref: false })]);
  if (!queue.isUp) options.log.warn('JetStream is not reachable; until it is, each worker makes its own attempts');
  return queue;
}
