import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monotonicNow } from '../../src/lib/clock.ts';
import { cleanup } from '../helpers/cleanup.ts';
import type { ServiceProcess } from '../helpers/process.ts';
import { eventFor, type System } from './system.ts';

/** Single events a second, and reads a second of each node. */
const EVENTS_PER_SECOND = 40;
const READS_PER_SECOND = 20;
/** A client gives a request up after this, and asks the other node. Milliseconds. */
const PATIENCE_MS = 3000;
const AGAIN_MS = 100;

/** One event from its first sending until its last arrival. Times on the monotonic clock, milliseconds. */
interface Sent {
  sentAt: number;
  acceptedAt: number | null;
  id: string | null;
}

export interface Read {
  at: number;
  node: ServiceProcess;
  isOk: boolean;
}

/** When each event arrived, by its id. */
export class Arrivals {
  readonly times = new Map<string, number[]>();
  url = '';

  async listen(): Promise<void> {
    const server = createServer((request, response) => {
      const id = String(request.headers['x-service-event-id']);
      request.resume().on('end', () => {
        const times = this.times.get(id) ?? [];
        this.times.set(id, times);
        times.push(monotonicNow());
        // So that at any moment some are under way.
        setTimeout(() => response.end('ok'), 20);
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    cleanup(() => (server.closeAllConnections(), server.close()));
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }
}

/** Publishes at a steady rate and reads from both nodes, whatever happens to them. */
export class Load {
  readonly sent: Sent[] = [];
  readonly reads: Read[] = [];
  readonly #system: System;
  readonly #arrivals: Arrivals;
  readonly #timers: NodeJS.Timeout[] = [];
  #isOver = false;

  constructor(system: System, arrivals: Arrivals) {
    this.#system = system;
    this.#arrivals = arrivals;
  }

  start(): void {
    this.#timers.push(setInterval(() => void this.#publish(), 1000 / EVENTS_PER_SECOND));
    for (const node of this.#system.apis)
      this.#timers.push(setInterval(() => void this.#read(node), 1000 / READS_PER_SECOND));
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#isOver = true;
  }

  /** Until it is accepted, at one node after the other, under one Idempotency-Key. */
  async #publish(): Promise<void> {
    const n = this.sent.length;
    const sent: Sent = { sentAt: monotonicNow(), acceptedAt: null, id: null };
    this.sent.push(sent);
    const body = JSON.stringify(eventFor(this.#system, n));
    for (let turn = n; sent.acceptedAt === null && !this.#isOver; turn++) {
      const node = this.#system.apis[turn % 2] as ServiceProcess;
      const headers = {
        authorization: `Bearer ${this.#system.publisherKey}`,
        'content-type': 'application/json',
        'idempotency-key': `event-${n}`,
      };
      const init = { method: 'POST', headers, body, signal: AbortSignal.timeout(PATIENCE_MS) };
      const reply = await fetch(`http://127.0.0.1:${node.port}/v1/events`, init).catch(() => null);
      const text = await reply?.text().catch(() => null);
      if (reply?.status === 202 && typeof text === 'string') {
        sent.id = (JSON.parse(text) as { data: { id: string }[] }).data[0]?.id ?? null;
        sent.acceptedAt = monotonicNow();
      } else await new Promise((done) => setTimeout(done, AGAIN_MS));
    }
  }

  async #read(node: ServiceProcess): Promise<void> {
    const at = monotonicNow();
    const init = {
      headers: { authorization: `Bearer ${this.#system.readerKey}` },
      signal: AbortSignal.timeout(PATIENCE_MS),
    };
    const reply = await fetch(`http://127.0.0.1:${node.port}/v1/blog/posts?limit=20`, init).catch(() => null);
    const text = await reply?.text().catch(() => null);
    this.reads.push({ at, node, isOk: reply?.status === 200 && typeof text === 'string' });
  }

  arrivalsOf({ id }: Sent): readonly number[] {
    return (id === null ? undefined : this.#arrivals.times.get(id)) ?? [];
  }

  /** Sent up to this moment and not accepted, or accepted and not there yet. */
  get missing(): number {
    return this.sent.filter((s) => s.acceptedAt === null || this.arrivalsOf(s).length === 0).length;
  }
}
