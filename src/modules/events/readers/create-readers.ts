import { Gauge } from 'prom-client';
import type { Loop } from '../../../platform/loop/loop.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { LogSource } from '../log-source.ts';
import { lastVisible } from '../store.ts';
import type { Reaction } from './reaction.ts';
import { ReactionRunner } from './runner.ts';
import { selectReaders, selectWaits } from './store.ts';
import { TakenReaders } from './taken-readers.ts';

/** A poll for what a lost wake-up would have told; below the time after which a lease is renewed. Milliseconds. */
const EVERY_MS = 1000;

export interface ReadersDeps {
  openSource: (reader: string) => LogSource;
  onAppended: (fn: () => void) => void;
}

export interface Readers {
  /** The loop that runs a reaction, for the module that it belongs to. */
  react(reaction: Reaction): Loop;
  /** The reactions of this process, by name. */
  reactions: ReadonlyMap<string, Reaction>;
  /** Has each reader look at once, as after an event. */
  wake(): void;
  /** Whether another node runs the reaction of this name, as of half a second ago at the earliest. */
  runsElsewhere(name: string): Promise<boolean>;
  stop(): Promise<void>;
}

/** The reactions of this process, each with a runner of its own. */
export function createReaders(platform: Platform, { openSource, onAppended }: ReadersDeps): Readers {
  const { db, clock, log, newId, nodeId, metrics } = platform;
  const runners: ReactionRunner[] = [];
  const taken = new TakenReaders(db, nodeId);
  const reactions = new Map<string, Reaction>();
  const wakes: (() => void)[] = [];
  const gauge = (name: string, help: string, labelNames: readonly string[], collect: (g: Gauge) => Promise<void>) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [metrics],
      async collect() {
        this.reset();
        // Metrics are told without these rather than not at all.
        await collect(this).catch(() => undefined);
      },
    });
  gauge('posthorn_reader_lag_events', 'Events that a reader of the log has not handled yet.', ['reader'], async (g) => {
    const last = await lastVisible(db);
    for (const { name, position } of await selectReaders(db)) g.set({ reader: name }, Math.max(0, last - position));
  });
  const wait = 'For how long the first event that a reader has not handled yet has waited.';
  gauge('posthorn_reader_lag_seconds', wait, ['reader'], async (g) => {
    for (const { name, seconds } of await selectWaits(db)) g.set({ reader: name }, seconds);
  });
  gauge('posthorn_reader_failures', 'Events at which a reaction failed.', ['reader', 'state'], async (g) => {
    for (const { name, retrying, setAside } of await selectReaders(db)) {
      g.set({ reader: name, state: 'retrying' }, retrying);
      g.set({ reader: name, state: 'set_aside' }, setAside);
    }
  });
  return {
    reactions,
    react(reaction) {
      const runner = new ReactionRunner(reaction, {
        db,
        clock,
        log,
        newId,
        nodeId,
        source: openSource(reaction.name),
        taken,
      });
      runners.push(runner);
      reactions.set(reaction.name, reaction);
      return {
        name: reaction.name,
        everyMs: EVERY_MS,
        attach(wake) {
          wakes.push(wake);
          onAppended(wake);
        },
        step: (polled) => runner.step(polled),
      };
    },
    wake() {
      for (const wake of wakes) wake();
    },
    runsElsewhere: (name) => taken.has(name),
    async stop() {
      await Promise.all(runners.map((runner) => runner.release()));
    },
  };
}
