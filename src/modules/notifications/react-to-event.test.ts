import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../test/helpers/database.ts';
import { EVENTS, type InternalEvent } from '../../contracts/events/index.ts';
import { ManualClock } from '../../lib/clock.ts';
import { uuidv7 } from '../../lib/ids.ts';
import { type Db, inTransaction } from '../../platform/db/index.ts';
import { createPublish, type LoggedEvent } from '../events/index.ts';
import { NOTIFYING } from './concerned.ts';
import { reactToEvents } from './react-to-event.ts';

const { db } = await withDatabase();
const clock = new ManualClock('2026-03-01T12:00:00Z');
const env = { now: new Date(clock.now()), newId: () => uuidv7(clock.now()), requestId: 'r' };
const deps = { leastTime: async () => clock.now() };
const [ours, theirs] = [env.newId(), env.newId()];

const publish = createPublish(() => undefined);
const published = (event: InternalEvent, more: object, accountIds: string[] = []): Promise<LoggedEvent> => {
  const data = { ...(EVENTS[event].example as object), ...more } as never;
  return inTransaction(db, (trx) => publish(trx, event, data, { accountIds }, env));
};
const trade = (n: number, users: string): object => ({
  tradeSessionId: `trade-${n}`,
  initiator: { ...EVENTS['trade.created'].example.initiator, userId: `${users}-initiator` },
  counterparty: { ...EVENTS['trade.created'].example.counterparty, userId: `${users}-counterparty` },
});

interface Told {
  event_id: string;
  user_id: string;
  text: string;
}
/** What is told by this, which is not kept; in the order of the ids that it was given. */
async function toldBy(react: (trx: Parameters<typeof reactToEvents>[0]) => Promise<void>, on: Db = db) {
  let told: Told[] = [];
  const undone = new Error('undone');
  const done = inTransaction(on, async (trx) => {
    await react(trx);
    const { rows } = await sql<Told>`
      select event_id, user_id, event, offer_id, trade_session_id, text, created_at, read_at
      from notifications order by id`.execute(trx);
    told = rows;
    throw undone;
  });
  await assert.rejects(done, undone);
  return told;
}

test('several events at once tell what one after another tells', async () => {
  const events: LoggedEvent[] = [];
  for (let n = 0; n < 5; n++) {
    // Of the last trade nobody knows the users.
    if (n < 4) await published('trade.created', trade(n, `user${n}`), [ours]);
    // Somebody else's trade of the same id.
    if (n === 2) await published('trade.accepted', trade(n, 'other'), [theirs]);
    for (const event of NOTIFYING)
      events.push(
        await published(
          event,
          'tradeSessionId' in EVENTS[event].example ? { tradeSessionId: `trade-${n}` } : {},
          n === 2 ? [ours] : [],
        ),
      );
  }
  const atOnce = await toldBy((trx) => reactToEvents(trx, events, env, deps));
  const byTurns = await toldBy(async (trx) => {
    for (const event of events) await reactToEvents(trx, [event], env, deps);
  });
  assert.deepEqual(atOnce, byTurns);
  const toldOf = (event: InternalEvent, n: number): string[] => {
    const { id } = events[n * NOTIFYING.length + NOTIFYING.indexOf(event as never)] as LoggedEvent;
    return atOnce.filter((row) => row.event_id === id).map((row) => row.user_id);
  };
  const example = EVENTS['trade.completed'].example;
  assert.deepEqual(toldOf('checkout.failed', 1), [example.initiator.userId, example.counterparty.userId], 'the latest');
  assert.equal(atOnce.length > 100, true);
  const twice = await toldBy(async (trx) => {
    await reactToEvents(trx, events, env, deps);
    await reactToEvents(trx, [...events, ...events], env, deps);
  });
  assert.equal(twice.length, atOnce.length, 'each once');
});

test('a hundred events cost as many statements as one', async () => {
  const events: LoggedEvent[] = [];
  for (let n = 100; n < 200; n++) {
    await published('trade.created', trade(n, `user${n}`));
    events.push(await published('checkout.failed', { tradeSessionId: `trade-${n}` }));
  }
  let statements = 0;
  const counting = db.withPlugin({
    transformQuery: ({ node }) => (statements++, node),
    transformResult: async ({ result }) => result,
  });
  const told = await toldBy((trx) => reactToEvents(trx, events, env, deps), counting);
  assert.equal(told.length, 200);
  assert.equal(statements - 1, 2, 'who they are, and what they are told');
});

test('who a trade is between is found however its UUID was written, and said by the latest that names them', async () => {
  const id = env.newId();
  const written = { small: id, large: id.toUpperCase(), mixed: `${id.slice(0, 19).toUpperCase()}${id.slice(19)}` };
  const told = async (spelling: keyof typeof written): Promise<string[]> => {
    const event = await published('trade.cancelled', { tradeSessionId: written[spelling] }, [ours]);
    return (await toldBy((trx) => reactToEvents(trx, [event], env, deps))).map((row) => row.user_id);
  };
  const named = (event: 'trade.created' | 'trade.accepted', spelling: keyof typeof written, users: string) =>
    published(event, { ...trade(0, users), tradeSessionId: written[spelling] }, [ours]);
  for (const [n, spelling] of (['small', 'large', 'small'] as const).entries()) {
    await named(n === 0 ? 'trade.created' : 'trade.accepted', spelling, `named${n}`);
    for (const other of ['small', 'large', 'mixed'] as const)
      assert.deepEqual(await told(other), [`named${n}-initiator`, `named${n}-counterparty`], `${spelling}, ${other}`);
  }
});
