/** A cache is used for this long without asking the database whether it is still right. Milliseconds. */
const CONFIRM_MS = 5000;

export interface VersionSource {
  /** The present version of what is cached. */
  read(): Promise<number>;
  /** Finds what changed after the version; the function it returns puts that into the cache, without waiting. */
  changedSince(version: number): Promise<() => void>;
  /** Milliseconds of a clock that never jumps. */
  monotonic(): number;
  /**
   * How long the cache is used without asking; from half of it on it is asked in the background, so that a busy node never
   * waits for the answer. Milliseconds; default 5000.
   */
  confirmMs?: number;
}

export interface VersionFollower {
  /** Something may have changed: `confirm` reads the version anew, and that begins now. */
  doubt: () => void;
  /** Resolves when the cache may be used; throws what the database throws. */
  confirm: () => Promise<void>;
  /** It may be used now: nothing was announced, and it was confirmed not long ago. */
  isFresh: () => boolean;
  /** Confirms in the background what is not fresh, for readers that cannot wait. */
  keepFresh: () => void;
  /** The version that the cache holds. What was read under another one must not be put into the cache. */
  version: () => number | null;
}

/**
 * Keeps a cache true to the database by the version that moves with every change: asked for when a change is announced,
 * and at the latest after `confirmMs`, since an announcement may be lost.
 */
export function followVersion(source: VersionSource): VersionFollower {
  const { confirmMs = CONFIRM_MS } = source;
  let version: number | null = null;
  let confirmedAt = Number.NEGATIVE_INFINITY;
  let doubts = 0;
  let settled = -1;
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    const [startedAt, seen] = [source.monotonic(), doubts];
    const next = await source.read();
    // The version first: everything up to it is visible to what is read after it.
    const apply = version === null || next === version ? null : await source.changedSince(version);
    apply?.();
    version = next;
    confirmedAt = startedAt;
    settled = seen;
  }
  const start = (): Promise<void> => {
    running ??= run().finally(() => (running = null));
    return running;
  };
  // A failure is met again, and reported, by the first caller who has to wait.
  const startUnawaited = (): void => void start().catch(() => undefined);
  const age = (): number => source.monotonic() - confirmedAt;
  const isFresh = (): boolean => settled === doubts && age() <= confirmMs;
  const keepFresh = (): void => {
    if (!running && (settled !== doubts || age() > confirmMs / 2)) startUnawaited();
  };
  return {
    keepFresh,
    isFresh,
    doubt() {
      doubts++;
      keepFresh();
    },
    async confirm() {
      if (!isFresh()) {
        // One that began before this call may have read before the change that this caller has to see.
        if (running) await running.catch(() => undefined);
        if (!isFresh()) await start();
      }
      keepFresh();
    },
    version: () => version,
  };
}
