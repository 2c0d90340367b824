import { Gauge } from 'prom-client';
import type { Module, Platform } from '../../platform/platform.ts';
import { Ingest } from './ingest.ts';
import { LogSource } from './log-source.ts';
import { LogTail } from './log-tail.ts';
import { createPublish, type Publish } from './publish.ts';
import { type EventRoutesDeps, eventRoutes } from './routes.ts';
import type { LoggedEvent } from './types.ts';

export { acquireReader, advanceSql, releaseReader } from './reader-store.ts';
export type { LogSource } from './log-source.ts';
export { createPublish, type Publish } from './publish.ts';
export { lastPosition, positionsOfTrade, selectByPositions as findEvents } from './store.ts';
export type { LoggedEvent } from './types.ts';

/** Bus topic: something was appended to the log. */
export const EVENTS_TOPIC = 'events';

export interface Events {
  module: Module;
  publish: Publish;
  /** The log in order, for the one reader that fans it out. */
  source: LogSource;
  tail: LogTail;
  /** Calls `fn` after events were committed, here or on another node. */
  onAppended(fn: () => void): void;
  /** Waits until every event that was taken is committed. */
  drain(): Promise<void>;
}

/** What happened: the append-only log, publishing into it, and reading it. */
export function createEvents(
  platform: Platform,
  deps: Pick<EventRoutesDeps, 'missingAccounts' | 'visibleAccounts'>,
): Events {
  const { db, cipher, clock, config, bus, metrics } = platform;
  const tail = new LogTail();
  const source = new LogSource(db, tail);
  const listeners: (() => void)[] = [];
  const wake = (): void => listeners.forEach((fn) => fn());
  const onCommitted = (events: readonly LoggedEvent[]): void => {
    tail.push(events);
    wake();
    bus.publish(EVENTS_TOPIC);
  };
  bus.subscribe(EVENTS_TOPIC, () => {
    source.mayHaveMissed();
    wake();
  });
  const ingest = new Ingest({ db, clock, maxWaiting: config.EVENTS_BACKLOG_MAX, onCommitted });
  new Gauge({
    name: 'posthorn_events_waiting',
    help: 'Published events that wait for their commit.',
    registers: [metrics],
    collect() {
      this.set(ingest.waiting);
    },
  });
  return {
    module: { name: 'events', routes: eventRoutes({ ...deps, db, cipher, ingest }), loops: [] },
    publish: createPublish(onCommitted),
    source,
    tail,
    onAppended: (fn) => listeners.push(fn),
    drain: () => ingest.drain(),
  };
}
