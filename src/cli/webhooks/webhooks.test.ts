import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Shell } from '../../../test/helpers/cli.ts';
import { until } from '../../../test/helpers/engine.ts';
import { httpProxy } from '../../../test/helpers/http-proxy.ts';
import { startReceiver } from '../../../test/helpers/receiver.ts';
import { testService } from '../../../test/helpers/service.ts';

const service = await testService();
const operator = new Shell({ POSTHORN_URL: service.url, POSTHORN_KEY: await service.operator() });
const merchant = await service.key(['webhooks:manage']);
const shop = new Shell({ POSTHORN_URL: service.url, POSTHORN_KEY: merchant.key });
const receiver = await startReceiver();

/** An endpoint of the merchant that is there for one test. */
async function endpoint(path: string): Promise<string> {
  return (await shop.json('endpoints', 'create', receiver.url(path), '--events', 'checkout.started')).id;
}
const trigger = (...args: string[]) =>
  operator.json('trigger', 'checkout.started', '--account', merchant.accountId, ...args);
const waitFor = (path: string, count: number) => until(`${count} at ${path}`, () => receiver.at(path).length >= count);

describe('an event on its way', () => {
  test('is triggered, sent, shown, and sent again', async () => {
    const id = await endpoint('/way');
    const triggered = await trigger('--set', 'tradeAmount=12.5', 'data.currency=USD');
    await waitFor('/way', 1);
    const { tradeAmount, currency, tradeSessionId } = JSON.parse(receiver.at('/way')[0]?.body ?? '');
    assert.deepEqual([tradeAmount, currency], [12.5, 'USD']);
    assert.match(tradeSessionId, /^ts_[\w-]{8}$/);

    await until(
      'the outcome is stored',
      async () => (await shop.json('deliveries', 'list', '--trade', tradeSessionId)).data[0]?.status === 'DELIVERED',
    );
    const list = await shop.ok('deliveries', 'list', '--endpoint', id, '--status', 'DELIVERED', '--since', '1h');
    const delivery = /^([0-9a-f-]{36}) {2}DELIVERED {2}checkout\.started {2}1 +– +– +\d{4}-.*$/m.exec(list)?.[1] ?? '';
    const shown = await shop.ok('deliveries', 'show', delivery);
    assert.match(shown, /^status +DELIVERED$/m);
    assert.match(shown, /^1 +\d{4}-\S+ \S+ UTC +\d+ ms +200/m);
    assert.match(shown, /^x-service-signature: t=\d+,v1=[0-9a-f]{64}$/im);
    assert.match(shown, /^\{"event":"checkout\.started",.*\}$/m);

    const again = await shop.ok('deliveries', 'replay', delivery);
    assert.match(again, /^checkout\.started is to be sent again: posthorn deliveries show [0-9a-f-]{36}\n$/);
    await waitFor('/way', 2);
    const replay = /[0-9a-f-]{36}/.exec(again)?.[0] ?? '';
    await until('its end is told', async () => (await shop.json('deliveries', 'show', replay)).status === 'DELIVERED');
    assert.match(
      await shop.ok('deliveries', 'show', delivery),
      new RegExp(`^replayed +\\d{4}-\\S+ \\S+ UTC as ${replay}, DELIVERED$`, 'm'),
    );
    assert.doesNotMatch(await shop.ok('deliveries', 'show', replay), /^replayed/m);

    const event = await operator.ok('events', 'show', triggered.id);
    assert.match(event, /^event +checkout\.started$/m);
    assert.match(event, new RegExp(`^${id} +checkout\\.started +DELIVERED `, 'm'));
    const ofEvent = await shop.json('deliveries', 'list', '--event-id', triggered.id);
    assert.deepEqual(
      ofEvent.data.map((one: { id: string }) => one.id),
      [replay, delivery],
    );
    const mistyped = await shop.run('deliveries', 'list', '--event-id', 'checkout.started');
    assert.deepEqual([mistyped.code, mistyped.err.includes('--event-id: must be a UUID')], [1, true], mistyped.err);
    assert.match(
      await operator.ok('events', 'list', '--trade', tradeSessionId),
      new RegExp(`^${triggered.id} .*tradeSessionId=${tradeSessionId}$`, 'm'),
    );
  });

  test('an endpoint is shown, tested, paused, resumed and deleted', async () => {
    const id = await endpoint('/life');
    assert.match(await shop.ok('endpoints', 'list'), new RegExp(`^${id} +ACTIVE +1 .*/life$`, 'm'));
    assert.match(await shop.ok('endpoints', 'test', id), /^checkout\.started is to be sent: posthorn deliveries show /);
    await waitFor('/life', 1);
    assert.equal(await shop.ok('endpoints', 'pause', id), `Endpoint ${id} is paused.\n`);
    assert.match(await shop.ok('endpoints', 'show', id), /^status +PAUSED/m);
    assert.equal(await shop.ok('endpoints', 'resume', id), `Endpoint ${id} is active.\n`);
    const asked = await shop.run('endpoints', 'delete', id);
    assert.deepEqual([asked.code, /needs --yes/.test(asked.err)], [2, true]);
    assert.equal(await shop.ok('endpoints', 'delete', id, '--yes'), `Endpoint ${id} is deleted.\n`);
    const gone = await shop.run('endpoints', 'show', id);
    assert.equal(gone.code, 1);
    assert.match(gone.err, new RegExp(`^posthorn: NOT_FOUND: There is no endpoint ${id}: .* \\[request \\S+\\]\n$`));
  });

  test('what a receiver answered is shown whole, and where a redirect leads', async () => {
    const id = await endpoint('/moved');
    const body = `<h1>Moved</h1>\n\u001b[2J${'line\n'.repeat(50)}`;
    receiver.script = () => ({ status: 308, headers: { location: '/moved/' }, body });
    await shop.ok('endpoints', 'test', id);
    let delivery = '';
    await until('the answer is stored', async () => {
      const { data } = await shop.json('deliveries', 'list', '--endpoint', id, '--error', 'HTTP_3XX');
      delivery = data[0]?.id ?? '';
      return delivery !== '';
    });
    const shown = await shop.ok('deliveries', 'show', delivery);
    const why = `HTTP_3XX: redirects to ${receiver.url('/moved/')}, and redirects are not followed`;
    assert.match(shown, new RegExp(`^ANSWER OF ATTEMPT 1\nHTTP 308\n${RegExp.escape(why)}\n`, 'm'));
    assert.match(shown, /^location: \/moved\/$/m);
    assert.match(shown, /^<h1>Moved<\/h1>\n\?\[2Jline\n(line\n){38}… \(12 more lines: --json\)\n$/m);
    receiver.script = () => 200;
  });

  test('what is held for an endpoint that is open says what it waits for', async () => {
    let refused = /^$/;
    const owner = await service.key(['webhooks:manage']);
    const own = new Shell({ POSTHORN_URL: service.url, POSTHORN_KEY: owner.key });
    const { id } = await own.json('endpoints', 'create', receiver.url('/unsigned'));
    const { data } = await operator.json('keys', 'list', '--account', owner.accountId);
    await operator.ok('keys', 'revoke', data[0].id, '--yes');
    await operator.json('trigger', 'checkout.started', '--account', owner.accountId);
    const list = async () => (await operator.json('deliveries', 'list', '--endpoint', id)).data;
    await until('it is held', async () => (await list())[0]?.errorClass === 'NO_SIGNING_SECRET');
    const key = `posthorn keys create signing --scope webhooks:manage --account ${owner.accountId}`;
    const why = `^held because +the account has no key that can be used to sign: ${key}$`;
    const delivery = (await list())[0].id;
    assert.match(await operator.ok('deliveries', 'show', delivery), new RegExp(why, 'm'));
    assert.match(await operator.ok('endpoints', 'show', id), new RegExp(why, 'm'));
    assert.match(
      await operator.ok('endpoints', 'test', id),
      /^listing\.created is to be sent: /,
      'it is promised nothing',
    );
    // What is known is shown also where the rest cannot be asked for.
    const error = { code: 'FORBIDDEN', message: 'No.', requestId: 'refused-1' };
    const proxy = await httpProxy(service.url, async ({ path }, pass) =>
      refused.test(path) ? { status: 403, text: JSON.stringify({ error }) } : pass(),
    );
    for (const [pattern, args] of [
      [/^\/v1\/webhooks\/endpoints\//, ['deliveries', 'show', delivery]],
      [/^\/v1\/webhooks\/deliveries\?/, ['endpoints', 'show', id]],
    ] as const) {
      refused = pattern;
      const shown = await operator.ok(...args, '--url', proxy);
      assert.match(shown, new RegExp(`^id +${args[2]}$`, 'm'));
      assert.doesNotMatch(shown, /^held because/m);
    }
    // One obstacle beside another.
    await operator.ok('endpoints', 'pause', id);
    const both = `^held because +the endpoint is PAUSED, paused by its owner: posthorn endpoints resume ${id}; the account has no key .*: ${key}$`;
    assert.match(await operator.ok('deliveries', 'show', delivery), new RegExp(both, 'm'));
    await service.key(['webhooks:manage'], owner.accountId);
    const one = `^held because +the endpoint is PAUSED, paused by its owner: posthorn endpoints resume ${id}$`;
    assert.match(await operator.ok('deliveries', 'show', delivery), new RegExp(one, 'm'));
  });

  test('one that is disabled is not said to be active when its resume only tries it', async () => {
    const [before] = (await shop.json('events', 'list')).data.slice(-1);
    const id = await endpoint('/gone');
    receiver.script = () => 410;
    await trigger();
    const status = async (): Promise<string> => (await shop.json('endpoints', 'show', id)).status;
    await until('it is disabled', async () => (await status()) === 'DISABLED');
    await until('one is held', async () => (await shop.json('endpoints', 'show', id)).health.held === 1);
    const held = (await shop.json('deliveries', 'list', '--endpoint', id)).data[0].id;
    const why = `the endpoint is DISABLED, the receiver answered 410 Gone: posthorn endpoints resume ${id}`;
    assert.match(await shop.ok('deliveries', 'show', held), new RegExp(`^held because +${why}$`, 'm'));
    const again = await shop.ok('events', 'resend', before.id, '--endpoint', id);
    assert.match(again, /^checkout\.started is held while the endpoint is DISABLED: posthorn deliveries show /);
    assert.equal(
      await shop.ok('endpoints', 'resume', id),
      `Endpoint ${id} is disabled, and is tried with one held delivery: it is open once that has arrived.\n`,
    );
    await until('it was tried', () => receiver.at('/gone').length === 2);
    receiver.script = () => 200;
    await until('and is open', async () => {
      await shop.ok('endpoints', 'resume', id);
      return (await status()) === 'ACTIVE';
    });
    assert.equal(await shop.ok('endpoints', 'resume', id), `Endpoint ${id} is active.\n`);
  });

  test('an event of before an endpoint was there is sent to it afterwards', async () => {
    const { id: event } = await trigger();
    const id = await endpoint('/later');
    await until('the fan-out has passed the event', async () => {
      const said = await shop.run('events', 'resend', event, '--endpoint', id);
      if (said.code !== 0)
        assert.match(said.err, /^posthorn: INVALID_STATE: The event is about to be sent, or its first/);
      else assert.match(said.out, /^checkout\.started is to be sent: posthorn deliveries show [0-9a-f-]{36}\n$/);
      return said.code === 0;
    });
    await waitFor('/later', 1);
    const other = await shop.run('events', 'resend', event, '--endpoint', id, '--webhook', 'trade.completed');
    assert.deepEqual([other.code, /^posthorn: INVALID_STATE: .*does not cause/.test(other.err)], [1, true]);
    const nowhere = await shop.run('events', 'resend', event);
    assert.deepEqual([nowhere.code, /--endpoint/.test(nowhere.err)], [2, true]);

    // Each of its two requests has an id in it, and each is called as it was typed.
    for (const [args, name] of [
      [[event, '--endpoint', 'abc'], '--endpoint'],
      [['abc', '--endpoint', id], '<id>'],
      [[event, '--endpoint', id, '--webhook', 'x'.repeat(101)], '--webhook'],
    ] as const) {
      const { code, err } = await shop.run('events', 'resend', ...args);
      assert.deepEqual([code, err.startsWith(`posthorn: VALIDATION_ERROR: ${name}: `)], [1, true], err);
      assert.doesNotMatch(err, /body|path\./);
    }
    const listening = await shop.run('listen', '--endpoint', 'abc');
    assert.match(listening.err, /^posthorn: VALIDATION_ERROR: --endpoint: must be a UUID\. \[request \S+\]\n$/);
  });

  test('an account of the other kind gets an endpoint of its kind', async () => {
    const business = await service.key(['webhooks:manage'], await service.account('BUSINESS'));
    const shell = new Shell({ POSTHORN_URL: service.url, POSTHORN_KEY: business.key });
    const { id, events } = await shell.json('endpoints', 'create', receiver.url('/space'));
    assert.ok(events.includes('space_booking.created'));
    assert.equal((await shell.json('endpoints', 'show', id)).kind, 'BUSINESS');
    assert.equal((await shell.json('endpoints', 'list')).data.length, 1);
  });

  test('all that a filter finds are replayed, as a job', async () => {
    const id = await endpoint('/again');
    await trigger();
    await trigger();
    const delivered = ['--status', 'DELIVERED', '--endpoint', id];
    await until('both arrived', async () => (await shop.json('deliveries', 'list', ...delivered)).data.length === 2);
    const filter = ['deliveries', 'replay', ...delivered];
    assert.equal(await shop.ok(...filter, '--dry-run'), '2 deliveries fit (dry run: nothing is sent).\n');
    assert.equal(receiver.at('/again').length, 2);
    const [{ id: one }] = (await shop.json('deliveries', 'list', ...delivered)).data;
    for (const beside of [
      ['--dry-run'],
      ['--skip-replayed'],
      ['--rate', '1'],
      ['--since', '1h'],
      ['--account', merchant.accountId],
      ['--status', 'DEAD'],
    ]) {
      const refused = await shop.run('deliveries', 'replay', one, ...beside);
      const line = `posthorn: ${beside[0]} beside the id of a delivery: give either the id, or a filter\n`;
      assert.deepEqual([refused.code, refused.out, refused.err], [2, '', line]);
    }
    assert.equal((await shop.json('deliveries', 'list', '--endpoint', id)).data.length, 2, 'nothing is sent');
    const { out, err } = await shop.run(...filter, '--yes', '--json');
    const job = JSON.parse(out);
    assert.deepEqual([job.state, job.done, job.total], ['COMPLETED', 2, 2]);
    assert.equal(err, `Job ${job.id} is running; it goes on when you leave.\n`, 'named while it runs');
    await waitFor('/again', 4);
    assert.match(await shop.ok('deliveries', 'jobs', 'list'), new RegExp(`^${job.id} +REPLAY +COMPLETED +2 +2 `, 'm'));
    assert.match(await shop.ok('deliveries', 'jobs', 'show', job.id), /^done +2 of 2$/m);
    assert.equal(
      await shop.ok('deliveries', 'replay', '--status', 'DEAD', '--event', 'offer.created', '--yes'),
      '0 deliveries fit; nothing is sent.\n',
    );
    const bare = await shop.run('deliveries', 'replay');
    assert.deepEqual([bare.code, /begins with --status/.test(bare.err)], [2, true]);

    const nowhere = await shop.run('deliveries', 'list', '--endpoint', merchant.accountId);
    const why = `posthorn: there is no endpoint ${merchant.accountId}: see "posthorn endpoints list"\n`;
    assert.deepEqual([nowhere.code, nowhere.out, nowhere.err], [1, '', why]);
    const still = await shop.run('deliveries', 'list', '--endpoint', await endpoint('/still'));
    assert.deepEqual([still.code, still.out, still.err], [0, '', 'No deliveries.\n']);

    // What the service refuses is called as it was typed.
    const none = ['--endpoint', merchant.accountId];
    for (const [args, name] of [
      [['replay', '--status', 'DEAD', ...none, '--yes'], '--endpoint:'],
      [['list', '--endpoint', 'abc'], '--endpoint:'],
      [['show', 'abc'], '<id>:'],
    ] as const) {
      const { code, err } = await shop.run('deliveries', ...args);
      assert.deepEqual([code, err.includes(` ${name} `), /endpointId|path\.|body/.test(err)], [1, true, false], err);
    }
  });
});

describe('names of events', () => {
  test('are listed, and a wrong one is told with the nearest', async () => {
    assert.match(await shop.ok('trigger', '--list'), /^reservation\.failed +merchants +reservation\.expired /m);
    const { code, err } = await operator.run('trigger', 'chekout.started', '--account', merchant.accountId);
    assert.deepEqual(
      [code, err],
      [
        2,
        'posthorn: there is no event chekout.started; did you mean checkout.started? See "posthorn trigger --list".\n',
      ],
    );
    const far = await operator.run('trigger', 'foo', '--account', merchant.accountId);
    assert.equal(far.err, 'posthorn: there is no event foo. See "posthorn trigger --list".\n');
    const nowhere = await operator.run('trigger', 'checkout.started');
    assert.deepEqual([nowhere.code, nowhere.err], [2, 'posthorn: --account is needed\n']);
    const refused = await shop.run('trigger', 'checkout.started', '--account', merchant.accountId);
    assert.deepEqual([refused.code, refused.err.startsWith('posthorn: FORBIDDEN: ')], [4, true]);
    const unfit = await operator.run(
      'trigger',
      'checkout.started',
      '--account',
      merchant.accountId,
      '--set',
      'tradeAmount=much',
    );
    assert.deepEqual([unfit.code, unfit.err.includes('VALIDATION_ERROR: --set tradeAmount: ')], [1, true], unfit.err);
    const several = ['--account', merchant.accountId, merchant.id];
    const second = await operator.run('trigger', 'checkout.started', ...several);
    const named = `posthorn: VALIDATION_ERROR: --account ${merchant.id}: there is no such account. `;
    assert.equal(second.err.startsWith(named), true, second.err);
    const nobody = await operator.run('trigger', 'checkout.started', '--account', merchant.id);
    assert.match(nobody.err, /^posthorn: VALIDATION_ERROR: --account: there is no such account\. \[request \S+\]\n$/);
    assert.equal((await operator.run('trigger', 'checkout.started', '--set', '__proto__.x=1')).code, 2);
  });
});

describe('the audit trail', () => {
  test('grows before one’s eyes', async () => {
    await trigger();
    const tail = operator.start(['events', 'tail', '--event', 'checkout.started', '--count', '2']);
    await tail.printed(/Waiting for events/);
    const [one, two] = [await trigger(), await trigger()];
    const { code, out, err } = await tail.ended();
    assert.deepEqual([code, err], [0, 'Waiting for events; Ctrl-C ends.\n']);
    assert.deepEqual(
      out
        .trim()
        .split('\n')
        .map((line) => line.split(/ {2,}/).slice(1, 3)),
      [one, two].map(({ id }) => ['checkout.started', id]),
    );
    const endless = shop.start(['events', 'tail', '--json']);
    await endless.printed(/Waiting for events/);
    const third = await trigger();
    assert.equal(JSON.parse((await endless.printed(/^\{.*\}$/m))[0]).id, third.id);
    assert.equal((await endless.interrupt()).code, 130);
  });

  test('takes events of a file, in each of its forms, together or not at all', async () => {
    const event = (tradeSessionId: string) => ({
      event: 'checkout.started',
      accountIds: [merchant.accountId],
      data: { tradeSessionId, side: 'INITIATOR', originalPrice: 2, tradeAmount: 1, currency: 'EUR' },
    });
    const write = (name: string, text: string) => writeFileSync(join(operator.home, name), text);
    write('one.json', JSON.stringify(event('ts_one'), null, 2));
    write('more.json', JSON.stringify([event('ts_a'), event('ts_b')]));
    write('lines.ndjson', [event('ts_c'), event('ts_d')].map((e) => JSON.stringify(e)).join('\n'));
    write('wrong.json', JSON.stringify({ events: [event('ts_e'), { ...event('ts_f'), event: 'no.such' }] }));
    write('cut.json', JSON.stringify(event('ts_g')).slice(0, -5));
    assert.match(await operator.ok('events', 'publish', 'one.json'), /^checkout\.started {2}[0-9a-f-]{36}\n$/);
    assert.equal((await operator.json('events', 'publish', 'more.json')).data.length, 2);
    assert.equal((await operator.json('events', 'publish', 'lines.ndjson')).data.length, 2);
    const piped = await operator.start(['events', 'publish', '-', '--json'], JSON.stringify(event('ts_h'))).ended();
    assert.equal(JSON.parse(piped.out).data.length, 1);
    const wrong = await operator.run('events', 'publish', 'wrong.json');
    assert.deepEqual([wrong.code, wrong.err.startsWith('posthorn: VALIDATION_ERROR: ')], [1, true]);
    assert.deepEqual((await operator.json('events', 'list', '--trade', 'ts_e')).data, []);
    const cut = await operator.run('events', 'publish', 'cut.json');
    assert.deepEqual(
      [cut.code, /^posthorn: cannot read cut\.json: .*; nothing was published\n$/.test(cut.err)],
      [1, true],
    );
    for (const [events, line] of [
      ['{}', '"events" is no array in none.json; nothing was published'],
      ['null', '"events" is no array in none.json; nothing was published'],
      ['[]', 'there is no event in none.json'],
    ]) {
      write('none.json', `{"events": ${events}}`);
      const none = await operator.run('events', 'publish', 'none.json');
      assert.deepEqual([none.code, none.out, none.err], [1, '', `posthorn: ${line}\n`]);
    }
    assert.equal((await operator.run('events', 'publish', 'no-file.json')).code, 2);
  });
});
