import cluster from 'node:cluster';
import type { WindowCount } from '../../platform/http/windows.ts';
import type { Log } from '../../platform/log/log.ts';
import { mergeMetrics } from './merge-metrics.ts';
import type { FromChild, FromSupervisor } from './messages.ts';
import { Questions } from './questions.ts';

/** The supervisor does nothing but answer; where it has not by then, this process goes on by itself. Milliseconds. */
const COUNT_WAIT_MS = 250;
/** Longer than the supervisor waits for the slowest process. Milliseconds. */
const SCRAPE_WAIT_MS = 3000;

/** What one of several processes has to do with the one that started them. */
export interface SupervisorLink {
  /** This process listens. */
  ready(url: string): void;
  /** The whole is to end. Until this is called the process simply ends. */
  onStop(stop: () => void): void;
  /** Gives this process's metrics when they are asked for. */
  onCollect(collect: () => Promise<string>): void;
  /** The metrics of all processes. */
  scrape(): Promise<string>;
  /** Counts one more of `who`, together with the other processes; null when that was not possible. */
  count(limiter: string, who: string): Promise<WindowCount | null>;
}

/** Whether a supervisor has started this process. */
export const isChild = (): boolean => cluster.isWorker;

/** A channel that is closed ends this process: what is to be said on it is lost with it. */
const say = (message: FromChild): void => void process.send?.(message, undefined, undefined, () => undefined);

/** The child's end of the channel. */
export function linkToSupervisor(log: Log): SupervisorLink {
  const counts = new Questions<WindowCount>(COUNT_WAIT_MS);
  const scrapes = new Questions<string[]>(SCRAPE_WAIT_MS);
  let stop = (): void => process.exit(0);
  let collect = async (): Promise<string> => '';
  const onMessage = (message: FromSupervisor): void => {
    switch (message.kind) {
      case 'stop':
        return stop();
      case 'ping':
        return say({ kind: 'pong' });
      case 'counted':
        return counts.answered(message.id, message.count);
      case 'scraped':
        return scrapes.answered(message.id, message.texts);
      case 'collect':
        return void collect().then(
          (text) => say({ kind: 'collected', id: message.id, text }),
          (error: unknown) => log.error({ err: error }, 'the metrics could not be collected'),
        );
    }
  };
  process.on('message', onMessage);
  // Node then ends this process by itself: nobody accepts connections any more, and whoever starts the service anew must not
  // find half of the old one beside it.
  cluster.worker?.once('disconnect', () => log.error('the supervisor is gone: stopping at once'));
  return {
    ready: (url) => say({ kind: 'ready', url }),
    onStop(fn) {
      stop = fn;
    },
    onCollect(fn) {
      collect = fn;
    },
    async scrape() {
      const texts = await scrapes.ask((id) => say({ kind: 'scrape', id }));
      return mergeMetrics(texts ?? [await collect()]);
    },
    count: (limiter, who) => counts.ask((id) => say({ kind: 'count', id, limiter, who })),
  };
}
