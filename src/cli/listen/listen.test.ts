import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { webhooks } from '../../../client/src/index.ts';
import { type Running, Shell } from '../../../test/helpers/cli.ts';
import { httpProxy } from '../../../test/helpers/http-proxy.ts';
import { until } from '../../../test/helpers/engine.ts';
import { startReceiver } from '../../../test/helpers/receiver.ts';
import { PASSWORD, testService } from '../../../test/helpers/service.ts';

const service = await testService();
const { url } = service;
const operator = new Shell({ POSTHORN_URL: url, POSTHORN_KEY: await service.operator() });
const accountId = await service.account();
const receiver = await startReceiver();

const fileOf = (shell: Shell): string => join(shell.home, 'posthorn', 'credentials.json');

/** A member of accounts, signed in with a file to keep things in. */
async function member(...accounts: string[]): Promise<Shell> {
  const { id: userId, email } = await service.user();
  const client = await service.operatorClient();
  for (const id of accounts) await client.addMember({ id, userId });
  const shell = new Shell();
  await shell.start(['login', '--url', url, '--email', email, '--password-stdin'], PASSWORD).ended();
  return shell;
}
const shop = await member(accountId);

async function trigger(...args: string[]): Promise<string> {
  return (await operator.json('trigger', 'checkout.started', '--account', accountId, ...args)).id;
}
const endpoints = async (): Promise<unknown[]> =>
  (await operator.json('endpoints', 'list', '--account', accountId)).data;

const validKeys = async (id: string): Promise<{ id: string }[]> =>
  (await operator.json('keys', 'list', '--account', id, '--all')).data.filter(
    (key: { name: string; revokedAt: string | null }) =>
      key.revokedAt === null && key.name.startsWith('posthorn listen'),
  );

/** Stands before the service, and keeps back the answer to a POST there until it is released. */
async function holdingBack(path: RegExp): Promise<{ proxy: string; isHeld: Promise<void>; release: () => void }> {
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const proxy = await httpProxy(url, async (request, pass) => {
    const reply = await pass();
    if (request.method === 'POST' && path.test(request.path)) {
      held.resolve();
      await released.promise;
    }
    return reply;
  });
  return { proxy, isHeld: held.promise, release: released.resolve };
}

async function listening(shell: Shell, ...args: string[]): Promise<Running> {
  const running = shell.start(['listen', ...args]);
  await running.printed(/^Ready: /m);
  return running;
}
const secretOf = async (running: Running): Promise<string> =>
  (await running.printed(/^Signing secret: (whsec_\S+)$/m))[1] as string;

describe('posthorn listen', () => {
  test('whoever reads its output may have enough, or close the terminal: nothing is left behind', async () => {
    const piped = await listening(shop);
    piped.child.stdout?.destroy();
    for (let i = 0; i < 2; i++) await trigger();
    assert.equal((await piped.ended()).code, 0);
    assert.deepEqual(await endpoints(), []);
    const closed = await listening(shop);
    closed.child.kill('SIGHUP');
    assert.equal((await closed.ended()).code, 143);
    assert.deepEqual(await endpoints(), []);
  });

  test('has webhooks on this machine, verified, as they are; and leaves nothing behind', async () => {
    const running = await listening(shop, '--forward-to', receiver.url('/all'), '--count', '2');
    const secret = await secretOf(running);
    assert.equal((await endpoints()).length, 1);
    const [one, two] = [await trigger(), await trigger('--set', 'currency=USD')];
    const { code, out } = await running.ended();
    assert.equal(code, 0);
    const lines = out.trim().split('\n');
    assert.equal(lines.length, 2);
    for (const [i, id] of [one, two].entries())
      assert.match(
        lines[i] ?? '',
        new RegExp(`^\\d\\d:\\d\\d:\\d\\d {2}checkout\\.started +${id} {2}verified {2}-> 200 {2}\\d+ ms$`),
      );
    const received = receiver.at('/all');
    assert.equal(received.length, 2);
    for (const [i, { headers, body }] of received.entries()) {
      const event = await webhooks.verify(body, headers['x-service-signature'], secret);
      assert.equal(event.event, 'checkout.started');
      assert.equal(headers['x-service-event-id'], [one, two][i]);
      assert.equal(headers['content-type'], 'application/json');
      assert.ok(headers['webhook-signature']?.startsWith('v1,'));
    }
    assert.deepEqual(await endpoints(), []);
    const deliveries = await operator.json('deliveries', 'list', '--account', accountId, '--all');
    assert.ok(
      deliveries.data.every((d: { status: string }) => d.status === 'DISCARDED'),
      'nothing is sent anywhere else',
    );
  });

  test('has one secret for an account, which is kept, shown, and made anew when its key is revoked', async () => {
    const secret = await shop.ok('listen', '--print-secret');
    assert.match(secret, /^whsec_\S{44}\n$/);
    assert.equal(await shop.ok('listen', '--print-secret'), secret);
    const file = JSON.parse(readFileSync(fileOf(shop), 'utf8'));
    const { keyId, signingSecret } = file.profiles.default.listening[accountId];
    assert.equal(`${signingSecret}\n`, secret);
    await operator.ok('keys', 'revoke', keyId, '--yes');
    const other = await shop.ok('listen', '--print-secret');
    assert.notEqual(other, secret);
    // Without a place to keep it, it is gone at the end.
    const before = (await operator.json('keys', 'list', '--account', accountId, '--all')).data.length;
    const running = await listening(operator, '--account', accountId);
    assert.notEqual(`${await secretOf(running)}\n`, other);
    await running.interrupt();
    const { data } = await operator.json('keys', 'list', '--account', accountId, '--all');
    assert.equal(data.length, before + 1);
    assert.equal(data.filter((k: { revokedAt: string | null }) => k.revokedAt === null).length, 1);
  });

  test('prints no secret that would be gone at once: without a profile there is no place to keep it', async () => {
    const before = (await validKeys(accountId)).length;
    const { code, out, err } = await operator.run('listen', '--print-secret', '--account', accountId);
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, /^posthorn: --print-secret needs a place to keep the secret in: .*"posthorn login".*\n$/);
    assert.equal((await validKeys(accountId)).length, before);
  });

  test('several at once agree on one secret for each account, and lose none', async () => {
    const accounts = [await service.account(), await service.account()];
    const shell = await member(...accounts);
    const printed = await Promise.all(
      [0, 1, 0, 1].map((i) => shell.ok('listen', '--print-secret', '--account', accounts[i] as string)),
    );
    const { listening: kept } = JSON.parse(readFileSync(fileOf(shell), 'utf8')).profiles.default;
    for (const [i, id] of accounts.entries()) {
      assert.deepEqual(
        printed.filter((_, n) => n % 2 === i),
        Array(2).fill(`${kept[id].signingSecret}\n`),
      );
      assert.deepEqual(
        (await validKeys(id)).map((key) => key.id),
        [kept[id].keyId],
      );
    }
  });

  test('signing out revokes its keys; one that cannot be revoked is named', async () => {
    const [own, foreign] = [await service.account(), await service.account()];
    const shell = await member(own, foreign);
    for (const id of [own, foreign]) await shell.ok('listen', '--print-secret', '--account', id);
    const [left] = await validKeys(foreign);
    const { id: userId } = (await shell.json('whoami')).user;
    await (await service.operatorClient()).removeMember({ id: foreign, userId });
    const { code, out, err } = await shell.run('logout');
    assert.deepEqual([code, out], [0, `Signed out at ${url}.\n`]);
    assert.deepEqual(await validKeys(own), []);
    assert.match(err, new RegExp(`^Key ${left?.id}, made by "posthorn listen", is not revoked: .*\n$`));
    assert.equal((await validKeys(foreign)).length, 1);
  });

  test('Ctrl-C while its endpoint is being made: it is awaited, and deleted', async () => {
    const { proxy, isHeld, release } = await holdingBack(/\/webhooks\/endpoints(\?|$)/);
    const running = operator.start(['listen', '--account', accountId, '--url', proxy]);
    await isHeld;
    assert.equal((await endpoints()).length, 1, 'it is there, and the program does not know');
    running.child.kill('SIGINT');
    // Only then does the answer arrive.
    setTimeout(release, 200);
    const { code, out } = await running.ended();
    assert.deepEqual([code, out], [130, '']);
    assert.deepEqual(await endpoints(), []);
  });

  for (const [signal, exitCode] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    test(`${signal} ends it, and deletes its endpoint`, async () => {
      const running = await listening(shop, '--json');
      const id = await trigger();
      await running.printed(new RegExp(id));
      running.child.kill(signal);
      const { code, out } = await running.ended();
      assert.equal(code, exitCode);
      const { verified, status, forwardedTo, event } = JSON.parse(out);
      assert.deepEqual([verified, status, forwardedTo, event], [true, null, null, 'checkout.started']);
      assert.deepEqual(await endpoints(), []);
    });
  }

  test('does not forward what the secret does not fit', async () => {
    const wrong = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    const running = await listening(shop, '--forward-to', receiver.url('/wrong'), '--secret', wrong, '--count', '1');
    await trigger();
    const { code, out, err } = await running.ended();
    assert.equal(code, 0);
    assert.match(out, / NOT FORWARDED: no signature fits the body and the secret\n$/);
    assert.ok(!err.includes('whsec_'), 'a secret that was given is not shown');
    assert.deepEqual(receiver.at('/wrong'), []);
  });

  test('with an API key needs its secret, and acts for its account', async () => {
    const { key, signingSecret } = await service.key(['webhooks:manage'], accountId);
    const shell = new Shell({ POSTHORN_URL: url, POSTHORN_KEY: key });
    const without = await shell.run('listen');
    assert.deepEqual(
      [without.code, /^posthorn: with an API key the signing secret .*\n$/.test(without.err)],
      [2, true],
    );
    shell.env.POSTHORN_SIGNING_SECRET = signingSecret;
    const running = await listening(shell, '--count', '1', '--events', 'checkout.started');
    await trigger();
    assert.match((await running.ended()).out, / {2}verified\n$/);
    assert.deepEqual(await endpoints(), []);
  });

  test('reads an endpoint that there is, acknowledges what the receiver took, and says how to read the rest again', async () => {
    const { id } = await operator.json('endpoints', 'create', receiver.url('/push'), '--account', accountId);
    await operator.ok('endpoints', 'pause', id);
    const ids = [await trigger(), await trigger(), await trigger()];
    receiver.script = ({ headers }) => (headers['x-service-event-id'] === ids[1] ? 500 : 204);
    const args = ['listen', '--endpoint', id, '--forward-to', receiver.url('/feed'), '--json'];
    const first = await shop.start([...args, '--from', 'start', '--count', '3']).ended();
    const heard = first.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      heard.map(({ eventId, status }) => [eventId, status]),
      ids.map((eventId, i) => [eventId, i === 1 ? 500 : 204]),
    );
    const [, cursor] = /--cursor (\S+)\n/.exec(first.err) ?? [];
    assert.equal(cursor, heard[0].cursor);
    const held = async () =>
      (await operator.json('deliveries', 'list', '--endpoint', id, '--status', 'HELD')).data
        .map((d: { eventId: string }) => d.eventId)
        .toSorted();
    assert.deepEqual(await held(), ids.slice(1).toSorted());
    const stuck = await shop.start([...args, '--cursor', cursor as string, '--count', '1']).ended();
    assert.equal(/to read it again: (.*)\n/.exec(stuck.err)?.[1], `--cursor ${cursor}`, 'not all of it');
    const again = await shop.start([...args, '--cursor', cursor as string, '--count', '2', '--ack-all']).ended();
    assert.deepEqual([again.code, again.out.trim().split('\n').length], [0, 2]);
    assert.deepEqual(await held(), []);
    assert.equal((await operator.json('endpoints', 'show', id)).status, 'PAUSED', 'it stays as it is');
    await operator.ok('endpoints', 'delete', id, '--yes');
    receiver.script = () => 200;
  });

  test('from now on acknowledges nothing by itself: what was held before is not discarded unread', async () => {
    const { id } = await operator.json('endpoints', 'create', receiver.url('/push'), '--account', accountId);
    await operator.ok('endpoints', 'pause', id);
    const unread = await trigger();
    const args = ['--endpoint', id, '--forward-to', receiver.url('/live'), '--count', '1'];
    const running = await listening(shop, ...args);
    const taken = await trigger();
    const { code, out, err } = await running.ended();
    assert.deepEqual([code, out.includes(`${taken}  verified  -> 200`)], [0, true], out);
    assert.match(err, /^Ready: .*\nNothing is acknowledged: .*--from start.*\n/);
    const held = async () =>
      (await operator.json('deliveries', 'list', '--endpoint', id, '--status', 'HELD')).data.map(
        (d: { eventId: string }) => d.eventId,
      );
    await until('both are held', async () => (await held()).length === 2);
    assert.deepEqual(await held(), [taken, unread]);
    const all = await listening(shop, ...args, '--ack-all');
    await trigger();
    assert.doesNotMatch((await all.ended()).err, /Nothing is acknowledged/);
    await until('none is held', async () => (await held()).length === 0);
    await operator.ok('endpoints', 'delete', id, '--yes');
  });

  test('a receiver that is down is told, and does not end it', async () => {
    const running = await listening(shop, '--forward-to', '1/hook', '--count', '1');
    await trigger();
    const { code, out } = await running.ended();
    assert.deepEqual([code, / {2}verified {2}-> ECONNREFUSED {2}\d+ ms\n$/.test(out)], [0, true], out);
  });

  test('what cannot be begun is told in one line, and leaves nothing', async () => {
    const wrong: [string[], number, RegExp][] = [
      [['--forward-to', 'http://'], 2, /^posthorn: --forward-to: http:\/\/ is not an address\n$/],
      [['--endpoint', '01890000-0000-7000-8000-000000000000'], 1, /^posthorn: NOT_FOUND: .*\n$/],
      [['--events', 'no.such'], 1, /^posthorn: VALIDATION_ERROR: .*\n$/],
      [['--account', 'Nobody'], 1, /^posthorn: there is no account "Nobody": .*\n$/],
      [['--url', 'http://127.0.0.1:1', '--key', 'x'], 3, /^posthorn: cannot reach http:\/\/127\.0\.0\.1:1: .*\n$/],
    ];
    for (const [args, exitCode, message] of wrong) {
      const { code, out, err } = await shop.run('listen', ...args);
      assert.match(err, message);
      assert.deepEqual([code, out], [exitCode, '']);
    }
    assert.deepEqual(await endpoints(), []);
  });
});
