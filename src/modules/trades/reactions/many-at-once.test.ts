import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { onlyPostgres, withDatabase } from '../../../../test/helpers/database.ts';
import { startNode, type TestNode, until } from '../../../../test/helpers/engine.ts';
import { EVENTS, type InternalEvent } from '../../../contracts/events/index.ts';
import { systemClock } from '../../../lib/clock.ts';
import { inTransaction } from '../../../platform/db/index.ts';
import { createPublish, createPublishAll, type LoggedEvent, type Reaction } from '../../events/index.ts';
import { openTrade } from '../lifecycle/decide.ts';
import { insertTrades } from '../lifecycle/save-store.ts';
import { lockTrade } from '../lifecycle/trade-store.ts';
import { tradeReactions } from './reactions.ts';

const publishAll = createPublishAll(() => undefined);
const publish = createPublish(() => undefined);
const times = { holdMs: 1e9, reservationMs: 1e6 };
const latestTime = async (): Promise<number> => systemClock.now();
const reactions = tradeReactions({ publishAll, times, latestTime });
const reactionTo = (event: InternalEvent): Reaction =>
  reactions.find(({ events }) => events.includes(event)) as Reaction;

describe('a portion of events at once', async () => {
  const database = await withDatabase();
  let node: TestNode;
  before(async () => {
    node = await startNode({ database });
  });

  const log = (event: InternalEvent, data: object): Promise<LoggedEvent> =>
    inTransaction(node.db, (trx) => publish(trx, event, data as never, { accountIds: [] }, node.env));
  const offer = (offerId: string) => ({ ...EVENTS['offer.accepted'].example, offerId });
  const sessionOf = async (offerId: string): Promise<string> => {
    const { rows } = await sql<{ id: string }>`select id from trade_sessions where offer_id = ${offerId}`.execute(
      node.db,
    );
    return rows[0]?.id ?? 'none';
  };
  /** Hands events to the reaction that reads them, in portions of these sizes; a size of 1 is an event by itself. */
  async function handle(events: readonly LoggedEvent[], sizes: readonly number[]): Promise<void> {
    for (let i = 0, n = 0; i < events.length; n++) {
      const size = sizes[n % sizes.length] as number;
      const portion = events.slice(i, i + size);
      const [first] = portion as [LoggedEvent];
      const { react, reactToAll } = reactionTo(first.event);
      await inTransaction(node.db, (trx) =>
        size === 1 || !reactToAll
          ? react(trx, first, { ...node.env, requestId: first.requestId })
          : reactToAll(trx, portion, node.env),
      );
      i += size;
    }
  }

  /** All that is kept of the trades of a run, without the ids that differ from run to run. */
  async function story(run: string): Promise<unknown> {
    const names = new Map<string, string>();
    const own = await sql<{ id: string; offer: string }>`
      select id, offer_id as offer from trade_sessions where offer_id like ${`${run}-%`}`.execute(node.db);
    for (const { id, offer: of } of own.rows) names.set(id, id.startsWith(run) ? id : `session of ${of}`);
    const named = (text: string): string => {
      let plain = text;
      for (const [id, name] of names) plain = plain.replaceAll(id, name);
      return plain.replaceAll(`${run}-`, '');
    };
    const ids = [...names.keys()];
    const rowsOf = async (query: ReturnType<typeof sql<{ text: string }>>): Promise<string[]> =>
      (await query.execute(node.db)).rows.map(({ text }) => named(text)).toSorted((a, b) => (a < b ? -1 : 1));
    return {
      sessions: await rowsOf(sql`
        select concat_ws(' ', t.id, offer_id, status, due_at is not null, due_event_id = cause.id, s.side, s.checkout_status, s.trade_amount,
          s.items::text, (select string_agg(r.status || r.items::text, ',') from trade_reservations r where r.trade_session_id = t.id and r.side = s.side),
          (select string_agg(a.account_id::text, ',' order by a.account_id) from trade_accounts a where a.number = t.number)) as text
        from trade_sessions t join trade_sides s on s.trade_session_id = t.id
          left join events cause on cause.id = t.due_event_id where t.id = any(${ids}::text[])`),
      steps: await rowsOf(sql`
        select concat_ws(' ', trade_session_id, cause, status, refused) as text from trade_steps where trade_session_id = any(${ids}::text[])`),
      events: await rowsOf(sql`
        select concat_ws(' ', e.event, e.trade_session_id, e.account_ids, e.request_id, cause.event) as text from events e
        left join events cause on cause.id = e.caused_by
        where e.trade_session_id = any(${ids}::text[]) and e.event not in ('offer.accepted', 'trade.accepted')`),
    };
  }

  const which = fc.integer({ min: 0, max: 3 });
  const acceptance = fc.record({
    offer: which,
    session: fc.constantFrom('own', 'own', 'own', 'foreign', 'other'),
    stranger: fc.integer({ min: 0, max: 5 }),
  });
  const portions = fc.array(fc.integer({ min: 2, max: 8 }), { minLength: 1, maxLength: 3 });
  let runs = 0;

  test('leaves what they leave one by one: repeated, refused, taken over, and whatever the portions', async () => {
    const offers = fc.array(which, { minLength: 1, maxLength: 6 });
    const acceptances = fc.array(acceptance, { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(offers, acceptances, portions, async (opened, accepted, sizes) => {
        const play = async (how: readonly number[]): Promise<unknown> => {
          const run = `run${++runs}`;
          const made: LoggedEvent[] = [];
          for (const n of opened) made.push(await log('offer.accepted', offer(`${run}-${n}`)));
          await handle(made, how);
          const told: LoggedEvent[] = [];
          for (const { offer: n, session, stranger } of accepted) {
            const own = session === 'own' ? await sessionOf(`${run}-${n}`) : 'none';
            const tradeSessionId = own === 'none' ? `${run}-${session}-${n}` : own;
            const terms = offer(`${run}-${n}`);
            const initiator = stranger === 0 ? { ...terms.initiator, userId: 'usr_stranger' } : terms.initiator;
            told.push(await log('trade.accepted', { ...terms, initiator, tradeSessionId }));
          }
          await handle(told, how);
          const after = await story(run);
          // The log read again does nothing twice.
          await handle([...made], sizes);
          await handle([...told], sizes);
          assert.deepEqual(await story(run), after);
          return after;
        };
        assert.deepEqual(await play(sizes), await play([1]));
      }),
      { numRuns: 30 },
    );
  });

  test(
    'waits for none that waits for it, when each is about an offer and a trade of the other',
    onlyPostgres,
    async () => {
      for (const [given, known] of [
        ['dead-new', 'dead-known'],
        [node.env.newId(), node.env.newId()],
      ] as const) {
        await handle([await log('offer.accepted', offer(known))], [1]);
        const tradeSessionId = await sessionOf(known);
        const accepted = [
          await log('trade.accepted', { ...offer(known), tradeSessionId }),
          await log('trade.accepted', { ...offer(given.toUpperCase()), tradeSessionId: `${given}-foreign` }),
        ];
        const waiting = async (): Promise<boolean> =>
          (
            await sql`select from pg_locks where not granted
            and pid in (select pid from pg_stat_activity where datname = current_database())`.execute(node.db)
          ).rows.length > 0;
        let done: Promise<unknown> = Promise.resolve();
        await inTransaction(node.db, async (trx) => {
          const { trade } = openTrade(node.env.newId(), offer(given.toUpperCase()));
          await insertTrades(trx, [trade], node.env.now);
          done = handle(accepted, [2]);
          done.catch(() => undefined);
          await until('checkout creation waits for the offer', waiting);
          assert.ok(await lockTrade(trx, tradeSessionId));
        });
        await done;
        const { rows } = await sql<{ status: string }>`
        select status from trade_sessions where id = ${tradeSessionId} or offer_id = ${given.toUpperCase()}
        order by number`.execute(node.db);
        assert.deepEqual(
          rows.map(({ status }) => status),
          ['CHECKOUT', 'CREATED'],
        );
      }
    },
  );

  test('costs some ten statements, however many trades it is of', async () => {
    const counted: { n: number } = { n: 0 };
    const db = node.db.withPlugin({
      transformQuery: ({ node: query }) => (counted.n++, query),
      transformResult: ({ result }) => Promise.resolve(result),
    });
    const made: LoggedEvent[] = [];
    for (let i = 0; i < 50; i++) made.push(await log('offer.accepted', offer(`cost-${i}`)));
    await inTransaction(db, async (trx) => reactionTo('offer.accepted').reactToAll?.(trx, made, node.env));
    assert.ok(counted.n <= 4, `${counted.n} statements for 50 sessions`);
    const told: LoggedEvent[] = [];
    for (let i = 0; i < 50; i++) {
      const tradeSessionId = await sessionOf(`cost-${i}`);
      told.push(await log('trade.accepted', { ...offer(`cost-${i}`), tradeSessionId }));
    }
    counted.n = 0;
    await inTransaction(db, async (trx) => reactionTo('trade.accepted').reactToAll?.(trx, told, node.env));
    assert.ok(counted.n <= 8, `${counted.n} statements for 50 pairs of checkouts`);
    const { rows } = await sql<{ n: number }>`
      select count(*)::integer as n from trade_sessions where offer_id like 'cost-%' and status = 'CHECKOUT'`.execute(
      node.db,
    );
    assert.equal(rows[0]?.n, 50);
  });
});
