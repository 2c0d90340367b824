import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { ManualClock, systemClock } from '../../lib/clock.ts';
import { Shell } from '../../../test/helpers/cli.ts';
import { DeadLetters, type Seed } from '../../../test/helpers/dead-letters.ts';
import { TestNode } from '../../../test/helpers/engine.ts';
import { testService } from '../../../test/helpers/service.ts';

const service = await testService();
const operator = new Shell({ POSTHORN_URL: service.url, POSTHORN_KEY: await service.operator() });
const node = new TestNode(service, new ManualClock(systemClock.now()));
const letters = new DeadLetters(node);

interface Owner {
  accountId: string;
  shell: Shell;
}

async function owner(type: 'MERCHANT' | 'BUSINESS' = 'MERCHANT'): Promise<Owner> {
  const { accountId, key } = await service.key(['webhooks:manage'], await service.account(type));
  return { accountId, shell: new Shell({ POSTHORN_URL: service.url, POSTHORN_KEY: key }) };
}

const merchant = await owner();
const shop = merchant.shell;

/** A paused endpoint: what is held for it stays so. */
async function paused({ shell }: Owner = merchant): Promise<string> {
  const { id } = await shell.json('endpoints', 'create', 'http://127.0.0.1:9/hooks');
  await shell.ok('endpoints', 'pause', id);
  return id;
}

/** Deliveries that have ended, or wait, for one test. */
const seed = (endpointId: string, { accountId }: Owner = merchant, more: Seed = {}): Promise<string[]> =>
  letters.seed({ tenant: { id: accountId, key: '', keyId: '', secret: '' }, endpoint: { id: endpointId } }, more);

const WHY = ['--reason', 'Entered by hand.'];

describe('deliveries dead', () => {
  test('tells how many there are of each cause, and what was said last', async () => {
    const own = await owner();
    const endpoint = await paused(own);
    assert.deepEqual(await own.shell.run('deliveries', 'dead'), { code: 0, out: '', err: 'No dead letters.\n' });
    await seed(endpoint, own, { count: 3, age: 7_200_000 });
    const [newest] = await seed(endpoint, own, { webhook: 'trade.created' });
    await seed(endpoint, own, { errorClass: 'HTTP_5XX', count: 2 });
    const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC`;
    const [titles, ...rows] = (await own.shell.ok('deliveries', 'dead')).trimEnd().split('\n');
    assert.equal(titles?.replaceAll(/ +/g, ' '), 'ENDPOINT ERROR COUNT REPLAYED OLDEST NEWEST SAID');
    assert.equal(rows.length, 2);
    assert.match(rows[0] ?? '', new RegExp(`^${endpoint} +HTTP_5XX +2 +0 +${time} +${time} +said HTTP_5XX$`));
    assert.match(rows[1] ?? '', new RegExp(`^${endpoint} +TIMEOUT +4 +0 +${time} +${time} +said TIMEOUT$`));

    const { data, hasMore } = await own.shell.json('deliveries', 'dead', '--error', 'TIMEOUT', '--since', '1h');
    assert.deepEqual([data.length, data[0].count, data[0].newest.deliveryId, hasMore], [1, 1, newest, false]);
    const none = await own.shell.run('deliveries', 'dead', '--error', 'HTTP_404');
    assert.match(none.err, /--error: must be one of BLOCKED_TARGET, .*HTTP_410/);
    assert.equal(none.code, 1);
    const first = await own.shell.run('deliveries', 'dead', '--limit', '1');
    assert.deepEqual([first.out.split('\n').length, first.err.startsWith('There are more: ')], [3, true]);
  });

  test('says where nothing can be sent any more', async () => {
    const own = await owner();
    const [there, gone] = [await paused(own), await paused(own)];
    for (const id of [there, gone]) await seed(id, own);
    await own.shell.ok('endpoints', 'delete', gone, '--yes');
    const list = await own.shell.ok('deliveries', 'dead');
    assert.match(list, new RegExp(`^${there} {2,}TIMEOUT +1 `, 'm'));
    assert.match(list, new RegExp(`^${gone} \\(deleted\\)  TIMEOUT +1 `, 'm'));
    const none = await own.shell.ok('deliveries', 'replay', '--status', 'DEAD', '--endpoint', gone);
    assert.match(none, /^0 deliveries fit; /);
  });

  test('marks what was replayed, of many among the newest', async () => {
    const own = await owner();
    const endpoint = await paused(own);
    const [id = ''] = await seed(endpoint, own);
    // Of no test, which knows of no replay.
    await sql`update webhook_deliveries set event_position = 0 where id = ${id}`.execute(node.db);
    const row = async (...args: string[]): Promise<string> =>
      (await own.shell.ok('deliveries', ...args)).split('\n').find((line) => line.includes('TIMEOUT')) ?? '';
    const single = new RegExp(`^${id} +DEAD +offer.created +5 +TIMEOUT +`);
    const grouped = new RegExp(`^${endpoint} +TIMEOUT +`);
    assert.match((await row('list', '--status', 'DEAD')).replace(single, ''), /^– +\d/);
    assert.match((await row('dead')).replace(grouped, ''), /^1 +0 +\d/);
    await own.shell.ok('deliveries', 'replay', id);
    assert.match((await row('list', '--status', 'DEAD')).replace(single, ''), /^PENDING +\d/);
    assert.match((await row('dead')).replace(grouped, ''), /^1 +1 +\d/);
    await seed(endpoint, own, { count: 110, age: 10_000 });
    assert.match((await row('dead')).replace(grouped, ''), /^111 +0, of 25 looked at +\d/);
  });

  test('says so where not all were counted', async () => {
    const own = await owner();
    const endpoint = await paused(own);
    for (const age of [60_000, 70_000, 80_000]) await seed(endpoint, own, { count: 3500, age });
    assert.match(await own.shell.ok('deliveries', 'dead'), new RegExp(`^${endpoint} +TIMEOUT +10000 or more +`, 'm'));
  });

  test('is of an account or all for operators, and of nobody else', async () => {
    const business = await owner('BUSINESS');
    const endpoint = await paused(business);
    await seed(endpoint, business, { webhook: 'space_booking.created' });
    const found = async (shell: Shell, ...args: string[]): Promise<string[]> =>
      (await shell.json('deliveries', 'dead', ...args)).data.map((g: { endpointId: string }) => g.endpointId);
    assert.deepEqual(await found(business.shell), [endpoint]);
    assert.deepEqual(await found(operator, '--account', business.accountId), [endpoint]);
    assert.deepEqual(await found(operator, '--endpoint', endpoint), [endpoint]);
    assert.deepEqual(await found(shop, '--endpoint', endpoint), []);
    assert.deepEqual(await found(business.shell, '--event', 'space_booking.cancelled'), []);
    const wrong = await shop.run('deliveries', 'dead', '--status', 'DEAD');
    assert.deepEqual([wrong.code, /unknown option '--status'/.test(wrong.err)], [2, true]);
  });
});

describe('deliveries discard', () => {
  test('ends one, with its reason', async () => {
    const endpoint = await paused();
    const [dead = ''] = await seed(endpoint);
    const [held = ''] = await seed(endpoint, merchant, { status: 'HELD' });
    const said = `offer.created is discarded: posthorn deliveries show ${dead}\n`;
    assert.equal(await shop.ok('deliveries', 'discard', dead, ...WHY), said);
    assert.match(await shop.ok('deliveries', 'show', dead), /^status +DISCARDED, BY_REQUEST, Entered by hand\.$/m);
    const { id, status } = await shop.json('deliveries', 'discard', held, ...WHY);
    assert.deepEqual([id, status], [held, 'DISCARDED']);
    const again = await shop.run('deliveries', 'discard', held, ...WHY);
    assert.deepEqual([again.code, again.err.startsWith('posthorn: INVALID_STATE: ')], [1, true]);
  });

  test('ends all that a filter finds, as a job', async () => {
    const endpoint = await paused();
    await seed(endpoint, merchant, { count: 3 });
    const [other = ''] = await seed(endpoint, merchant, { errorClass: 'HTTP_5XX' });
    const filter = ['deliveries', 'discard', '--status', 'DEAD', '--endpoint', endpoint, '--error', 'TIMEOUT', ...WHY];
    const dry = await shop.ok(...filter, '--dry-run');
    assert.equal(dry, '3 deliveries fit (dry run: nothing is discarded).\n');
    const asked = await shop.run(...filter);
    assert.deepEqual(
      [asked.code, asked.err],
      [2, 'posthorn: Discard 3 deliveries needs --yes where there is no terminal to ask on\n'],
    );
    assert.equal((await shop.json(...filter, '--dry-run')).count, 3, 'all are still there');
    const { out, err } = await shop.run(...filter, '--yes', '--json');
    const job = JSON.parse(out);
    assert.deepEqual([job.kind, job.state, job.done, job.total], ['DISCARD', 'COMPLETED', 3, 3]);
    assert.equal(err, `Job ${job.id} is running; it goes on when you leave.\n`);
    const left = await shop.json('deliveries', 'list', '--endpoint', endpoint, '--status', 'DEAD');
    assert.deepEqual(
      left.data.map(({ id }: { id: string }) => id),
      [other],
    );
    assert.equal(await shop.ok(...filter, '--yes'), '0 deliveries fit; nothing is discarded.\n');
  });

  test('need not be waited for, by operators of an account or a business either', async () => {
    const business = await owner('BUSINESS');
    const endpoint = await paused(business);
    await seed(endpoint, business, { status: 'HELD', webhook: 'space_booking.created' });
    const of = ['--account', business.accountId, '--status', 'HELD', ...WHY];
    const job = await operator.json('deliveries', 'discard', ...of, '--detach', '--yes');
    assert.deepEqual([job.kind, job.total], ['DISCARD', 1]);
    assert.match(await business.shell.ok('deliveries', 'jobs', 'list'), new RegExp(`^${job.id} +DISCARD `, 'm'));
    const others = await shop.run('deliveries', 'discard', '--status', 'HELD', '--endpoint', endpoint, ...WHY, '--yes');
    assert.equal(others.code, 1, 'nobody else’s');
    assert.match(others.err, / --endpoint: is not an endpoint of this account/);
  });

  test('refuses a wrong command line, and ends nothing', async () => {
    const [dead = ''] = await seed(await paused());
    const refused = async (line: RegExp, ...args: string[]): Promise<void> => {
      const { code, out, err } = await shop.run('deliveries', 'discard', ...args);
      assert.deepEqual([code, out], [2, ''], err);
      assert.match(err, line);
    };
    await refused(/^error: required option '--reason <text>' not specified$/m, dead);
    await refused(/^posthorn: --reason is empty$/m, dead, '--reason', ' ');
    const beside = 'beside the id of a delivery: give either the id, or a filter';
    await refused(
      new RegExp(`^posthorn: --status, --dry-run ${beside}\n$`),
      dead,
      ...WHY,
      '--dry-run',
      '--status',
      'DEAD',
    );
    await refused(/begins with --status\n$/, ...WHY);
    await refused(/Allowed choices are DEAD, HELD, PENDING\./, ...WHY, '--status', 'DELIVERED');
    assert.equal((await shop.json('deliveries', 'show', dead)).status, 'DEAD');
  });
});
