import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monotonicNow } from '../src/lib/clock.ts';
import { newPlace } from './helpers/child.ts';
import { cleanup } from './helpers/cleanup.ts';
import { testDb } from './helpers/database.ts';
import { ServiceProcess } from './helpers/process.ts';
import { TradeRun } from './helpers/trade-run.ts';

/** TRADES=10000 takes some minutes. */
const TRADES = Number(process.env.TRADES ?? (testDb === 'pglite' ? 20 : 40));
/** Parts of the requests after which the service is killed; the second worker, where there is one, after the second. */
const KILLS = [0.1, 0.4, 0.75];

const say = (text: string): void => void process.stdout.write(`trades, kill -9 on ${testDb}: ${text}\n`);

interface Nodes {
  main: ServiceProcess;
  /** A second worker on the same database. */
  second: ServiceProcess | null;
}

async function startNodes(withSecond: boolean): Promise<Nodes> {
  // To merchants nothing is sent here: a thread for it would be a quarter of each start.
  const env = { ...(await newPlace()), WEBHOOK_SENDER_THREADS: '0' };
  const main = new ServiceProcess(env);
  const second = withSecond && testDb === 'postgres' ? new ServiceProcess(env, 'worker') : null;
  cleanup(async () => {
    await main.kill();
    await second?.kill();
  });
  await main.start();
  await second?.start();
  return { main, second };
}

/** Kills the service whenever so much was answered, and the second worker for good, until `ended`. */
async function disturb({ main, second }: Nodes, run: TradeRun, ended: () => boolean): Promise<number> {
  let kills = 0;
  for (const part of KILLS) {
    const at = Math.floor(run.expected * (part + 0.05 * Math.random()));
    while (run.answered < at && !ended()) await new Promise((done) => setTimeout(done, 2));
    if (ended()) break;
    await main.kill();
    kills++;
    if (kills === 2 && second) {
      await second.kill();
      say('the second worker is gone for good');
    }
    say(`killed after ${run.answered} answers`);
    await main.start();
  }
  return kills;
}

async function outcomesOf(disturbed: boolean): Promise<Map<number, object>> {
  const started = monotonicNow();
  const nodes = await startNodes(disturbed);
  const run = new TradeRun(nodes.main, TRADES);
  await run.setUp();
  let ended = false;
  const running = run.run().finally(() => (ended = true));
  if (disturbed) assert.equal(await disturb(nodes, run, () => ended), KILLS.length, 'killed as often as was wanted');
  await running;
  const outcomes = await run.outcomes();
  await nodes.main.stop();
  await nodes.second?.stop();
  say(
    `${TRADES} trades ${disturbed ? 'disturbed' : 'undisturbed'}, ${((monotonicNow() - started) / 1000).toFixed(1)} s`,
  );
  return outcomes;
}

test(`kill -9 while ${TRADES} trades are under way changes no end, event, notification or score`, {
  timeout: TRADES > 1000 ? 3_000_000 : 170_000,
}, async () => {
  const disturbed = await outcomesOf(true);
  const undisturbed = await outcomesOf(false);
  assert.equal(disturbed.size, TRADES);
  let events = 0;
  let notifications = 0;
  for (const [i, outcome] of undisturbed) {
    assert.deepEqual(disturbed.get(i), outcome, `trade ${i}`);
    const { events: told, notifications: notices } = outcome as { events: string[]; notifications: string[] };
    events += told.length;
    notifications += notices.length;
  }
  say(`equal: ${TRADES} ends, ${events} events, ${notifications} notifications, all changes of scores`);
});
