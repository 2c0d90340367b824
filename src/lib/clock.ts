import { uptime } from 'node:os';

/** The only place that reads the real clock (held by test/architecture.test.ts). Everything else is given a `Clock`. */
export interface Clock {
  /** Milliseconds since the epoch. May jump: never use the difference of two readings as a duration that matters. */
  now(): number;
  /** How far it is ahead of the clock of this machine, where it is another one: for threads, which read that one. Milliseconds. */
  readonly offset?: Float64Array;
}

export const systemClock: Clock = { now: () => Date.now() };

/** A clock that stands still until it is moved: for tests of schedules that span hours. */
export class ManualClock implements Clock {
  #now: number;
  constructor(start: number | string | Date = '2026-01-01T00:00:00.000Z') {
    this.#now = new Date(start).getTime();
  }
  now(): number {
    return this.#now;
  }
  advance(ms: number): void {
    this.#now += ms;
  }
  set(at: number | string | Date): void {
    this.#now = new Date(at).getTime();
  }
}

/** Milliseconds since the machine was started, also those in which it slept, which `monotonicNow` leaves out. Exact to a second or so. */
export const uptimeNow = (): number => uptime() * 1000;

/** Milliseconds on a clock that never jumps; only differences mean something. */
export const monotonicNow = (): number => performance.now();
