import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { startNode } from '../../../../test/helpers/engine.ts';
import { Trading } from '../../../../test/helpers/trading.ts';

test('an acceptance that cannot be handled is set aside alone, and those of its portion are done once', async () => {
  const node = await startNode({ database: await withDatabase(), loops: true });
  const t = await Trading.open(node);
  const ids: string[] = [];
  for (let i = 0; i < 4; i++) ids.push(await t.open());
  const accepted = [];
  for (const id of ids) {
    const { offerId, initiator, counterparty, currency } = await t.show(id);
    const side = ({ checkout: _c, fulfillment: _f, ...terms }: Record<string, unknown>) => terms;
    const data = {
      tradeSessionId: id,
      offerId,
      initiator: side(initiator),
      counterparty: side(counterparty),
      currency,
    };
    accepted.push({ event: 'trade.accepted', data, accountIds: [t.left.id, t.right.id] });
  }
  const [, broken] = ids as [string, string];
  const { rows: sides } = await sql<object>`
    delete from trade_sides where trade_session_id = ${broken} returning *`.execute(node.db);
  assert.equal(sides.length, 2);
  const { data } = await node.ok(202, 'POST', '/v1/events', { key: t.platform.key, body: { events: accepted } });
  for (const id of ids) if (id !== broken) await t.reaches(id, 'CHECKOUT');
  await t.settle();
  const { rows: failed } = await sql<{ reader: string; event_id: string }>`
    select reader, event_id from event_failures`.execute(node.db);
  assert.deepEqual(failed, [{ reader: 'checkout-creation', event_id: data[1].id }]);
  const { rows: told } = await sql<{ trade: string; n: number }>`
    select trade_session_id as trade, count(*)::integer as n from events where event = 'checkout.started' group by 1`.execute(
    node.db,
  );
  assert.deepEqual(
    told.map(({ trade, n }) => `${trade} ${n}`).toSorted((a, b) => (a < b ? -1 : 1)),
    ids.filter((id) => id !== broken).map((id) => `${id} 2`),
  );
});
