import { shareRuns } from '../../../../lib/share-runs.ts';

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
  /** Who asks before a reading has begun shares it: what it finds is not older than the asking. */
  readonly #confirmWanted = shareRuns(
    () => this.#read(),
    () => new Promise(setImmediate),
  );

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
      this.#write(known, text);
      known.confirmedAt = confirmedAt;
    }
    return known;
  }

  #write(cell: Cell, text: string): void {
    if (cell.text !== text) cell.version++;
    cell.text = text;
  }

  /** Asks for something of a post that tells its counters too (null: the post is gone), which are then known here. */
  async learn<T extends { counters: string }>(cell: Cell, ask: () => Promise<T | null>): Promise<T | null> {
    const startedAt = this.#options.monotonic();
    const { touches } = cell;
    const told = await ask();
    if (told && cell.touches === touches && cell.confirmedAt <= startedAt) {
      this.#write(cell, told.counters);
      cell.confirmedAt = startedAt;
    }
    return told;
  }

  /** Whether `confirm` would have nothing to ask. */
  areRight(cells: readonly Cell[]): boolean {
    const oldest = this.#options.monotonic() - CONFIRM_MS;
    return cells.every((cell) => cell.confirmedAt >= oldest);
  }

  /**
   * Null when these are right, else resolves when they are: as of this moment on the monotonic clock at the earliest, else of a second ago. Throws what the
   * database throws.
   */
  confirm(cells: readonly Cell[], since?: number): Promise<void> | null {
    const oldest = since ?? this.#options.monotonic() - CONFIRM_MS;
    let needed = false;
    for (const cell of cells) {
      if (cell.confirmedAt >= oldest) continue;
      this.#wanted.add(cell);
      needed = true;
    }
    return needed ? this.#confirmWanted() : null;
  }

  async #read(): Promise<void> {
    const cells = [...this.#wanted];
    this.#wanted = new Set();
    const startedAt = this.#options.monotonic();
    const touches = cells.map((cell) => cell.touches);
    const found = await this.#options.read(cells.map((cell) => cell.postId));
    for (const [i, cell] of cells.entries()) {
      // A reply that was built meanwhile knows better.
      if (cell.confirmedAt >= startedAt) continue;
      const text = found.get(cell.postId);
      // A post that is gone is the matter of the version of all posts.
      if (text !== undefined) this.#write(cell, text);
      // Changed again meanwhile: right for those who have waited, to be read again for those who come.
      if (cell.touches === touches[i]) cell.confirmedAt = startedAt;
    }
  }

  get size(): number {
    return this.#cells.size;
  }

  /** No reply that is kept refers to any cell any more. Readers that wait for theirs still get them read. */
  clear(): void {
    this.#cells.clear();
  }
}
