/** A message of the queue that this process has been given. */
export interface Job {
  readonly data: Uint8Array;
  /** It was given out before. */
  readonly isAgain: boolean;
  /** It is never given out again. */
  done(): void;
  /** It is not given to another for as long again as the queue waits for a word. */
  working(): void;
  /** Another may have it, so many milliseconds from now. */
  giveBack(afterMs: number): void;
}

/** Nobody of this name listens: it has ended, or is connecting anew. */
export class NobodyThere extends Error {
  override readonly name = 'NobodyThere';
}

/** The queue has not taken what was put, for certain; any other error leaves that open. */
export class NotTaken extends Error {
  override readonly name = 'NotTaken';
}

/**
 * Work that any of several processes may take on, and the words that they pass about it. It keeps nothing that is not known
 * elsewhere as well: what is in it may be lost with its server. Messages that were not written with this installation's master
 * key are left out.
 */
export interface WorkQueue {
  /** Whether there is a connection at this moment, and as far as is known a queue behind it. */
  readonly isUp: boolean;
  /** Bytes of the longest message. */
  readonly maxBytes: number;
  /** Resolves when the queue has it. Rejects with NotTaken, or with another error when that is not known. */
  put(data: Uint8Array): Promise<void>;
  /**
   * Takes jobs from now on, each after `fn` has resolved for the one before; a few are there already then. Goes on by itself
   * whatever happens to the connection, the server or the stream.
   */
  take(fn: (job: Job) => Promise<void>): void;
  /** No job is taken any more; those that were not begun are given back. */
  stopTaking(): Promise<void>;
  /** Asks another process. Rejects with NobodyThere, or with another error when it does not answer in time. */
  ask(node: string, data: Uint8Array): Promise<Uint8Array>;
  /** What others ask this process. */
  answer(fn: (data: Uint8Array) => Uint8Array): void;
  /** Says something to one process, or to all; it may not come. */
  tell(node: string | null, data: Uint8Array): void;
  /** What is said to this process or to all. */
  hear(fn: (data: Uint8Array) => void): void;
  close(): Promise<void>;
}
