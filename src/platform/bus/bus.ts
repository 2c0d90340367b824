/**
 * Wake-ups between processes. A message may be lost (a connection breaks): every listener also polls, so the bus only
 * ever makes things sooner. It carries no state.
 */
export interface Bus {
  /** Tells the other processes that something changed; this one knows. Never throws, never waits for the others. */
  publish(topic: string): void;
  /** Calls `fn` on each message of another process on the topic; returns the undoing. */
  subscribe(topic: string, fn: () => void): () => void;
  close(): Promise<void>;
}
