import { followVersion, type VersionFollower } from '../../../../lib/follow-version.ts';
import { type Cell, CounterCells } from './counter-cells.ts';
import { PageTemplate, type Ready, seenCounters } from './page-template.ts';

/** What other nodes publish is seen after this at the latest, also when their announcement is lost. Milliseconds. */
const CONFIRM_MS = 900;
/** An entry beyond this part of the cache is not kept: it would push out what many ask for. */
const LARGEST_SHARE = 8;
/** Posts whose counters are held; beyond it everything is dropped. Each takes some 300 bytes. */
const MAX_CELLS = 100_000;
/** What an entry takes besides its key and its reply, as text and as bytes. */
const OVERHEAD_BYTES = 1000;

/** What a reply is built from. */
export interface Built {
  body: object;
  /** The posts whose counters the body shows, in the order in which they stand in it. */
  postIds: readonly string[];
  /** The order of the posts rests on counters. */
  byCounters?: boolean;
}

export interface ReadCacheOptions {
  /** The present version of all that public posts show, counters aside. */
  readVersion: () => Promise<number>;
  /** When the next scheduled post becomes public, after `now`; null: none. Milliseconds since the epoch. */
  nextPublication: (now: number) => Promise<number | null>;
  readCounters: (postIds: readonly string[]) => Promise<Map<string, string>>;
  /** Milliseconds since the epoch. */
  now: () => number;
  monotonic: () => number;
  /** 0: nothing is kept. */
  maxBytes: number;
}

/**
 * Stands for all that a reply says, but for how often posts were viewed and shared: while a key has the same one, whatever shows no more of the reply than that
 * would be the same again.
 */
export interface Mark {
  readonly counters: string;
}

/** A reply, and its mark at that moment. */
export interface Marked {
  ready: Ready;
  mark: Mark;
}

interface Entry {
  template: PageTemplate;
  cells: readonly Cell[];
  /** The first post's id: whose likes `likedByMe` asks for. */
  postId: string | undefined;
  /** Sum of the cells' versions that `ready` was made with. */
  version: number;
  ready: Ready;
  mark: Mark;
  /** Sum of the cells' versions that `mark` was last compared with. */
  markedAt: number;
  /** On the monotonic clock; Infinity where the order does not rest on counters. */
  until: number;
  /** How often this process had changed counters when the building began. */
  counted: number;
  size: number;
  wasUsed: boolean;
}

/** What a reader is told of a post apart from others, with its counters of that moment, as `countersText`. */
export interface Personal {
  liked: boolean;
  counters: string;
}

const versionOf = (cells: readonly Cell[]): number => cells.reduce((sum, cell) => sum + cell.version, 0);
const countersIn = (cells: readonly Cell[]): string[] => cells.map((cell) => cell.text);
const seenIn = (cells: readonly Cell[]): string => cells.map((cell) => seenCounters(cell.text)).join();

function markOf(entry: Entry): Mark {
  const version = versionOf(entry.cells);
  if (version === entry.markedAt) return entry.mark;
  entry.markedAt = version;
  const counters = seenIn(entry.cells);
  if (counters !== entry.mark.counters) entry.mark = { counters };
  return entry.mark;
}

/** Somebody who is signed in, and may have changed counters by another node a moment ago: they are asked for. */
export interface Reader {
  /** Whether the reader likes the post that the reply shows, and its counters, for which nothing else is asked then; null: it is gone. */
  personal?: (postId: string) => Promise<Personal | null>;
}

/**
 * Ready-made replies of the public reads (docs/adr/0016). Never older than the last change by this process when the
 * request came, than 1 s for changes by others, and than the last scheduled publication that is due.
 */
export class ReadCache {
  readonly #options: ReadCacheOptions;
  readonly #cells: CounterCells;
  readonly #follower: VersionFollower;
  #entries = new Map<string, Entry>();
  #building = new Map<string, Promise<Entry>>();
  #bytes = 0;
  /** Moves whenever everything is dropped. */
  #generation = 0;
  /** From then on more is public than the entries say; null: not known yet. */
  #publishesAt: number | null = null;
  #asking: Promise<void> | null = null;
  /** Keys of entries whose order rests on counters. */
  readonly #byCounters = new Set<string>();
  #lastNow = 0;
  /** Moves whenever this process has changed counters. */
  #counted = 0;
  hits = 0;
  misses = 0;

  constructor(options: ReadCacheOptions) {
    this.#options = options;
    this.#cells = new CounterCells({ read: options.readCounters, monotonic: options.monotonic });
    this.#follower = followVersion({
      read: () => options.readVersion(),
      changedSince: async () => () => this.#drop(),
      monotonic: options.monotonic,
      confirmMs: CONFIRM_MS,
    });
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The present time, or this one where it is later: not before anything that a reply of the cache says. */
  notBefore(time: Date): Date {
    return new Date(Math.max(time.getTime(), this.#options.now()));
  }

  /** Posts may have changed in what public reads show, here or on another node. */
  doubt(): void {
    this.#follower.doubt();
  }

  /** This process has changed counters of these posts; call it after the commit and before the reply. */
  counted(postIds: readonly string[]): void {
    this.#counted++;
    this.#cells.touch(postIds);
    for (const key of this.#byCounters) this.#remove(key);
  }

  /** Nobody asks for this key any more. */
  forget(key: string): void {
    this.#remove(key);
  }

  /** The reply of this key where it is here and right, else null. */
  ready(key: string): Ready | null {
    const entry = this.#right(key);
    return entry && this.#rendered(entry);
  }

  /** The mark of this key's reply where that is here and right, else null. */
  mark(key: string): Mark | null {
    const entry = this.#right(key);
    return entry && markOf(entry);
  }

  #right(key: string): Entry | null {
    const now = this.#options.now();
    if (!this.#follower.isFresh() || this.#publishesAt === null || now >= this.#publishesAt || now < this.#lastNow) {
      return null;
    }
    const entry = this.#entries.get(key);
    if (!entry || entry.until <= this.#options.monotonic() || !this.#cells.areRight(entry.cells)) return null;
    this.#follower.keepFresh();
    this.#lastNow = now;
    entry.wasUsed = true;
    this.hits++;
    return entry;
  }

  /** The reply of this key, for nobody in particular or for a reader. Throws what `build` throws. */
  async get(key: string, build: (now: Date) => Promise<Built>, reader?: Reader): Promise<Ready> {
    const { entry, isLiked } = await this.#get(key, build, reader);
    return isLiked ? entry.template.render(countersIn(entry.cells), true) : this.#rendered(entry);
  }

  /** The reply of this key for nobody in particular. Throws what `build` throws. */
  async marked(key: string, build: (now: Date) => Promise<Built>): Promise<Marked> {
    const { entry } = await this.#get(key, build);
    return { ready: this.#rendered(entry), mark: markOf(entry) };
  }

  async #get(
    key: string,
    build: (now: Date) => Promise<Built>,
    reader?: Reader,
  ): Promise<{ entry: Entry; isLiked: boolean }> {
    const beganAt = this.#options.monotonic();
    if (!this.#follower.isFresh()) await this.#follower.confirm();
    else this.#follower.keepFresh();
    const now = this.#options.now();
    if ((this.#publishesAt !== null && now >= this.#publishesAt) || now < this.#lastNow) this.#drop();
    this.#lastNow = now;
    while (this.#publishesAt === null) await (this.#asking ??= this.#findNextPublication(now));
    const entry = this.#find(key) ?? (await this.#build(key, build));
    const { cells, postId } = entry;
    const [own] = cells;
    const { personal } = reader ?? {};
    const told = personal && own && postId !== undefined ? await this.#cells.learn(own, () => personal(postId)) : null;
    const waiting = this.#cells.confirm(cells, reader !== undefined && !told ? beganAt : undefined);
    if (waiting) await waiting;
    return { entry, isLiked: told?.liked === true };
  }

  #rendered(entry: Entry): Ready {
    const version = versionOf(entry.cells);
    if (version !== entry.version) {
      entry.ready = entry.template.render(countersIn(entry.cells), false);
      entry.version = version;
    }
    return entry.ready;
  }

  #find(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry && entry.until > this.#options.monotonic()) {
      entry.wasUsed = true;
      this.hits++;
      return entry;
    }
    if (entry) this.#remove(key);
    this.misses++;
    return undefined;
  }

  /** An order by counters that was built before a change of them by this process is not for who comes after it. */
  async #build(key: string, build: (now: Date) => Promise<Built>): Promise<Entry> {
    const counted = this.#counted;
    for (;;) {
      const entry = await this.#share(key, build);
      if (entry.until === Number.POSITIVE_INFINITY || entry.counted >= counted) return entry;
    }
  }

  /** Requests for the same key share one building, as long as nothing is dropped meanwhile. */
  #share(key: string, build: (now: Date) => Promise<Built>): Promise<Entry> {
    const running = this.#building.get(key);
    if (running) return running;
    if (this.#options.maxBytes === 0) return this.#make(key, build);
    const building = this.#building;
    const mine = this.#make(key, build).finally(() => building.delete(key));
    building.set(key, mine);
    return mine;
  }

  async #make(key: string, build: (now: Date) => Promise<Built>): Promise<Entry> {
    const { monotonic, maxBytes } = this.#options;
    if (this.#cells.size > MAX_CELLS) this.#drop();
    const generation = this.#generation;
    const counted = this.#counted;
    const startedAt = monotonic();
    let template: PageTemplate | undefined;
    const { built, cells } = await this.#cells.fill(
      () => build(new Date(this.#options.now())),
      ({ body, postIds }) => {
        template = new PageTemplate(body);
        const { counters } = template;
        if (counters.length !== postIds.length) throw new Error('a public reply does not show the posts that it names');
        return postIds.map((id, i) => [id, counters[i] as string] as const);
      },
    );
    const made = template as unknown as PageTemplate;
    const ready = made.render(countersIn(cells), false);
    const entry: Entry = {
      template: made,
      cells,
      postId: built.postIds[0],
      version: versionOf(cells),
      ready,
      mark: { counters: seenIn(cells) },
      markedAt: versionOf(cells),
      counted,
      until: built.byCounters ? startedAt + CONFIRM_MS : Number.POSITIVE_INFINITY,
      // A text takes up to two bytes for a character, wherever it is held.
      size: 2 * key.length + 2 * made.size + ready.bytes.length + OVERHEAD_BYTES,
      wasUsed: false,
    };
    const isRight = generation === this.#generation && (!built.byCounters || counted === this.#counted);
    if (isRight && entry.size * LARGEST_SHARE <= maxBytes) this.#keep(key, entry);
    return entry;
  }

  #keep(key: string, entry: Entry): void {
    this.#remove(key);
    this.#entries.set(key, entry);
    this.#bytes += entry.size;
    if (entry.until !== Number.POSITIVE_INFINITY) this.#byCounters.add(key);
    // Oldest first; what was asked for since gets another round.
    for (const [oldest, candidate] of this.#entries) {
      if (this.#bytes <= this.#options.maxBytes) break;
      if (candidate.wasUsed) {
        candidate.wasUsed = false;
        this.#entries.delete(oldest);
        this.#entries.set(oldest, candidate);
      } else this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    this.#bytes -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
    this.#byCounters.delete(key);
  }

  #drop(): void {
    this.#generation++;
    this.#entries = new Map();
    this.#building = new Map();
    this.#byCounters.clear();
    this.#bytes = 0;
    this.#publishesAt = null;
    this.#asking = null;
    this.#cells.clear();
  }

  /** Shared by all that ask until something is dropped. */
  async #findNextPublication(now: number): Promise<void> {
    const generation = this.#generation;
    try {
      const at = await this.#options.nextPublication(now);
      if (generation === this.#generation) this.#publishesAt = at ?? Number.POSITIVE_INFINITY;
    } finally {
      if (generation === this.#generation) this.#asking = null;
    }
  }
}
