import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../lib/clock.ts';
import { type Api, PlayError } from './api.ts';
import type { Demo } from './demo-file.ts';
import { bookingSteps, listingStep, offerSteps, type Step, tradeSteps } from './scenario.ts';
import { accountOf, type Shown, type Stage } from './stage.ts';

/** What the demo reads of a delivery. */
interface Delivery {
  id: string;
  status: string;
  attempts: number;
  nextAttemptAt: string | null;
}

/** The outcome of an attempt is written in bulk a moment after it. */
const LOOK_EVERY_MS = 50;
const LOOK_TIMES = 200;

export type Say = (line: string) => void;

const clockTime = (at: Date): string =>
  `${at.toTimeString().slice(0, 8)}.${String(at.getMilliseconds()).padStart(3, '0')}`;

const WIDTHS = [12, 34, 7, 10];
const line = (cells: readonly string[]): string =>
  `  ${cells.map((cell, i) => cell.padEnd(WIDTHS[i] ?? 0)).join('  ')}`.trimEnd();
const HEADING = line(['received', 'event', 'attempt', 'signature', 'after publishing']);

/** One line per delivery: when, what, which attempt, whether genuine, how long after publishing. */
export function deliveryLine({ at, event, attempt, fault, afterMs, answered, isReplay }: Shown): string {
  const signature = fault === null ? 'verified ✓' : `REFUSED ✗ ${fault}`;
  const notes = [answered === 200 ? '' : `answered ${answered}`, isReplay ? 'X-Service-Replay: true' : ''].filter(
    Boolean,
  );
  return line([clockTime(at), event, String(attempt), signature, `${afterMs.toFixed(0)} ms`, ...notes]);
}

/** The inputs of a run's events. */
export const scenarioOf = (demo: Demo, run: string) => ({
  run,
  now: new Date(systemClock.now()),
  merchantId: accountOf(demo, 'merchant').id,
  otherMerchantId: accountOf(demo, 'other merchant').id,
  businessId: accountOf(demo, 'business').id,
});

export const newRun = (): string => randomBytes(4).toString('hex');

/** The delivery once its first outcome is on record. Throws PlayError. */
async function recorded(api: Api, key: string, id: string): Promise<Delivery> {
  for (let i = 0; i < LOOK_TIMES; i++) {
    const { data } = await api.call<{ data: Delivery[] }>('GET', '/v1/webhooks/deliveries?limit=100', key);
    const found = data.find((d) => d.id === id);
    if (found && found.attempts > 0) return found;
    await pause(LOOK_EVERY_MS);
  }
  throw new PlayError(`delivery ${id} is not listed by GET /v1/webhooks/deliveries`);
}

interface Play {
  api: Api;
  demo: Demo;
  run: string;
  stage: Stage;
  say: Say;
  /** Between two events, so that a person can follow. Milliseconds. */
  paceMs: number;
}

async function playAll({ stage, paceMs }: Play, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    await stage.play(step);
    if (paceMs > 0) await pause(paceMs);
  }
}

async function playFailure(play: Play): Promise<void> {
  const { stage, say, api } = play;
  const step = listingStep(scenarioOf(play.demo, play.run));
  say('\nThe receiver has a bad moment and answers 500 once:\n');
  await stage.playFailing(step);
  const failed = stage.arrivals.at(-1);
  const delivery = await recorded(api, stage.keyOf('merchant'), failed?.deliveryId ?? '');
  if (delivery.status !== 'PENDING' || delivery.nextAttemptAt === null) {
    throw new PlayError(`the failed delivery should be PENDING, and is ${delivery.status}`);
  }
  const next = new Date(delivery.nextAttemptAt);
  const seconds = Math.round((next.getTime() - systemClock.now()) / 1000);
  say(
    `\n  GET /v1/webhooks/deliveries says: ${delivery.status}, attempt 2 of 5 at ${clockTime(next)} (in ${seconds} s)`,
  );
}

async function playReplay({ stage, say, api }: Play, event: string): Promise<void> {
  const original = stage.arrivals.find((a) => a.event === event)?.deliveryId ?? '';
  const delivery = await recorded(api, stage.keyOf('merchant'), original);
  say(
    `\nSomebody asks for ${event} again (it was ${delivery.status}), with POST /v1/webhooks/deliveries/{id}/replay:\n`,
  );
  const again = await stage.replay(event, original);
  if (!again.isReplay) throw new PlayError(`the replay of ${event} came without X-Service-Replay`);
}

function summary(arrivals: readonly Shown[]): string {
  const genuine = arrivals.filter((a) => a.fault === null).length;
  const times = arrivals
    .filter((a) => !a.isReplay)
    .map((a) => a.afterMs)
    .toSorted((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)] ?? 0;
  return `${arrivals.length} deliveries, ${genuine} with a genuine signature; half of them within ${Math.ceil(median)} ms of publishing.`;
}

/** Plays a whole trade, a booking, a failure and a replay. Throws PlayError when anything is not as it should be. */
export async function playTrade(play: Play): Promise<void> {
  const { stage, say } = play;
  const scenario = scenarioOf(play.demo, play.run);
  await stage.open();
  say(
    `A receiver on ${stage.receiverUrl} verifies each signature. The marketplace publishes with POST /v1/events,\nmerchants report with POST /v1/webhooks/inbound, and the service does the rest:\n`,
  );
  say(`A lamp for a chair, as the lamp’s merchant hears of it\n\n${HEADING}`);
  await playAll(play, offerSteps(scenario));
  const trade = stage.tradeSession();
  await playAll(play, tradeSteps(scenario, trade));
  say('\nA room is booked, as its host hears of it\n');
  await playAll(play, bookingSteps(scenario));
  await playFailure(play);
  await playReplay(play, 'trade.completed');
  say(
    `\nWhat happened to the trade: curl -H "Authorization: Bearer ${stage.keyOf('merchant')}" ${play.api.url}/v1/trades/${trade}`,
  );
  say(`\n${summary(stage.arrivals)}`);
  if (stage.arrivals.some((a) => a.fault !== null)) throw new PlayError('a delivery could not be verified');
}
