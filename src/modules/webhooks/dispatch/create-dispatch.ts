import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../platform/log/log.ts';
import type { Loop } from '../../../platform/loop/loop.ts';
import type { WorkQueue } from '../../../platform/nats/work-queue.ts';
import type { SendSigned } from '../engine/sign-anew.ts';
import { HandOver } from './hand-over.ts';
import { readQuestion, readSaying, writeSaying, writeWanted } from './messages.ts';
import { Peers } from './peers.ts';
import { TakeOn, type TakeOnDeps } from './take-on.ts';

const SWEEP_EVERY_MS = 1000;

export interface DispatchDeps extends Pick<TakeOnDeps, 'registry' | 'secretsOf' | 'loadSecrets'> {
  queue: WorkQueue;
  nodeId: string;
  clock: Clock;
  log: Log;
  /** Makes an attempt in this process. */
  here: SendSigned;
  /** Attempts that this process makes at once. */
  slots: number;
  /** Which part of all sending is decided by this process: 0 to 1. */
  share: () => number;
}

/** Attempts shared by all workers over a work queue (docs/adr/0036). */
export interface Dispatch {
  /** Makes the attempt here or elsewhere. */
  send: SendSigned;
  /** Workers that are there, with this one. */
  readonly workers: number;
  /** Attempts that may be under way by this process's decision, with all workers that are there. */
  readonly slots: number;
  /** Attempts under way here for other holders, and with other workers. */
  readonly taken: number;
  readonly away: number;
  /** Since the start: attempts handed over, taken back of them, and made for others. */
  readonly handed: number;
  readonly takenBack: number;
  readonly made: number;
  /** The outcomes of these deliveries have rows, or are not to have any. */
  written(deliveryIds: readonly string[]): void;
  /** From its first step on this process takes attempts of others. */
  loop: Loop;
  /** Takes nothing more; what is under way here has `ms` to end. */
  leave(ms: number): Promise<void>;
  /** What is still with others is due again. */
  abandon(): void;
}

export function createDispatch(deps: DispatchDeps): Dispatch {
  const { queue, nodeId, here, slots, share, clock, log } = deps;
  const { registry, secretsOf, loadSecrets } = deps;
  const peers = new Peers(nodeId);
  const handOver = new HandOver({ queue, nodeId, peers, here, now: () => clock.now() });
  const takeOn = new TakeOn({ queue, nodeId, peers, registry, secretsOf, loadSecrets, here, slots, log });
  queue.answer((data) => writeWanted(handOver.answer(readQuestion(data))));
  queue.hear((data) => {
    const saying = readSaying(data);
    if (saying.kind === 'here') peers.here(saying.node, saying.slots);
    else takeOn.written(saying.from, saying.batches);
  });
  return {
    send: handOver.send,
    get slots() {
      return slots + Math.floor(peers.slots * share());
    },
    get workers() {
      return peers.count + 1;
    },
    get taken() {
      return takeOn.inFlight;
    },
    get away() {
      return handOver.away;
    },
    get handed() {
      return handOver.handed;
    },
    get takenBack() {
      return handOver.takenBack;
    },
    get made() {
      return takeOn.made;
    },
    written: (deliveryIds) => handOver.written(deliveryIds),
    loop: {
      name: 'webhook-attempts',
      everyMs: SWEEP_EVERY_MS,
      async step() {
        queue.take((job) => takeOn.take(job));
        queue.tell(null, writeSaying({ kind: 'here', node: nodeId, slots }));
        peers.sweep();
        handOver.sweep();
        await takeOn.sweep();
        return false;
      },
    },
    async leave(ms) {
      handOver.end();
      await Promise.all([queue.stopTaking(), takeOn.drain(ms)]);
    },
    abandon: () => handOver.abandon(),
  };
}
