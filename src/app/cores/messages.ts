import type { WindowCount } from '../../platform/http/windows.ts';

/** What a child says to its supervisor. `id` comes back with the answer. */
export type FromChild =
  /** It listens at this address. */
  | { kind: 'ready'; url: string }
  /** One more request of somebody against a limit. */
  | { kind: 'count'; id: number; limiter: string; who: string }
  /** It was asked for the metrics of all. */
  | { kind: 'scrape'; id: number }
  /** To `ping`. */
  | { kind: 'pong' }
  /** To `collect`: its own metrics. */
  | { kind: 'collected'; id: number; text: string };

/** What the supervisor says to a child. */
export type FromSupervisor =
  | { kind: 'stop' }
  /** Are you there? */
  | { kind: 'ping' }
  | { kind: 'collect'; id: number }
  | { kind: 'counted'; id: number; count: WindowCount }
  /** The metrics of each process that gave them in time. */
  | { kind: 'scraped'; id: number; texts: string[] };
