import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Shell } from '../../../test/helpers/cli.ts';
import { until } from '../../../test/helpers/engine.ts';
import { startReceiver } from '../../../test/helpers/receiver.ts';
import { testService } from '../../../test/helpers/service.ts';

const service = await testService();
const operator = new Shell({ POSTHORN_URL: service.url, POSTHORN_KEY: await service.operator() });
const merchant = await service.key(['webhooks:manage']);
const shop = new Shell({ POSTHORN_URL: service.url, POSTHORN_KEY: merchant.key });
const receiver = await startReceiver();

const create = (path: string, ...args: string[]) => shop.json('endpoints', 'create', receiver.url(path), ...args);
const update = (id: string, ...args: string[]) => shop.json('endpoints', 'update', id, ...args);

/** The headers of the next request to a path. */
async function sentTo(id: string, path: string): Promise<Readonly<Record<string, string>>> {
  const before = receiver.at(path).length;
  await shop.ok('endpoints', 'test', id, '--event', 'checkout.started');
  await until(`one is at ${path}`, () => receiver.at(path).length > before);
  return receiver.at(path).at(-1)?.headers ?? {};
}

describe('endpoints update', () => {
  test('changes what is given, and says what it is now', async () => {
    const { id } = await create('/before', '--events', 'checkout.started', '--headers', 'X-Shop: 7');
    const said = await shop.ok(
      'endpoints',
      'update',
      id,
      receiver.url('/after'),
      '--rate',
      '20',
      '--description',
      'Till',
    );
    assert.match(said, /^url +http:\S+\/after$/m);
    assert.match(said, /^events +checkout\.started$/m);
    assert.match(said, /^description +Till$/m);
    assert.match(said, /^own headers +X-Shop$/m);
    assert.match(said, /^at once +as many as the service allows$/m);
    assert.match(said, /^per second +20$/m);
    const kept = await sentTo(id, '/after');
    assert.equal(kept['x-shop'], '7');

    const more = await update(id, '--events', 'trade.created', 'trade.completed', '--max-in-flight', '3');
    assert.deepEqual(
      [more.events, more.allEvents, more.maxInFlight, more.ratePerSecond],
      [['trade.created', 'trade.completed'], false, 3, 20],
    );
    const other = await update(id, '--headers', 'X-Till: a:b', 'X-Token: t', '--all-events');
    assert.deepEqual([other.headerNames, other.allEvents], [['X-Till', 'X-Token'], true]);
    const { 'x-till': till, 'x-token': token, 'x-shop': former } = await sentTo(id, '/after');
    assert.deepEqual([till, token, former], ['a:b', 't', undefined]);
  });

  test('takes away what there is', async () => {
    const all = ['--description', 'Till', '--headers', 'X-Shop: 7', '--max-in-flight', '3', '--rate', '20'];
    const { id, headerNames } = await create('/bare', ...all);
    assert.deepEqual(headerNames, ['X-Shop']);
    const bare = await update(id, '--no-description', '--no-headers', '--no-max-in-flight', '--no-rate');
    assert.deepEqual(
      [bare.description, bare.headerNames, bare.maxInFlight, bare.ratePerSecond, bare.url],
      ['', [], null, null, receiver.url('/bare')],
    );
    assert.equal((await sentTo(id, '/bare'))['x-shop'], undefined);
  });

  test('serves businesses, and operators', async () => {
    const business = await service.key(['webhooks:manage'], await service.account('BUSINESS'));
    const shell = new Shell({ POSTHORN_URL: service.url, POSTHORN_KEY: business.key });
    const { id } = await shell.json('endpoints', 'create', receiver.url('/space'), '--headers', 'X-Space: 1');
    const changed = await shell.json('endpoints', 'update', id, '--events', 'space_booking.created');
    assert.deepEqual([changed.events, changed.headerNames], [['space_booking.created'], ['X-Space']]);
    assert.equal((await operator.json('endpoints', 'update', id, '--rate', '5')).ratePerSecond, 5);
    const { code, err } = await shop.run('endpoints', 'update', id, '--rate', '6');
    assert.deepEqual([code, err.startsWith('posthorn: NOT_FOUND: ')], [1, true]);
  });

  test('refuses a wrong command line, and changes nothing', async () => {
    const { id } = await create('/same', '--rate', '9');
    const refused = async (line: RegExp, ...args: string[]): Promise<void> => {
      const { code, out, err } = await shop.run('endpoints', 'update', id, ...args);
      assert.deepEqual([code, out], [2, ''], err);
      assert.match(err, line);
    };
    await refused(/^posthorn: nothing to change: give the new url behind the id, --events, /);
    await refused(/'--all-events' cannot be used with option '--events/, '--events', 'trade.created', '--all-events');
    await refused(/^posthorn: <url> is empty\n$/, '', '--rate', '5');
    await refused(/'--rate <n>' argument '0' is invalid/, '--rate', '0');
    for (const header of ['secret', 'Authorization Bearer secret:'])
      await refused(
        /^posthorn: a header of --headers is a name and a value, such as "X-Shop: 7"\n$/,
        '--headers',
        header,
      );
    await refused(/^posthorn: the header x-a is given twice\n$/, '--headers', 'X-A: 1', 'x-a: 2');
    await refused(/^posthorn: the header X-Token is empty\n$/, '--headers', 'X-Token: ');
    await refused(/^posthorn: the header X-A is given twice\n$/, '--headers', 'X-A: 1', 'X-A: 2');
    const { code, err } = await shop.run('endpoints', 'update', id, '--headers', 'Host: x', '--rate', '5');
    assert.deepEqual([code, /^posthorn: VALIDATION_ERROR: .*headers\.Host/.test(err)], [1, true], err);
    const { ratePerSecond, headerNames } = await shop.json('endpoints', 'show', id);
    assert.deepEqual([ratePerSecond, headerNames], [9, []]);
  });
});

test('a header without a value is no new endpoint', async () => {
  const { code, err } = await shop.run('endpoints', 'create', receiver.url('/none'), '--headers', 'X-Token');
  assert.deepEqual([code, err], [2, 'posthorn: a header of --headers is a name and a value, such as "X-Shop: 7"\n']);
  assert.ok(!(await shop.ok('endpoints', 'list')).includes('/none'));
});
