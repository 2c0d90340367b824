import { child } from './processes.ts';

export interface Counted {
  /** When the last one came, in nanoseconds of the machine's monotonic clock. */
  lastAt: number;
  count: number;
  p50: number;
  p99: number;
  max: number;
  /** Shortest first; only when asked for. Milliseconds. */
  latencies?: number[];
}

export type Receiver = ReturnType<typeof child> & { port: number; ask(line?: 'reset' | 'latencies'): Promise<Counted> };

/** A receiver in a process of its own, which answers each request after so many milliseconds with this status. */
export async function receiver(delayMs = 0, status = 200): Promise<Receiver> {
  const started = child('./receiver.ts', [String(delayMs), String(status)]);
  const port = Number(await started.line());
  return {
    ...started,
    port,
    async ask(line?: 'reset' | 'latencies') {
      started.process.stdin?.write(`${line ?? ''}\n`);
      return JSON.parse(await started.line()) as Counted;
    },
  };
}

/** Waits until nothing more comes for 1.5 s; returns what has come. */
export async function settled(to: Receiver): Promise<Counted> {
  for (let last = -1; ; ) {
    const now = await to.ask();
    if (now.count === last) return now;
    last = now.count;
    await new Promise((done) => setTimeout(done, 1500));
  }
}
