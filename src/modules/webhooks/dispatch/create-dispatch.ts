import { type Clock, monotonicNow } from '../../../lib/clock.ts';
import type { Log } from '../../../platform/log/log.ts';
import type { Loop } from '../../../platform/loop/loop.ts';
import type { WorkQueue } from '../../../platform/nats/work-queue.ts';
import type { SendSigned } from '../engine/sign-anew.ts';
import { HandOver, type HandOverDeps } from './hand-over.ts';
import { readQuestion, readSaying, VERSION, writeSaying, writeWanted } from './messages.ts';
import { Peers } from './peers.ts';
import { TakeOn, type TakeOnDeps } from './take-on.ts';

const SWEEP_EVERY_MS = 1000;
/** It is asked for several times with each attempt, and others come and go in seconds. Milliseconds. */
const SLOTS_KEPT_MS = 10;

/** What both sides need. */
export interface DispatchDeps
  extends Pick<TakeOnDeps, 'registry' | 'secretsOf' | 'loadSecrets'>,
    Pick<HandOverDeps, 'stands'> {
  queue: WorkQueue;
  nodeId: string;
  clock: Clock;
  log: Log;
  /** Makes an attempt in this process. */
  here: SendSigned;
  /** Whether the thread that makes attempts for an endpoint has hardly any time left. */
  isBusy: (endpointId: string) => boolean;
  /** Each worker makes its share of all attempts, whether or not their holder could make them itself. */
  isEven: boolean;
  /** Attempts that this process makes at once. */
  slots: number;
  /** Which part of all sending is decided by this process: 0 to 1. */
  share: () => number;
}

/** Attempts shared by all workers over a work queue (docs/adr/0036). */
export interface Dispatch {
  /** Makes the attempt here or elsewhere. */
  send: SendSigned;
  /** Workers that are there, with this one; 0 for a process that is none. */
  readonly workers: number;
  /** Attempts that may be under way by this process's decision: its part of what all workers make at once. */
  readonly slots: number;
  /** Attempts under way with other workers. */
  readonly away: number;
  /** Since the start: attempts handed over, taken back of them, and made for others. */
  readonly handed: number;
  readonly takenBack: number;
  readonly made: number;
  /** The outcomes of these deliveries have rows, or are not to have any. */
  written(deliveryIds: readonly string[]): void;
  /** From its first step on this process takes attempts of others. */
  loop: Loop;
  /** Takes nothing more and hands nothing over; what is under way here has `ms` to end. */
  leave(ms: number): Promise<void>;
  /** What is still with others is due again. */
  abandon(): void;
}

/** Puts both sides together, on a queue that nothing else uses. */
export function createDispatch(deps: DispatchDeps): Dispatch {
  const { queue, nodeId, here, isBusy, isEven, slots, share, stands, clock, log } = deps;
  const { registry, secretsOf, loadSecrets } = deps;
  const peers = new Peers(nodeId);
  const now = (): number => clock.now();
  // The other half is room for what others hand over, and for a burst until it is handed over.
  const isFull = (endpointId: string, underWay: number): boolean =>
    isEven || underWay * 2 >= slots || isBusy(endpointId);
  const handOver = new HandOver({
    queue,
    nodeId,
    peers,
    here,
    isFull,
    slots,
    // Two that are both full would only pass each other what each could make itself.
    othersSlots: () => (isEven ? peers.slots : peers.roomySlots),
    stands,
    now,
  });
  const own = (batch: number): boolean => handOver.takeOwn(batch);
  const busy = (): number => handOver.here;
  const takeOn = new TakeOn({
    queue,
    nodeId,
    peers,
    registry,
    secretsOf,
    loadSecrets,
    here,
    own,
    busy,
    slots,
    now,
    log,
  });
  queue.answer((data) => {
    const question = readQuestion(data);
    return writeWanted(question ? handOver.answer(question) : []);
  });
  queue.hear((data) => {
    const saying = readSaying(data);
    if (saying.kind === 'written') takeOn.written(saying.from, saying.batches);
    else if (saying.kind === 'gone') peers.gone(saying.node);
    else if (saying.kind === 'here' && saying.v === VERSION) {
      peers.here(saying.node, saying.slots, saying.full);
      takeOn.heard(saying.node);
    }
  });
  let counted = 0;
  let countedAt = Number.NEGATIVE_INFINITY;
  const countSlots = (): number => {
    if (handOver.canHand) return Math.max(1, Math.floor((slots + peers.slots) * share()));
    // What is with others by now takes nothing from what this process can make itself.
    return slots + handOver.away;
  };
  /** Full of what others handed over it has room, as they see it: else they would stop, and begin again as soon as it had done that. */
  const isFullByItself = (): boolean => !isEven && handOver.isFull && handOver.here >= takeOn.inFlight;
  /** An `api` node hears the others as well, and is none of them. */
  let isWorker = false;
  const sweep = (): void => {
    handOver.sweep();
    void takeOn.sweep();
  };
  return {
    send: handOver.send,
    get workers() {
      return isWorker ? peers.count + 1 : 0;
    },
    get slots() {
      const now = monotonicNow();
      if (now - countedAt >= SLOTS_KEPT_MS) {
        counted = countSlots();
        countedAt = now;
      }
      return counted;
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
        isWorker = true;
        queue.take((job) => takeOn.take(job));
        queue.tell(null, writeSaying({ kind: 'here', v: VERSION, node: nodeId, slots, full: isFullByItself() }));
        sweep();
        return false;
      },
    },
    async leave(ms) {
      handOver.end();
      queue.tell(null, writeSaying({ kind: 'gone', node: nodeId }));
      const sweeping = setInterval(sweep, SWEEP_EVERY_MS);
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((done) => (timer = setTimeout(done, ms)));
      await Promise.race([Promise.all([queue.stopTaking(), takeOn.drain(ms)]), late]);
      clearTimeout(timer);
      clearInterval(sweeping);
    },
    abandon: () => handOver.abandon(),
  };
}
