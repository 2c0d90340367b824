import { Gauge } from 'prom-client';
import type { Loop } from '../../platform/loop/loop.ts';
import type { Module, Platform } from '../../platform/platform.ts';
import { Ingest } from './ingest.ts';
import { AccountLog } from './account-log.ts';
import { Announcer } from './announcer.ts';
import { Gaps } from './gaps.ts';
import { LagBudget } from './lag-budget.ts';
import { LogSource } from './log-source.ts';
import { LogTail } from './log-tail.ts';
import { countHolders } from './parts-store.ts';
import { createPublish, createPublishAll, type Publish, type PublishAll } from './publish.ts';
import { createReaders } from './readers/create-readers.ts';
import type { Reaction } from './readers/reaction.ts';
import { readerRoutes } from './readers/routes.ts';
import { Sealer } from './sealing/sealer.ts';
import { type EventRoutesDeps, eventRoutes } from './routes.ts';
import type { LoggedEvent } from './types.ts';

export type { Reaction } from './readers/reaction.ts';
export { AccountLog, type EventHead } from './account-log.ts';
export { findEvent, getEvent } from './list-events.ts';
export {
  acquireReader,
  advanceSql,
  holderSql,
  READER_LEASE_MS,
  readerPosition,
  releaseReaders,
} from './reader-store.ts';
export { hasSlot, type Part, shareOf, SLOTS, slotOf, slotsOf } from './parts.ts';
export {
  acquireParts,
  advancePartsSql,
  dividedReaders,
  divideParts,
  forgetNode,
  holderOfPartsSql,
  keepNode,
  keepNodeAndReadParts,
  readParts,
  slotSql,
  type StoredPart,
  wantParts,
} from './parts-store.ts';
export type { LogSource, Wanted } from './log-source.ts';
export { decodePosition, encodePosition } from './position-cursor.ts';
export { createPublish, createPublishAll, type Publish, type PublishAll } from './publish.ts';
export {
  firstIdAfter,
  lastPosition,
  MOST_REFS_OF_TRADE,
  positionsOfStory,
  refsOfTrade,
  selectByPositions as findEvents,
  selectFirstsOfTrades as findFirstsOfTrades,
  selectOfTrades as findEventsOfTrades,
} from './store.ts';
export { hasLog } from './sealing/store.ts';
export { type Difference, type KnownSeal, verifySeals } from './sealing/verify-seals.ts';
export type { LoggedEvent, NewEvent } from './types.ts';

/** Bus topic: something was appended to the log. */
export const EVENTS_TOPIC = 'events';

export interface Events {
  module: Module;
  publish: Publish;
  publishAll: PublishAll;
  /**
   * The log in order, for the reader of this name. How far it is behind counts against EVENTS_LAG_MAX, which is about
   * what publishers wait for; reactions do not count. `part`: the name of a part of it, which reads by itself.
   */
  openSource(reader: string, part?: string): LogSource;
  /** Calls `fn` after events were committed, here or on another node. */
  onAppended(fn: () => void): void;
  /** The log as one account sees it. */
  accountLog: AccountLog;
  /** Whether another node runs the reaction of this name, as of half a second ago at the earliest. */
  runsElsewhere(reaction: string): Promise<boolean>;
  /** The loop that runs a reaction of another module. */
  react(reaction: Reaction): Loop;
  /** Waits until every event that was taken is committed. */
  drain(): Promise<void>;
}

/** What happened: the append-only log, publishing into it, and reading it. */
export function createEvents(
  platform: Platform,
  deps: Pick<EventRoutesDeps, 'missingAccounts' | 'visibleAccounts' | 'actingAccount'>,
): Events {
  const { db, reads, cipher, clock, config, bus, metrics } = platform;
  const tail = new LogTail();
  const gaps = new Gaps(db);
  const sources: LogSource[] = [];
  const listeners: (() => void)[] = [];
  const wake = (): void => listeners.forEach((fn) => fn());
  const announcer = new Announcer({ announce: () => bus.publish(EVENTS_TOPIC), countHolders: () => countHolders(db) });
  const onCommitted = (events: readonly LoggedEvent[]): void => {
    tail.push(events);
    wake();
    announcer.appended();
  };
  bus.subscribe(EVENTS_TOPIC, () => {
    for (const source of sources) source.mayHaveMissed();
    wake();
  });
  const ingest = new Ingest({ db, clock, maxWaiting: config.EVENTS_BACKLOG_MAX, onCommitted });
  const lagBudget = new LagBudget({ db, clock, max: config.EVENTS_LAG_MAX });
  new Gauge({
    name: 'posthorn_events_waiting',
    help: 'Published events that wait for their commit.',
    registers: [metrics],
    collect() {
      this.set(ingest.waiting);
    },
  });
  const openSource = (reader: string): LogSource => {
    const source = new LogSource(db, tail, reader, gaps);
    sources.push(source);
    return source;
  };
  const onAppended = (fn: () => void): unknown => listeners.push(fn);
  const sealer = new Sealer(platform);
  const readers = createReaders(platform, { openSource, onAppended });
  return {
    module: {
      name: 'events',
      routes: [...eventRoutes({ ...deps, db, reads, cipher, ingest, lagBudget }), ...readerRoutes(readers)],
      loops: [sealer],
      async stop() {
        announcer.flush();
        await readers.stop();
        await sealer.release();
      },
    },
    publish: createPublish(onCommitted),
    publishAll: createPublishAll(onCommitted),
    openSource(reader, part = reader) {
      lagBudget.count(reader);
      return openSource(part);
    },
    onAppended,
    accountLog: new AccountLog(db),
    runsElsewhere: (reaction) => readers.runsElsewhere(reaction),
    react: (reaction) => readers.react(reaction),
    drain: () => ingest.drain(),
  };
}
