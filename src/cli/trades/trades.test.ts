import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { Shell } from '../../../test/helpers/cli.ts';
import { withDatabase } from '../../../test/helpers/database.ts';
import { startNode } from '../../../test/helpers/engine.ts';
import { Trading } from '../../../test/helpers/trading.ts';

const node = await startNode({ database: await withDatabase(), loops: true });
const t = await Trading.open(node);
const shellOf = (key: string): Shell => new Shell({ POSTHORN_URL: node.service.url, POSTHORN_KEY: key });
const [operator, left] = [shellOf(t.platform.key), shellOf(t.left.key)];

let id = '';
before(async () => {
  id = await t.open();
  await t.accept(id);
  await t.refused('INVALID_STATE', t.left, 'fulfillment.started', id, 'INITIATOR');
  await t.report(t.left, 'payment.completed', id, 'INITIATOR');
  await t.settle();
});

describe('trades', () => {
  test('are listed with how far each side is, by status and offer', async () => {
    const other = await t.open();
    const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC`;
    const all = await operator.ok('trades', 'list');
    assert.match(all, /^TRADE +STATUS +REASON +INITIATOR +COUNTERPARTY +ENDS UNLESS PAID +CREATED\n/);
    assert.match(all, new RegExp(`^${id}  HOLD +–  +paid +to pay +${time} +${time}$`, 'm'));
    assert.match(all, new RegExp(`^${other}  CREATED +–  +– +– `, 'm'));
    const held = await operator.json('trades', 'list', '--status', 'HOLD', '--account', t.left.id);
    assert.deepEqual(
      [held.data.map((trade: { tradeSessionId: string }) => trade.tradeSessionId), held.hasMore],
      [[id], false],
    );
    const { offerId } = await operator.json('trades', 'show', other);
    assert.match(await operator.ok('trades', 'list', '--offer', offerId), new RegExp(`^TRADE .*\n${other} .*\n$`));
    const { createdAt } = await operator.json('trades', 'show', other);
    const listed = async (...args: string[]): Promise<string[]> =>
      (await operator.json('trades', 'list', ...args)).data.map(
        (trade: { tradeSessionId: string }) => trade.tradeSessionId,
      );
    assert.deepEqual([await listed('--since', createdAt), await listed('--until', createdAt)], [[other], [id]]);
    const none = await operator.run('trades', 'list', '--status', 'COMPLETED');
    assert.deepEqual([none.code, none.out, none.err], [0, '', 'No trades.\n']);
    const wrong = await operator.run('trades', 'list', '--status', 'PAID');
    assert.deepEqual([wrong.code, /Allowed choices are CREATED, ACCEPTED, /.test(wrong.err)], [2, true]);
  });

  test('are shown with their sides, what is reserved, and all that happened', async () => {
    const shown = await operator.ok('trades', 'show', id);
    assert.match(shown, new RegExp(`^trade +${id}\noffer +off_\\d+\nstatus +HOLD\nends unless paid +\\d{4}-`));
    assert.match(shown, new RegExp(`^INITIATOR +${t.left.id}  usr_ines +29.9 EUR  paid +\\d{4}-.* 1 × lst_lamp$`, 'm'));
    assert.match(shown, new RegExp(`^COUNTERPARTY +${t.right.id}  usr_tomas +0 EUR +to pay +– .* 1 × lst_chair$`, 'm'));
    assert.match(shown, new RegExp(`^COUNTERPARTY +${t.right.id}  RESERVED +1 × lst_chair$`, 'm'));
    const [refused, paid] = [
      'fulfillment.started +(\\S+)  INITIATOR, REFUSED, The trade is CHECKOUT, the fulfillment of INITIATOR not open.',
      'payment.completed +(\\S+)  INITIATOR, ACCEPTED',
    ].map((told) => new RegExp(`^\\d{4}-.* UTC  report +${told}$`, 'm').exec(shown)?.[1] ?? assert.fail(shown));
    assert.match(shown, new RegExp(`  step +now HOLD +${paid}  by payment.completed$`, 'm'));
    assert.match(shown, /  event +checkout\.completed +[0-9a-f-]{36} /);
    assert.match(shown, /  notification  usr_tomas told .* The other side of your trade has completed its checkout/);
    const delivery = new RegExp(
      `  delivery +trade.counterparty_hold_started +(\\S+)  DELIVERED, to ${t.left.id}$`,
      'm',
    );
    for (const [command, of] of [
      ['inbound', refused],
      ['deliveries', delivery.exec(shown)?.[1]],
    ])
      assert.match(await operator.ok(command ?? '', 'show', of ?? ''), /^event +/m);
    assert.deepEqual(await operator.json('trades', 'show', id), await t.show(id));
  });

  test('a merchant sees its own side, and no trade of others', async () => {
    const shown = await left.ok('trades', 'show', id);
    assert.match(shown, new RegExp(`^COUNTERPARTY +${t.right.id}  usr_tomas  0 EUR +–  +– `, 'm'));
    assert.doesNotMatch(shown, /  step |  notification /);
    const other = await Trading.open(node);
    const stranger = await shellOf(other.left.key).run('trades', 'show', id);
    assert.deepEqual([stranger.code, stranger.err.startsWith('posthorn: NOT_FOUND: ')], [1, true]);
  });

  test('are cancelled by operators, once, and not without being asked', async () => {
    const ending = await t.open();
    await t.accept(ending);
    await t.report(t.left, 'payment.completed', ending, 'INITIATOR');
    const asked = await operator.run('trades', 'cancel', ending);
    assert.deepEqual([asked.code, /needs --yes where/.test(asked.err)], [2, true]);
    assert.equal((await left.run('trades', 'cancel', ending, '--yes')).code, 4);
    const said = await operator.ok('trades', 'cancel', ending, '--yes');
    assert.equal(said, `Trade ${ending} is cancelled; both sides are told.\n`);
    const shown = await operator.ok('trades', 'show', ending);
    assert.match(shown, /^status +CANCELLED, OPERATOR_CANCELLED$/m);
    assert.match(shown, /^INITIATOR .* paid, refund due +\d{4}-/m);
    const again = await operator.run('trades', 'cancel', ending, '--yes');
    assert.deepEqual([again.code, again.err.startsWith('posthorn: INVALID_STATE: The trade is CANCELLED')], [1, true]);
  });
});

describe('what merchants reported', () => {
  test('is listed with its verdict, and why it was refused', async () => {
    const list = await left.ok('inbound', 'list', '--trade', id);
    assert.match(list, new RegExp(`  ACCEPTED  payment.completed +INITIATOR  ${id}  –\n`));
    const why = 'INVALID_STATE: The trade is CHECKOUT, the fulfillment of INITIATOR not open.';
    assert.match(list, new RegExp(`  REFUSED +fulfillment.started  INITIATOR  ${id}  ${why}\n$`));
    const refused = await operator.json(
      'inbound',
      'list',
      '--verdict',
      'REFUSED',
      '--account',
      t.left.id,
      '--trade',
      id,
    );
    const [report] = refused.data;
    assert.deepEqual([refused.data.length, report.event], [1, 'fulfillment.started']);
    const events = async (...args: string[]): Promise<string[]> =>
      (await left.json('inbound', 'list', '--trade', id, ...args)).data.map((one: { event: string }) => one.event);
    assert.deepEqual(await events('--event', 'payment.completed'), ['payment.completed']);
    assert.deepEqual(await events('--until', report.receivedAt), []);
    assert.ok((await events('--since', report.receivedAt)).includes('fulfillment.started'));
    const unknown = await left.run('inbound', 'list', '--event', 'fulfilled');
    assert.deepEqual([unknown.code, /Allowed choices are payment\.completed, /.test(unknown.err)], [2, true]);
    const shown = await left.ok('inbound', 'show', report.id);
    assert.match(
      shown,
      new RegExp(`^verdict +REFUSED\nwhy +${why}\nrepeats +–\nmore like it +–\nfrom +${t.left.id}$`, 'm'),
    );
    assert.match(
      shown,
      new RegExp(`\n\n\\{"event":"fulfillment.started","tradeSessionId":"${id}","side":"INITIATOR"\\}\n$`),
    );
    assert.equal((await shellOf(t.right.key).run('inbound', 'show', report.id)).code, 1, 'of another merchant');
  });

  test('is shown with what it caused, or repeats', async () => {
    await t.send(t.left, { event: 'payment.completed', tradeSessionId: id, side: 'INITIATOR' });
    const [repeated] = (await left.json('inbound', 'list', '--verdict', 'REPEATED')).data;
    const first = await left.json('inbound', 'show', repeated.repeats);
    assert.match(await left.ok('inbound', 'show', repeated.id), new RegExp(`^repeats +${first.id}$`, 'm'));
    assert.match(await left.ok('inbound', 'show', first.id), new RegExp(`^caused +${first.eventIds[0]}$`, 'm'));
  });

  test('that was no report at all reaches no terminal as it came', async () => {
    await t.send(t.left, `\u001b[2J{\n${'line\n'.repeat(50)}`);
    const [last] = (await left.json('inbound', 'list', '--limit', '1')).data;
    const shown = await left.ok('inbound', 'show', last.id);
    assert.match(shown, /^event +–\ntrade +–\nside +–\nverdict +REFUSED\nwhy +VALIDATION_ERROR: /m);
    assert.match(shown, /\n\n\?\[2J\{\n(line\n){39}… \(12 more lines: --json\)\n$/);
  });
});
