/** Counters of other nodes are seen after this at the latest (contract: "other readers within 1 s"). Milliseconds. */
const CONFIRM_MS = 900;

/** The counters of one post in this process. */
export interface Cell {
  readonly postId: string;
  text: string;
  /** Moves with the text. */
  version: number;
  /** When they were last known to be right, on the monotonic clock; -Infinity: they are known not to be. */
  confirmedAt: number;
  /** Moves with every change by this process. */
  touches: number;
}

export interface CellsOptions {
  /** The counters of these posts as they are in the database now, as text. */
  read: (postIds: readonly string[]) => Promise<Map<string, string>>;
  monotonic: () => number;
}

/**
 * The counters of the posts that cached replies show. A change by this process is seen by the next reader; those of other
 * nodes within a second, by one query for all posts that were read meanwhile.
 */
export class CounterCells {
  readonly #options: CellsOptions;
  readonly #cells = new Map<string, Cell>();
  /** Posts that were changed while something was being read that is not yet in a cell. */
  readonly #touchedSince = new Map<string, number>();
  #touches = 0;
  #readers = 0;
  #wanted = new Set<Cell>();
  #running: Promise<void> = Promise.resolve();
  #queued: Promise<void> | null = null;

  constructor(options: CellsOptions) {
    this.#options = options;
  }

  /** The counters of these posts have been changed by this process: whatever is held of them is not right any more. */
  touch(postIds: Iterable<string>): void {
    for (const id of postIds) {
      this.#touches++;
      if (this.#readers > 0) this.#touchedSince.set(id, this.#touches);
      const cell = this.#cells.get(id);
      if (!cell) continue;
      cell.confirmedAt = Number.NEGATIVE_INFINITY;
      cell.touches++;
    }
  }

  /** Reads a reply and gives its cells: those of posts that were changed meanwhile are to be confirmed first. */
  async fill<T>(
    build: () => Promise<T>,
    countersOf: (built: T) => readonly (readonly [postId: string, text: string])[],
  ): Promise<{ built: T; cells: Cell[] }> {
    const startedAt = this.#options.monotonic();
    const since = this.#touches;
    this.#readers++;
    try {
      const built = await build();
      const cells = countersOf(built).map(([id, text]) => {
        const changed = (this.#touchedSince.get(id) ?? 0) > since;
        return this.#put(id, text, changed ? Number.NEGATIVE_INFINITY : startedAt);
      });
      return { built, cells };
    } finally {
      if (--this.#readers === 0) this.#touchedSince.clear();
    }
  }

  #put(postId: string, text: string, confirmedAt: number): Cell {
    const known = this.#cells.get(postId);
    if (!known) {
      const cell = { postId, text, version: 0, confirmedAt, touches: 0 };
      this.#cells.set(postId, cell);
      return cell;
    }
    if (confirmedAt > known.confirmedAt) {
      if (known.text !== text) known.version++;
      known.text = text;
      known.confirmedAt = confirmedAt;
    }
    return known;
  }

  /** Null when these are right, else resolves when they are. Throws what the database throws. */
  confirm(cells: readonly Cell[]): Promise<void> | null {
    const oldest = this.#options.monotonic() - CONFIRM_MS;
    let needed = false;
    for (const cell of cells) {
      if (cell.confirmedAt >= oldest) continue;
      this.#wanted.add(cell);
      needed = true;
    }
    return needed ? this.#confirmWanted() : null;
  }

  /** One reading at a time. Who asks before it has begun shares it: what it finds is not older than the asking. */
  #confirmWanted(): Promise<void> {
    if (this.#queued) return this.#queued;
    const mine = this.#running
      .then(() => new Promise(setImmediate))
      .then(() => {
        this.#queued = null;
        return this.#read();
      });
    this.#queued = mine;
    this.#running = mine.catch(() => undefined);
    return mine;
  }

  async #read(): Promise<void> {
    const cells = [...this.#wanted];
    this.#wanted = new Set();
    const startedAt = this.#options.monotonic();
    const touches = cells.map((cell) => cell.touches);
    const found = await this.#options.read(cells.map((cell) => cell.postId));
    for (const [i, cell] of cells.entries()) {
      const text = found.get(cell.postId);
      // A post that is gone is the matter of the version of all posts.
      if (text !== undefined && text !== cell.text) {
        cell.text = text;
        cell.version++;
      }
      // Changed again meanwhile: right for those who have waited, to be read again for those who come.
      if (cell.touches === touches[i]) cell.confirmedAt = startedAt;
    }
  }

  get size(): number {
    return this.#cells.size;
  }

  /** Nothing refers to any cell any more. */
  clear(): void {
    this.#cells.clear();
    this.#wanted.clear();
  }
}
