import { isReadyAt } from '../../test/helpers/call.ts';

const LOOK_MS = 500;

export interface Asked {
  requests: number;
  /** Neither 2xx nor 304, 503 included, or no reply at all. */
  failed: number;
  /** What failed, the first ten. */
  faults: string[];
  slowestMs: number;
  /** The same for those that were asked while `mark` was what it was last set to. */
  slowestOf: Map<string, number>;
}

/**
 * Sends requests to nodes in turn, as a balancer does: it asks each at /readyz twice a second, sends nothing to one that is not
 * ready, and never asks a second one after a failure.
 */
export class Balancer {
  readonly #ready = new Set<number>();
  readonly #ports: readonly number[];
  readonly asked: Asked = { requests: 0, failed: 0, faults: [], slowestMs: 0, slowestOf: new Map() };
  /** What is being done at the moment. */
  mark = 'before';
  #turn = 0;
  #lookedUp: Promise<void> | null = null;
  #looking: NodeJS.Timeout;

  constructor(ports: readonly number[]) {
    this.#ports = ports;
    this.#looking = setInterval(() => void this.#look(), LOOK_MS);
  }

  /** One after another: an old answer says nothing of now. */
  #look(): Promise<void> {
    return (this.#lookedUp ??= this.#lookAll().finally(() => (this.#lookedUp = null)));
  }

  async #lookAll(): Promise<void> {
    await Promise.all(
      this.#ports.map(async (port) => {
        if (await isReadyAt(port)) this.#ready.add(port);
        else this.#ready.delete(port);
      }),
    );
  }

  /** Until so many nodes are ready. */
  async untilReady(nodes: number): Promise<void> {
    for (;;) {
      await this.#look();
      if (this.#ready.size >= nodes) return;
      await new Promise((done) => setTimeout(done, 100));
    }
  }

  /** Whether it was answered well. */
  async ask(method: string, path: string, key: string, body?: string): Promise<boolean> {
    const { asked, mark } = this;
    const ports = [...this.#ready];
    const port = ports[this.#turn++ % ports.length];
    const startedAt = performance.now();
    asked.requests++;
    const fault = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    }).then(
      async (reply) => {
        const text = await reply.text();
        return reply.ok || reply.status === 304 ? null : `${reply.status} ${text.slice(0, 200)}`;
      },
      (error: unknown) => `${String(error)} ${String((error as Error).cause)}`,
    );
    const ms = performance.now() - startedAt;
    asked.slowestMs = Math.max(asked.slowestMs, ms);
    asked.slowestOf.set(mark, Math.max(asked.slowestOf.get(mark) ?? 0, ms));
    if (fault === null) return true;
    asked.failed++;
    if (asked.faults.length < 10) asked.faults.push(`${mark}: ${method} ${path}: ${fault}`);
    return false;
  }

  stop(): void {
    clearInterval(this.#looking);
  }
}
