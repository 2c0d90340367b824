import { setTimeout as pause } from 'node:timers/promises';
import {
  AckPolicy,
  type ConsumerMessages,
  DiscardPolicy,
  jetstream,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstreamManager,
  type JsMsg,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import { type Msg, type NatsConnection, NoRespondersError, RequestError } from '@nats-io/transport-node';
import { monotonicNow } from '../../lib/clock.ts';
import type { Log } from '../log/log.ts';
import { connectTo } from './connect.ts';
import type { Seal } from './sealed.ts';
import { isRefusal, watchConnection } from './watch-connection.ts';
import { type Job, NobodyThere, NotTaken, type WorkQueue } from './work-queue.ts';

const CONSUMER = 'workers';
/** A job whose process says nothing for so long is given to another. */
const SILENCE_MS = 5000;
/** Longer than any job is waited for; what nobody took leaves the stream. */
const MAX_AGE_MS = 120_000;
/** Of the server's memory, for bodies that wait; beyond it what is put is refused. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Jobs given out and not done, over all processes. */
const MAX_OUT = 100_000;
const ASK_MS = 2000;
const AGAIN_MS = 500;
/** Given to a process ahead of its asking. */
const AHEAD = 8;
/** A server that leads the consumer anew knows of nobody who asked for work: so soon they notice. */
const CONSUME = { expires: 2000, idle_heartbeat: 500 };
const FIRST_WAIT_MS = 2000;
/** The last words before a connection is closed. */
const FLUSH_MS = 1000;
const NANOS_PER_MS = 1_000_000;
/** Of the server, without a setting of its own. */
const USUAL_MAX_PAYLOAD = 1024 * 1024;

const AWAY = 'JetStream is not reachable; until it is, each worker makes its own attempts';
const REFUSES =
  'NATS answers, but refuses this node, whose workers make their own attempts: are user and password, or the token, of NATS_URL right?';

export interface QueueOptions {
  url: string;
  /** Of the stream, and what all subjects begin with. */
  name: string;
  /** Servers that keep each message. */
  replicas: number;
  nodeId: string;
  seal: Seal;
  log: Log;
}

/** What a subject may be made of. */
const tokenOf = (nodeId: string): string => nodeId.replaceAll(/[^\w-]/g, '_');

const hasNoResponder = (error: unknown): boolean =>
  error instanceof NoRespondersError ||
  (error instanceof RequestError && error.isNoResponders()) ||
  // As a publication says it.
  (error instanceof Error && error.cause !== undefined && hasNoResponder(error.cause));

function jobOf(message: JsMsg, data: Uint8Array): Job {
  return {
    data,
    isAgain: message.redelivered,
    done: () => message.ack(),
    working: () => message.working(),
    giveBack: (afterMs) => message.nak(afterMs),
  };
}

class JetStreamQueue implements WorkQueue {
  readonly opening: Promise<void>;
  readonly #options: QueueOptions;
  readonly #end = new AbortController();
  readonly #stop = new AbortController();
  readonly #subject: string;
  #connection: NatsConnection | null = null;
  #client: JetStreamClient | null = null;
  #manager: JetStreamManager | null = null;
  #isConnected = false;
  /** It was said that there is no connection. */
  #isMissed = false;
  /** Why the last try for a first connection came to nothing. */
  #failure: unknown;
  /** The server has no JetStream, or refuses the stream; it was said. */
  #isRefused = false;
  #answer: (data: Uint8Array) => Uint8Array = () => new Uint8Array();
  #hear: (data: Uint8Array) => void = () => undefined;
  #taking: Promise<void> | null = null;
  #messages: ConsumerMessages | null = null;
  #ensuring: Promise<void> | null = null;
  #warnedAt = Number.NEGATIVE_INFINITY;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#subject = `${options.name}.attempts`;
    this.opening = this.#open().catch((error: unknown) => {
      if (!this.#end.signal.aborted) this.#warn(error, 'JetStream cannot be used');
    });
  }

  get isUp(): boolean {
    return this.#isConnected && !this.#isRefused;
  }

  get maxBytes(): number {
    return (this.#connection?.info?.max_payload ?? USUAL_MAX_PAYLOAD) - this.#options.seal.overhead;
  }

  async #open(): Promise<void> {
    const { url, nodeId, name } = this.#options;
    const connection = await connectTo(url, `posthorn ${nodeId} attempts`, this.#end.signal, (error) => {
      this.#failure = error;
    });
    this.#connection = connection;
    void this.#watch(connection);
    this.#client = jetstream(connection, { timeout: ASK_MS });
    this.#listen(`${name}.node.${tokenOf(nodeId)}`, (data, message) => {
      if (message.reply === undefined || message.reply === '') this.#hear(data);
      else message.respond(this.#options.seal.close(this.#answer(data)));
    });
    this.#listen(`${name}.all`, (data) => this.#hear(data));
    await connection.flush();
    this.#isUpNow();
  }

  #isUpNow(): void {
    this.#isConnected = true;
    if (this.#isMissed) this.#options.log.info('the connection to JetStream is there again');
    this.#isMissed = false;
  }

  /** Resolves when there is a connection, or after a while, which is said. */
  async opened(): Promise<void> {
    await Promise.race([this.opening, pause(FIRST_WAIT_MS, undefined, { ref: false })]);
    if (this.#isConnected) return;
    this.#isMissed = true;
    this.#options.log.warn({ err: this.#failure }, isRefusal(this.#failure) ? REFUSES : AWAY);
  }

  /** What is not from this installation, or not understood, harms nothing: an error here would end the connection's reading. */
  #listen(subject: string, fn: (data: Uint8Array, message: Msg) => void): void {
    this.#connection?.subscribe(subject, {
      callback: (error, message) => {
        try {
          if (error) throw error;
          const data = this.#options.seal.open(message.data);
          if (data === null) throw new Error(`a message on ${subject} is not of this installation`);
          fn(data, message);
        } catch (reason) {
          this.#warn(reason, 'a message about attempts cannot be used');
        }
      },
    });
  }

  async #watch(connection: NatsConnection): Promise<void> {
    await watchConnection(connection, {
      lost: () => {
        this.#isConnected = false;
        if (this.#end.signal.aborted) return;
        this.#isMissed = true;
        this.#options.log.warn('the connection to JetStream was lost; it is opened again');
      },
      refused: (error) => this.#options.log.warn({ err: error }, REFUSES),
      back: () => {
        this.#isUpNow();
        // The server may have forgotten who asked for work, and the stream: all of it is looked for anew.
        this.#messages?.stop();
      },
    });
    this.#isConnected = false;
  }

  /** The stream and its consumer are there, as these settings want them. One at a time. */
  #ensure(): Promise<void> {
    return (this.#ensuring ??= this.#makeAndTell().finally(() => (this.#ensuring = null)));
  }

  async #makeAndTell(): Promise<void> {
    const { log } = this.#options;
    try {
      await this.#make();
    } catch (error) {
      // Whoever takes looks for the stream again from now on: while it waits for messages it would not.
      this.#messages?.stop();
      if (this.#isConnected && !this.#isRefused && !this.#isStopping) {
        this.#isRefused = true;
        log.warn(
          { err: error },
          'JetStream has no stream for attempts; until it has, each worker makes its own attempts',
        );
      }
      throw error;
    }
    if (this.#isRefused) log.info('JetStream has the stream of attempts again');
    this.#isRefused = false;
  }

  async #make(): Promise<void> {
    const { name, replicas } = this.#options;
    if (!this.#connection || !this.#isConnected) throw new Error('there is no connection to NATS');
    this.#manager ??= await jetstreamManager(this.#connection, { timeout: ASK_MS });
    const { streams, consumers } = this.#manager;
    const found = await streams.info(name).catch(() => null);
    if (!found) {
      await streams.add({
        name,
        subjects: [this.#subject],
        retention: RetentionPolicy.Workqueue,
        storage: StorageType.Memory,
        discard: DiscardPolicy.New,
        num_replicas: replicas,
        max_age: MAX_AGE_MS * NANOS_PER_MS,
        max_bytes: MAX_BYTES,
      });
    } else if (found.config.num_replicas !== replicas) await streams.update(name, { num_replicas: replicas });
    await consumers.add(name, {
      durable_name: CONSUMER,
      ack_policy: AckPolicy.Explicit,
      ack_wait: SILENCE_MS * NANOS_PER_MS,
      max_ack_pending: MAX_OUT,
      max_deliver: -1,
    });
  }

  async put(data: Uint8Array): Promise<void> {
    if (!this.#client || !this.#isConnected) throw new NotTaken('there is no connection to NATS');
    try {
      await this.#client.publish(this.#subject, this.#options.seal.close(data), { timeout: ASK_MS, retries: 0 });
    } catch (error) {
      // The stream may be gone with its server.
      void this.#ensure().catch(() => undefined);
      if (hasNoResponder(error) || error instanceof JetStreamApiError)
        throw new NotTaken('the stream does not take it', { cause: error });
      throw error;
    }
  }

  take(fn: (job: Job) => Promise<void>): void {
    this.#taking ??= this.#takeAll(fn);
  }

  get #isStopping(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Resolves early when no more is to be taken. */
  async #pause(): Promise<void> {
    await pause(AGAIN_MS, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }

  async #takeAll(fn: (job: Job) => Promise<void>): Promise<void> {
    while (!this.#isStopping) {
      try {
        if (!this.#isConnected) await this.#pause();
        else {
          await this.#ensure();
          await this.#takeSome(fn);
        }
      } catch (error) {
        if (!this.#isStopping && this.isUp) this.#warn(error, 'no attempts can be taken from JetStream');
        await this.#pause();
      }
    }
  }

  /** Until the connection, the stream or the consumer is gone, or it is to stop. */
  async #takeSome(fn: (job: Job) => Promise<void>): Promise<void> {
    const consumer = await (this.#client as JetStreamClient).consumers.get(this.#options.name, CONSUMER);
    const messages = await consumer.consume({ ...CONSUME, max_messages: AHEAD, abort_on_missing_resource: true });
    this.#messages = messages;
    if (this.#isStopping) messages.stop();
    try {
      for await (const message of messages) await this.#takeOne(message, fn);
    } finally {
      this.#messages = null;
      await messages.close().catch(() => undefined);
    }
  }

  async #takeOne(message: JsMsg, fn: (job: Job) => Promise<void>): Promise<void> {
    const data = this.#options.seal.open(message.data);
    if (data === null) {
      message.ack();
      this.#options.log.error('the stream of attempts has a message that is not of this installation; it is left out');
    } else if (this.#isStopping) message.nak();
    else await fn(jobOf(message, data));
  }

  async stopTaking(): Promise<void> {
    this.#stop.abort();
    this.#messages?.stop();
    await this.#taking;
  }

  async ask(node: string, data: Uint8Array): Promise<Uint8Array> {
    if (!this.#connection || !this.#isConnected) throw new Error('there is no connection to NATS');
    const { name, seal } = this.#options;
    let reply: Msg;
    try {
      reply = await this.#connection.request(`${name}.node.${tokenOf(node)}`, seal.close(data), { timeout: ASK_MS });
    } catch (error) {
      throw hasNoResponder(error) ? new NobodyThere(`nobody listens as ${node}`) : error;
    }
    return seal.open(reply.data) ?? Promise.reject(new Error(`what answers as ${node} is not of this installation`));
  }

  answer(fn: (data: Uint8Array) => Uint8Array): void {
    this.#answer = fn;
  }

  tell(node: string | null, data: Uint8Array): void {
    if (!this.#isConnected) return;
    const { name, seal } = this.#options;
    this.#connection?.publish(node === null ? `${name}.all` : `${name}.node.${tokenOf(node)}`, seal.close(data));
  }

  hear(fn: (data: Uint8Array) => void): void {
    this.#hear = fn;
  }

  async close(): Promise<void> {
    this.#end.abort();
    this.#stop.abort();
    this.#messages?.stop();
    // A connection that is opened after this is closed at once (connectTo).
    await Promise.race([this.opening, pause(FLUSH_MS, undefined, { ref: false })]);
    const flushed = this.#isConnected ? this.#connection?.flush().catch(() => undefined) : undefined;
    await Promise.race([flushed, pause(FLUSH_MS, undefined, { ref: false })]);
    // Not `drain`: while the connection is lost that fails late, and leaves the client reconnecting for ever.
    await this.#connection?.close();
    await Promise.race([this.#taking, pause(FLUSH_MS, undefined, { ref: false })]);
  }

  /** Once in a while: what fails is tried again twice a second. */
  #warn(error: unknown, text: string): void {
    const now = monotonicNow();
    if (now - this.#warnedAt < 10_000) return;
    this.#warnedAt = now;
    this.#options.log.warn({ err: error }, `${text}; what it was for is done without it`);
  }
}

/** The work queue in JetStream. A server that is not there is no reason not to start: it is looked for on and on. */
export async function jetStreamQueue(options: QueueOptions): Promise<WorkQueue> {
  const queue = new JetStreamQueue(options);
  await queue.opened();
  return queue;
}
