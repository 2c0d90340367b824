import assert from 'node:assert/strict';
import type { StoredDelivery } from './engine.ts';
import { WAITS } from './schedule.ts';

/** interface.md §6.6, written down a second time: the engine's own numbers must not be what it is held against. */
const MOST_ATTEMPTS = 5;
const JITTER = 0.1;

/** What a receiver answered. `cut`: the connection was ended without a reply. `retryAfter` in milliseconds. */
export interface Answered {
  status: number | 'cut';
  retryAfter: number | null;
}

/** PROBING: it is disabled, and one held delivery is to show whether it is well again. */
export type EndpointState = 'ACTIVE' | 'PAUSED' | 'DISABLED' | 'PROBING' | 'DELETED';

/** A request as it came in. */
export interface Seen {
  deliveryId: string;
  eventId: string;
  attempt: number;
  isReplay: boolean;
  answer: Answered;
}

/** What a delivery should be like now. */
export interface Expected {
  id: string | null;
  eventId: string;
  replayOf: string | null;
  status: 'PENDING' | 'DELIVERED' | 'DEAD' | 'HELD' | 'DISCARDED';
  attempts: number;
  /** Its next attempt lies in this span; milliseconds since the epoch. */
  due: readonly [number, number] | null;
  /** Requests that came in, those of nodes that died before they wrote it down among them. */
  requests: number;
  /** Attempts whose outcome a node did not live to write down, and requests that went out a second time. */
  extra: number;
  /** The attempt whose reply was cut off: over a kept connection, which the receiver may have closed by then. */
  cutOff: number | null;
  arrived: boolean;
}

const isSuccess = ({ status }: Answered): boolean => status !== 'cut' && status >= 200 && status < 300;

/** When attempt `n + 1` may be made after the failed attempt `n`. */
export function spanAfter(n: number, retryAfter: number | null, now: number): readonly [number, number] {
  const wait = WAITS[n - 1] as number;
  const [least, most] = [wait * (1 - JITTER), wait * (1 + JITTER)];
  if (retryAfter === null) return [now + least - 1, now + most + 1];
  // A longer one is honoured, up to twice the wait.
  const wanted = Math.min(retryAfter, 2 * wait);
  return [now + Math.max(least, wanted) - 1001, now + Math.max(most, wanted) + 1];
}

/** What is to be expected of one endpoint's deliveries: a plain reading of the contract, without a queue, a lease or a node. */
export class EndpointOracle {
  state: EndpointState = 'ACTIVE';
  deliveries: Expected[] = [];
  /** The delivery of the last probe. */
  #probe: Expected | null = null;
  /** What has happened, for whoever has to find out why something was not as expected. */
  readonly trail: string[] = [];

  /** A merchant or an operator did this. */
  acted(what: string, state: EndpointState): void {
    this.trail.push(what);
    this.state = state;
    // What was published and not fanned out by now has nowhere to go.
    if (state === 'DELETED') this.deliveries = this.deliveries.filter((d) => d.id !== null);
  }

  #story(of: string): string {
    return `${of}\n${this.trail.join('\n')}\n`;
  }

  published(eventId: string, now: number): void {
    this.trail.push(`${new Date(now).toISOString()} published ${eventId}`);
    this.#add({ id: null, eventId, replayOf: null, due: [now, now] });
  }

  replayed(id: string, of: Expected, now: number): void {
    this.trail.push(`${new Date(now).toISOString()} ${of.id}, ${of.status}, is replayed as ${id}`);
    if (of.status === 'HELD') of.status = 'DISCARDED';
    this.#add({ id, eventId: of.eventId, replayOf: of.id, due: [now, now] });
  }

  #add(what: Pick<Expected, 'id' | 'eventId' | 'replayOf' | 'due'>): void {
    this.deliveries.push({
      ...what,
      status: 'PENDING',
      attempts: 0,
      requests: 0,
      extra: 0,
      cutOff: null,
      arrived: false,
    });
  }

  /** Which delivery a request belongs to. */
  find({ deliveryId, eventId, isReplay }: Pick<Seen, 'deliveryId' | 'eventId' | 'isReplay'>): Expected {
    const found = this.deliveries.find((d) =>
      isReplay ? d.id === deliveryId : d.replayOf === null && d.eventId === eventId,
    );
    assert.ok(found, `a request of no delivery: ${deliveryId}`);
    return found;
  }

  /** A request came in, at `now` by the node's clock. `isLost`: the node died before it could write the outcome down. */
  request(seen: Seen, now: number, isLost: boolean): void {
    const d = this.find(seen);
    this.trail.push(`${new Date(now).toISOString()} request ${JSON.stringify(seen)}${isLost ? ' lost' : ''}`);
    const what = this.#story(`${seen.deliveryId}, attempt ${seen.attempt}`);
    d.requests++;
    assert.ok(seen.attempt <= MOST_ATTEMPTS, `${what}: more than five`);
    if (isSuccess(seen.answer)) d.arrived = true;
    // The same attempt once more, over a connection of its own (engine/attempt.ts).
    const isAgain = d.cutOff === seen.attempt;
    if (isAgain) [d.attempts, d.extra, d.status, d.due] = [d.attempts - 1, d.extra + 1, 'PENDING', [now, now]];
    if (isAgain && this.#probe === d) [this.state, d.status] = ['PROBING', 'HELD'];
    d.cutOff = seen.answer.status === 'cut' && !isAgain && !isLost ? seen.attempt : null;
    assert.ok(d.status === 'PENDING' || d.status === 'HELD', `${what} was sent though it is ${d.status}`);
    assert.equal(seen.attempt, d.attempts + 1, what);
    assert.ok((d.due?.[0] ?? 0) <= now, `${what}: too early by ${(d.due?.[0] ?? 0) - now} ms`);
    if (isLost) {
      d.extra++;
      return;
    }
    d.attempts++;
    this.#judge(d, seen.answer, now);
  }

  #judge(d: Expected, answer: Answered, now: number): void {
    d.due = null;
    const isProbe = this.state === 'PROBING' && (d.replayOf === null || d.status === 'HELD');
    if (answer.status === 410 && this.state !== 'PROBING') this.state = 'DISABLED';
    if (isSuccess(answer)) d.status = 'DELIVERED';
    else if (d.attempts === MOST_ATTEMPTS) d.status = 'DEAD';
    else if (answer.status === 410) d.status = 'HELD';
    else if (isProbe) d.status = 'HELD';
    else [d.status, d.due] = ['PENDING', spanAfter(d.attempts, answer.retryAfter, now)];
    // Kept when something else is answered: a probe that was cut off may go once more after that.
    if (this.#probe === d) this.#probe = null;
    if (isProbe) [this.#probe, this.state] = [d, isSuccess(answer) ? 'ACTIVE' : 'DISABLED'];
  }

  /** All that could be done at `now` was done. */
  settle(now: number): void {
    for (const d of this.deliveries) {
      const isOpen = d.status === 'PENDING' || d.status === 'HELD';
      if (!isOpen) continue;
      if (this.state === 'DELETED') [d.status, d.due] = ['DISCARDED', null];
      else if (this.state !== 'ACTIVE' && d.replayOf === null && d.status === 'PENDING' && (d.due?.[1] ?? 0) <= now)
        [d.status, d.due] = ['HELD', null];
    }
  }

  /** Holds what is stored against what was expected, and takes over what only the service can know: ids and exact times. */
  compare(rows: readonly StoredDelivery[], now: number): void {
    const open = this.deliveries.filter((d) => (d.due?.[1] ?? Infinity) <= now && d.status === 'PENDING');
    assert.deepEqual(open, [], this.#story('what is due to an endpoint that is called was not sent'));
    assert.equal(rows.length, this.deliveries.length, this.#story('not one delivery for each event and each replay'));
    for (const row of rows) {
      const d = this.find({ deliveryId: row.id, eventId: row.event_id, isReplay: row.replay_of !== null });
      d.id ??= row.id;
      assert.equal(row.id, d.id);
      assert.deepEqual([row.status, row.attempts], [d.status, d.attempts], this.#story(row.id));
      const due = row.next_attempt_at?.getTime() ?? null;
      if (d.status !== 'PENDING') assert.equal(due, null);
      else {
        const [least, most] = d.due ?? [0, 0];
        assert.ok(
          due !== null && due >= least && due <= most,
          this.#story(`${row.id}: ${due} is not within ${least} and ${most}`),
        );
        d.due = [due, due];
      }
    }
  }

  /** When all is over. */
  end(): void {
    for (const d of this.deliveries) {
      assert.ok(d.requests <= d.attempts + d.extra, 'every request is accounted for');
      if (d.status === 'DELIVERED') assert.ok(d.arrived, `${d.id} is DELIVERED and did not arrive`);
      else if (d.status === 'DEAD') assert.equal(d.attempts, MOST_ATTEMPTS);
      else assert.equal(d.status, 'DISCARDED');
      if (d.status === 'DISCARDED' && this.state !== 'DELETED')
        assert.ok(
          this.deliveries.some((r) => r.replayOf === d.id),
          `${d.id} was discarded and nobody asked for it`,
        );
    }
  }
}
