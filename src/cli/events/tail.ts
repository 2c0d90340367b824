import type { AuditEvent, Client } from '../../../client/src/index.ts';

/** An event is mostly seen at most so much later than it was recorded: transactions commit one after the other. Milliseconds. */
const LATE_MS = 3000;
/** One that publishes may take longer, up to where the database ends its statements (30 s) and some. Milliseconds. */
const VERY_LATE_MS = 60_000;
/** Looks between those that go back as far as that, which cost more where much happens. */
const THOROUGH_EVERY = 10;

type Filter = NonNullable<Parameters<Client['listEvents']>[0]>;

/** The log as it grows, from the first look on. */
export class Tail {
  readonly #list: Client['listEvents'];
  readonly #filter: Filter;
  /** Ids and times of what was shown, or was there before. */
  readonly #seen = new Map<string, number>();
  #newest = Number.NEGATIVE_INFINITY;
  /** Nothing that was recorded before is shown. */
  #begin: number | null = null;
  #looks = 0;

  constructor({ listEvents }: Pick<Client, 'listEvents'>, filter: Filter) {
    this.#list = listEvents;
    this.#filter = filter;
  }

  /** Learns where the log ends. */
  async #start(): Promise<AuditEvent[]> {
    const { data } = await this.#list({ ...this.#filter, limit: 1 });
    const [last] = data;
    this.#begin = last === undefined ? 0 : Date.parse(last.recordedAt) - LATE_MS;
    if (last !== undefined) await this.#since(this.#begin);
    return [];
  }

  /** What was recorded since then and was not seen yet, oldest first. A failure leaves everything as it was. */
  async #since(time: number): Promise<AuditEvent[]> {
    const fresh: AuditEvent[] = [];
    const since = time <= 0 ? {} : { since: new Date(time).toISOString() };
    for await (const event of this.#list({ ...this.#filter, ...since, limit: 100 }))
      if (!this.#seen.has(event.id)) fresh.push(event);
    for (const { id, recordedAt } of fresh) {
      const at = Date.parse(recordedAt);
      this.#seen.set(id, at);
      this.#newest = Math.max(this.#newest, at);
    }
    for (const [id, at] of this.#seen) if (at < this.#newest - 2 * VERY_LATE_MS) this.#seen.delete(id);
    return fresh.toReversed();
  }

  /** What is new since the last look, oldest first; nothing with the first one. */
  async look(): Promise<AuditEvent[]> {
    if (this.#begin === null) return this.#start();
    const back = (this.#looks + 1) % THOROUGH_EVERY === 0 ? VERY_LATE_MS : LATE_MS;
    const found = await this.#since(Math.max(this.#begin, this.#newest - back));
    this.#looks++;
    return found;
  }
}
