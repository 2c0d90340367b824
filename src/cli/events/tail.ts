import type { AuditEvent, Client } from '../../../client/src/index.ts';
import { serviceNow } from '../connection/service-clock.ts';
import { pace } from './pace.ts';

/** At the begin, what was recorded so short before is not taken for new. Milliseconds. */
const LATE_MS = 3000;
/** One that publishes may take long, up to where the database ends its statements (30 s) and some. Milliseconds. */
const VERY_LATE_MS = 60_000;
/** Looks between those that go back as far as that, which cost more where much happens. */
const THOROUGH_EVERY = 10;
/** Of one look, 100 events each: about five seconds at the pace of requests. */
const MOST_PAGES = 20;

type Filter = NonNullable<Parameters<Client['listEvents']>[0]>;

export interface TailOptions {
  /** Is told what is not shown. */
  tell: (text: string) => void;
  /** Passes when the next request may be made. */
  pass?: () => Promise<void>;
  /** The time by the service. */
  now?: () => number;
}

/** What a look found, the newest first. */
interface Found {
  fresh: AuditEvent[];
  /** The last that was read, also when it was known. */
  oldest: AuditEvent | undefined;
  /** Not: there is more behind it. */
  isWhole: boolean;
}

const at = (time: number): string => new Date(time).toISOString();

/** The log as it grows, from the first look on. What comes faster than it may be read is left out, and that is told. */
export class Tail {
  readonly #list: Client['listEvents'];
  readonly #filter: Filter;
  readonly #tell: (text: string) => void;
  readonly #pass: () => Promise<void>;
  readonly #now: () => number;
  /** Ids and times of what was shown, or was there before. */
  readonly #seen = new Map<string, number>();
  /** The time of the newest, see `#timeOf`. */
  #newest = Number.NEGATIVE_INFINITY;
  /** Nothing that was recorded before is shown. */
  #begin: number | null = null;
  #looks = 0;
  #isToldOfLate = false;

  constructor(
    { listEvents }: Pick<Client, 'listEvents'>,
    filter: Filter,
    { tell, pass = pace(), now = serviceNow }: TailOptions,
  ) {
    this.#list = listEvents;
    this.#filter = filter;
    this.#tell = tell;
    this.#pass = pass;
    this.#now = now;
  }

  /** When an event was recorded, but not later than now: behind one of a node whose clock is ahead, those of all others would be too old to be looked for. */
  #timeOf({ recordedAt }: AuditEvent): number {
    return Math.min(Date.parse(recordedAt), this.#now());
  }

  /** Learns where the log ends. */
  async #start(): Promise<AuditEvent[]> {
    await this.#pass();
    const { data } = await this.#list({ ...this.#filter, limit: 1 });
    const [last] = data;
    const begin = last === undefined ? 0 : this.#timeOf(last) - LATE_MS;
    const found = await this.#read(begin, true);
    this.#keep(found.fresh);
    this.#begin = found.isWhole || !found.oldest ? begin : this.#timeOf(found.oldest);
    return [];
  }

  /** Reads back to that time, or, unless thoroughly, to what was seen: late ones among the last hundred are found all the same. */
  async #read(time: number, thoroughly: boolean): Promise<Found> {
    const query = { ...this.#filter, ...(time <= 0 ? {} : { since: at(time) }), limit: 100 };
    const fresh: AuditEvent[] = [];
    let place: { cursor?: string } = {};
    let oldest: AuditEvent | undefined;
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      await this.#pass();
      const { data, nextCursor } = await this.#list({ ...query, ...place });
      fresh.push(...data.filter(({ id }) => !this.#seen.has(id)));
      oldest = data.at(-1) ?? oldest;
      const isReached = !thoroughly && oldest !== undefined && this.#seen.has(oldest.id);
      if (nextCursor === null || isReached) return { fresh, oldest, isWhole: true };
      place = { cursor: nextCursor };
    }
    return { fresh, oldest, isWhole: false };
  }

  #keep(fresh: readonly AuditEvent[]): void {
    for (const event of fresh) {
      this.#seen.set(event.id, Date.parse(event.recordedAt));
      this.#newest = Math.max(this.#newest, this.#timeOf(event));
    }
    for (const [id, time] of this.#seen) if (time < this.#newest - 2 * VERY_LATE_MS) this.#seen.delete(id);
  }

  /** Says what a look did not come to, and leaves it. */
  #leaveOut(oldest: AuditEvent): void {
    if (!this.#seen.has(oldest.id)) {
      const read = Date.parse(oldest.recordedAt);
      const [from, to] = [at(this.#newest), at(read + 1)];
      this.#tell(
        `More is recorded than can be read here, some of it is left out: posthorn events list --since ${from} --until ${to} --all`,
      );
      this.#begin = this.#timeOf(oldest);
    } else if (!this.#isToldOfLate) {
      this.#isToldOfLate = true;
      this.#tell(
        'Much is recorded: an event whose transaction took some seconds may be left out here, and is in "posthorn events list".',
      );
    }
  }

  /** What is new since the last look, oldest first; nothing with the first one. A failure leaves everything as it was. */
  async look(): Promise<AuditEvent[]> {
    if (this.#begin === null) return this.#start();
    const isThorough = (this.#looks + 1) % THOROUGH_EVERY === 0;
    const { fresh, oldest, isWhole } = await this.#read(Math.max(this.#begin, this.#newest - VERY_LATE_MS), isThorough);
    if (!isWhole && oldest) this.#leaveOut(oldest);
    this.#keep(fresh);
    this.#looks++;
    return fresh.toReversed();
  }
}
