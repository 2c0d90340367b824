import type { OutboundPolicy } from '../../../platform/outbound/index.ts';
import type { Loop } from '../../../platform/loop/loop.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { SigningSecret } from '../../accounts/index.ts';
import { type Events, hasSlot, type Part, slotOf, slotsOf } from '../../events/index.ts';
import { createDispatch, type Dispatch } from '../dispatch/create-dispatch.ts';
import { HealthBook } from '../health/health-book.ts';
import { removeCounts } from '../health/store.ts';
import { Lifecycle, type LifecycleDeps } from '../recovery/lifecycle.ts';
import { createAttempt } from './attempt.ts';
import { attemptsHere, defaultThreads } from './attempts.ts';
import { attemptThreads } from './attempt-threads.ts';
import { ClaimPace } from './claim-pace.ts';
import { Claims } from './claims.ts';
import { releaseClaimed, releaseLeases, updateResults } from './delivery-store.ts';
import { Dispatcher } from './dispatcher.ts';
import { FanOut } from './fan-out.ts';
import { READER } from './holdings.ts';
import { engineMetrics } from './metrics.ts';
import { Recorder } from './recorder.ts';
import type { EndpointRegistry } from './registry.ts';
import { signingAnew } from './sign-anew.ts';
import { isHindered, mayGo, putOffResult, ticketLife } from './ticket-life.ts';
import type { Result, Ticket } from './types.ts';
import { UnderWay } from './under-way.ts';
import { Upkeep } from './upkeep.ts';

/** How often what is due is looked for when nothing wakes the loop. Milliseconds. */
const CLAIM_EVERY_MS = 500;
const FAN_OUT_EVERY_MS = 1000;
const UPKEEP_EVERY_MS = 30_000;
const LIFECYCLE_EVERY_MS = 10_000;
const HEALTH_EVERY_MS = 10_000;
/** A day of buckets, and the one that the day before began in. Milliseconds. */
const KEEP_COUNTS_MS = 25 * 3_600_000;
/** Outcomes waiting to be written, beyond which nothing more is read. */
const MAX_UNWRITTEN = 10_000;
/**
 * First attempts waiting for their turn, beyond which no more events are read: a tenth of a second of what a process
 * sends. Those to slow endpoints do not count, since they leave the queue (see Lane.expectedWaitMs), nor do claimed ones,
 * which may wait for their endpoint's rate.
 */
const MAX_FRESH = 2000;
/** So long after it was opened an endpoint that nothing was sent to yet is still begun with one request. Milliseconds. */
const OPENING_MS = 600_000;
/** No endpoint has more than this part of the process's requests under way. */
const ENDPOINT_SHARE = 8;

export interface EngineDeps {
  events: Events;
  registry: EndpointRegistry;
  /** As known now; undefined: not loaded, or dropped since to make room. */
  secretsOf: (accountId: string) => readonly SigningSecret[] | undefined;
  /** Where requests may go; threads have senders of their own. */
  policy: OutboundPolicy;
  loadSecrets: (accountIds: readonly string[]) => Promise<void>;
  /** Deliveries became due: every node should look. */
  announceDue: () => void;
  /** Endpoints were changed by the engine: every node should look. */
  endpointsChanged: () => void;
  /** Tells whoever has to know that an endpoint was disabled, in the same transaction. */
  tellDisabled: LifecycleDeps['tell'];
  random?: () => number;
  version: string;
}

export interface Engine {
  loops: Loop[];
  /** Of all nodes it is the one for what one is enough for: it has part 0. None has, while that part goes to another. */
  leads(): boolean;
  /** Something became due (a replay, a resumed endpoint). */
  wakeClaims(): void;
  /** Endpoints were changed: deliveries may wait for something else now. */
  wakeUpkeep(): void;
  /** Finishes what is under way within `ms`, writes the outcomes, releases the leases. */
  stop(ms: number): Promise<void>;
  fanOut: FanOut;
  claims: Claims;
  upkeep: Upkeep;
  lifecycle: Lifecycle;
  /** Writes what was counted of endpoints, and removes what is older than a day. */
  keepHealth(): Promise<boolean>;
  dispatcher: Dispatcher;
  /** null: this process makes all its attempts itself. */
  dispatch: Dispatch | null;
  recorder: Recorder;
}

/** Puts the parts of the delivery engine together; docs/adr/0005 says why it has this shape. */
export function createEngine(platform: Platform, deps: EngineDeps): Engine {
  const { db, clock, newId, leastTime, log, nodeId, config, sender } = platform;
  const { registry, events } = deps;
  const random = deps.random ?? (() => Math.random());
  const measured = engineMetrics(platform.metrics, () => engine);
  const timeoutMs = config.WEBHOOK_TIMEOUT_SECONDS * 1000;
  const userAgent = `Posthorn/${deps.version}`;
  const threads = config.WEBHOOK_SENDER_THREADS ?? defaultThreads();
  const connectionsPerOrigin = config.WEBHOOK_WORKER_IN_FLIGHT;
  const attempts =
    threads === 0
      ? attemptsHere(createAttempt({ sender, clock, random, timeoutMs, userAgent }), () => sender.close())
      : attemptThreads(
          threads,
          { policy: deps.policy, connectionsPerOrigin, timeoutMs, userAgent, clockOffset: clock.offset },
          log,
        );

  const book = new HealthBook(db, nodeId);
  const leads = (): boolean => fanOut.parts.some(({ part }) => part === 0);
  const lifecycle = new Lifecycle({
    db,
    clock,
    newId,
    log,
    registry,
    book,
    hold: () => fanOut.hold(),
    maySend: (accountId) => maySend(accountId),
    // The one that has the first part, which is always there.
    leads,
    changed: deps.endpointsChanged,
    opened: () => wake.upkeep(),
    wakeClaims: deps.announceDue,
    tell: deps.tellDisabled,
    count: measured.endpointChanged,
    disableAfterMs: config.WEBHOOK_DISABLE_AFTER_HOURS * 3_600_000,
    probeEveryMs: config.WEBHOOK_PROBE_MINUTES * 60_000,
  });
  /** A promise when it means something for the endpoint, which is decided before the outcome is written. */
  const finish = (result: Result): Promise<void> | undefined => {
    if (result.log !== null) {
      measured.attempted(result);
      book.note(result);
    }
    const settled = lifecycle.settle(result);
    if (settled) return settled.then((final) => recorder.add(final));
    recorder.add(result);
    return undefined;
  };
  const putOff = (ticket: Ticket): void => recorder.add(putOffResult(ticket, clock.now()));
  /**
   * The one question of who sends to an account: the holder of the part of the fan-out that the account is in. All that
   * keeps an endpoint's limits is in the memory of the node of whom this is true (docs/adr/0022, 0034).
   */
  const maySend = (accountId: string): boolean => fanOut.maySendTo(accountId);
  const loadedSecrets = async (accountId: string): Promise<readonly SigningSecret[]> => {
    await deps.loadSecrets([accountId]);
    return deps.secretsOf(accountId) ?? [];
  };
  const sendHere = signingAnew(attempts, loadedSecrets);
  /** The part of all accounts that this node sends to. */
  const share = (): number => fanOut.parts.reduce((sum, { parts }) => sum + 1 / parts, 0);
  const dispatch = platform.workQueue
    ? createDispatch({
        queue: platform.workQueue,
        nodeId,
        clock,
        log,
        registry,
        secretsOf: deps.secretsOf,
        loadSecrets: deps.loadSecrets,
        here: sendHere,
        isBusy: (endpointId) => attempts.isBusy(endpointId),
        isEven: config.WEBHOOK_HAND_OVER === 'share',
        slots: config.WEBHOOK_WORKER_IN_FLIGHT,
        stands: ({ progress, endpoint }) =>
          (!progress || fanOut.holds(progress)) && fanOut.maySendTo(endpoint.accountId),
        share,
      })
    : null;
  const underWay = new UnderWay();
  const ended = (results: readonly Result[]): void => {
    if (results.some(({ status }) => status === 'PENDING')) claims.expect();
    // Held in the moment in which its endpoint was opened, and written after the look that this brought about.
    const isLate = ({ status, errorClass, ticket }: Result): boolean =>
      status === 'HELD' && !isHindered(errorClass) && registry.get(ticket.endpoint.id)?.status === 'ACTIVE';
    if (results.some(isLate)) wake.upkeep();
    for (const { ticket } of results) underWay.end(ticket);
    dispatch?.written(results.map(({ ticket }) => ticket.deliveryId));
  };
  /** Best effort: what is not given back is void for the node that has taken over, or ends by itself. */
  const forgetQueued = (part: Part): void => {
    const forgotten = dispatcher.forgetQueued((accountId) => hasSlot(part, slotOf(accountId)));
    for (const ticket of forgotten) underWay.end(ticket);
    const ids = forgotten.filter((ticket) => ticket.lease).map((ticket) => ticket.deliveryId);
    if (ids.length > 0) void releaseClaimed(db, nodeId, ids).catch(() => undefined);
  };
  const attemptNow = ticketLife({
    clock,
    log,
    registry,
    send: dispatch?.send ?? sendHere,
    secretsOf: deps.secretsOf,
    loadedSecrets,
    holds: (progress) => fanOut.holds(progress),
    maySend,
    failedByUs: () => measured.failedByUs(),
    dropped(ticket) {
      underWay.end(ticket);
      dispatch?.written([ticket.deliveryId]);
    },
    finish,
  });
  const dispatcher = new Dispatcher({
    attempt: attemptNow,
    isOpening: ({ openedAt }) => openedAt !== null && Math.abs(clock.now() - openedAt) < OPENING_MS,
    putOff,
    maySend,
    sendsSince: (accountId) => fanOut.sendsSince(accountId),
    slots: () => dispatch?.slots ?? config.WEBHOOK_WORKER_IN_FLIGHT,
    ownSlots: config.WEBHOOK_WORKER_IN_FLIGHT,
    maxPerEndpoint: () => Math.ceil((dispatch?.slots ?? config.WEBHOOK_WORKER_IN_FLIGHT) / ENDPOINT_SHARE),
    maxQueued: config.WEBHOOK_MEMORY_BACKLOG,
  });
  const submit = (ticket: Ticket): void => {
    underWay.begin(ticket);
    if (mayGo(ticket)) dispatcher.submit(ticket);
    else putOff(ticket);
  };
  const recorder: Recorder = new Recorder({
    insert: (results) => fanOut.write(results).then(() => ended(results)),
    update: (results) => updateResults(db, nodeId, results).then(() => ended(results)),
    share,
    written() {
      if (fanOut.isWaiting) wake.fanOut();
      if (claims.isWaiting && dispatcher.room > 0) wake.claims();
    },
    log,
  });
  const fanOut: FanOut = new FanOut({
    db,
    clock,
    log,
    nodeId,
    registry,
    submit,
    partitions: Number(config.FANOUT_PARTITIONS),
    openSource: (part) => events.openSource(READER, part),
    underWay: (part) => underWay.of(part),
    loadSecrets: deps.loadSecrets,
    touch: () => recorder.touch(),
    passed: () => recorder.passed(),
    isCongested: () => recorder.backlog > MAX_UNWRITTEN || dispatcher.freshQueued > MAX_FRESH,
    onAcquired(part) {
      const isOfPart = (accountId: string): boolean => hasSlot(part, slotOf(accountId));
      book.forgetFailing((id) => isOfPart(registry.get(id)?.accountId ?? ''));
      attempts.warm();
      // The one before may have left some.
      claims.expect();
      wake.claims();
    },
    onLost: forgetQueued,
  });
  const claims: Claims = new Claims({
    db,
    log,
    clock,
    nodeId,
    hold: () => fanOut.hold(),
    holding: () => fanOut.holding,
    parts: () => fanOut.parts,
    registry,
    submit,
    onFault: () => measured.failedByUs(),
    timeoutMs: config.WEBHOOK_TIMEOUT_SECONDS * 1000,
    loadSecrets: deps.loadSecrets,
    room: () => dispatcher.room,
    busyEndpoints: () => dispatcher.busyEndpoints(),
    isBusy: (endpointId) => dispatcher.isBusy(endpointId),
    claimLimits: () => dispatcher.claimLimits(),
  });
  /** Those that can be signed for. One whose secrets left memory again to make room has some. */
  const signable = async (accountIds: readonly string[]): Promise<ReadonlySet<string>> => {
    await deps.loadSecrets(accountIds);
    return new Set(accountIds.filter((id) => deps.secretsOf(id)?.length !== 0));
  };
  /** Those whose headers this process can open. What it knows of one that it cannot may be old: nothing else is done for it, so nothing else asks. */
  const readable = async (endpointIds: readonly string[]): Promise<ReadonlySet<string>> => {
    const isSealed = (id: string): boolean => registry.get(id)?.isSealed === true;
    if (endpointIds.some(isSealed)) await registry.refresh();
    return new Set(endpointIds.filter((id) => !isSealed(id)));
  };
  const pace = new ClaimPace(() => recorder.inserted);
  const upkeep = new Upkeep({
    db,
    clock,
    signable,
    readable,
    slots: () => slotsOf(fanOut.parts),
    wakeClaims: deps.announceDue,
  });
  const wake = {
    fanOut: (): void => undefined,
    claims: (): void => undefined,
    upkeep: (): void => undefined,
    lifecycle: (): void => undefined,
  };
  const keepHealth = async (): Promise<boolean> => {
    await book.flush(clock.now());
    await removeCounts(db, new Date((await leastTime()) - KEEP_COUNTS_MS));
    return false;
  };
  events.onAppended(() => wake.fanOut());
  const engine: Engine = {
    loops: [
      {
        name: 'webhook-fan-out',
        everyMs: FAN_OUT_EVERY_MS,
        attach: (fn) => (wake.fanOut = fn),
        async step(polled) {
          if (polled) fanOut.mayHaveMissed();
          return fanOut.step();
        },
      },
      {
        name: 'webhook-claims',
        everyMs: CLAIM_EVERY_MS,
        attach: (fn) => (wake.claims = fn),
        step: (polled) => pace.step(() => claims.step(polled)),
      },
      {
        name: 'webhook-upkeep',
        everyMs: UPKEEP_EVERY_MS,
        attach: (fn) => (wake.upkeep = fn),
        step: () => upkeep.step(),
      },
      {
        name: 'webhook-probes',
        everyMs: LIFECYCLE_EVERY_MS,
        attach: (fn) => (wake.lifecycle = fn),
        step: () => lifecycle.step(),
      },
      { name: 'webhook-health', everyMs: HEALTH_EVERY_MS, step: () => keepHealth() },
      ...(dispatch ? [dispatch.loop] : []),
    ],
    leads,
    wakeClaims: () => wake.claims(),
    wakeUpkeep() {
      wake.upkeep();
      wake.lifecycle();
    },
    async stop(ms) {
      await Promise.all([dispatcher.drain(ms), dispatch?.leave(ms)]);
      dispatch?.abandon();
      await attempts.close();
      const late = setTimeout(() => recorder.abandon(), ms);
      await recorder.drain();
      clearTimeout(late);
      await book.flush(clock.now()).catch((error: unknown) => log.warn({ err: error }, 'counts were not written'));
      await fanOut.release();
      await releaseLeases(db, nodeId);
      // What ends after this is found again by whoever holds the leases next; it must not be tried on a closed database.
      recorder.abandon();
    },
    fanOut,
    claims,
    upkeep,
    lifecycle,
    keepHealth,
    dispatcher,
    dispatch,
    recorder,
  };
  return engine;
}
