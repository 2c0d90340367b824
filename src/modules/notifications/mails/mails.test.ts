import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { startNode, type TestNode, until } from '../../../../test/helpers/engine.ts';
import { startSmtpServer } from '../../../../test/helpers/smtp-server.ts';
import { EVENTS } from '../../../contracts/events/index.ts';
import { ManualClock, systemClock } from '../../../lib/clock.ts';
import { uuidv7 } from '../../../lib/ids.ts';
import { inTransaction } from '../../../platform/db/index.ts';
import { createLog } from '../../../platform/log/log.ts';
import type { LoggedEvent } from '../../events/index.ts';
import { reactToEvents } from '../react-to-event.ts';
import { MailRunner, type MailRunnerDeps, OLD_AFTER_MS, WAITS_MS } from './mail-runner.ts';
import { claimMails } from './store.ts';

const database = await withDatabase();
const server = await startSmtpServer();
const clock = new ManualClock(systemClock.now());
const settings = {
  SMTP_URL: server.url,
  SMTP_FROM: 'Shop <no-reply@shop.example>',
  POSTHORN_OIDC_ISSUER: 'https://id.example',
  POSTHORN_OIDC_JWKS_URL: 'https://id.example/keys',
  POSTHORN_OIDC_AUDIENCE: 'posthorn',
};
const node = await startNode({ database, clock, settings });
const { db } = node;
const platform = await node.tenant('PLATFORM');
const mails = node.service.modules.notifications.mails as MailRunner;

type User = { id: string; email: string; token: string };
let count = 0;
async function newUser(): Promise<User> {
  const email = `user${++count}@example.com`;
  const body = { email, name: `User ${count}`, password: 'a long password' };
  const { user, accessToken } = await node.ok(201, 'POST', '/v1/auth/sign-up', { body });
  return { id: user.id, email, token: accessToken };
}

/** An offer to a user, as the reaction sees it. */
const offerTo = (userId: string): LoggedEvent => ({
  id: uuidv7(systemClock.now()),
  event: 'offer.created',
  data: {
    ...EVENTS['offer.created'].example,
    counterparty: { ...EVENTS['offer.created'].example.counterparty, userId },
  },
  position: 0,
  accountIds: [],
  occurredAt: new Date(clock.now()),
  recordedAt: new Date(clock.now()),
  requestId: 'r',
  causedBy: null,
});
async function tell(event: LoggedEvent, now = node.env.now): Promise<void> {
  const deps = { leastTime: async () => clock.now(), mailsQueued: () => undefined };
  await inTransaction(db, (trx) => reactToEvents(trx, [event], { ...node.env, now }, deps));
}
/** All that is due by the clock is attempted, once each. */
async function work(runner: MailRunner = mails): Promise<void> {
  while (await runner.step()) await runner.idle();
  await runner.idle();
}
const to = (user: User) => server.received.filter((mail) => mail.to.includes(user.email));

interface Row {
  attempts: number;
  next_attempt_at: Date | null;
  error: string | null;
}
async function rowsOf(user: User): Promise<Row[]> {
  const { rows } = await sql<Row>`select m.attempts, m.next_attempt_at, m.error from notification_mails m
    join notifications n on n.id = m.notification_id where n.user_id = ${user.id}`.execute(db);
  return rows;
}
const expireLeases = () =>
  sql`update notification_mails set lease_until = now() - interval '1 second' where lease_until is not null`.execute(
    db,
  );
/** A node of its own, as another process on the same database. */
function otherRunner(nodeId: string, more: Partial<MailRunnerDeps> = {}): MailRunner {
  const { log, mailer, leastTime } = node.service.opened.platform;
  assert.ok(mailer);
  const { accounts } = node.service.modules;
  const recipientOf: MailRunnerDeps['recipientOf'] = (on, id) => accounts.mailRecipient(on, id);
  const told = { count: () => undefined, wake: () => undefined };
  return new MailRunner({ db, clock, leastTime, log, nodeId, mailer, recipientOf, ...told, ...more });
}

test('an event that concerns a user is sent once, and read again not at all', async () => {
  const user = await newUser();
  const event = offerTo(user.id);
  await tell(event);
  assert.equal(to(user).length, 0, 'not in the transaction of the reaction');
  await work();
  const [mail, ...more] = to(user);
  assert.ok(mail);
  assert.deepEqual(more, []);
  assert.equal(mail.headers.subject, 'You have a new offer');
  assert.match(mail.text, /^You have a new offer\.\n\nOffer: \S+\n\nYou get this e-mail because /);
  const { data } = await node.ok(200, 'GET', '/v1/notifications', { key: user.token });
  assert.equal(mail.headers['message-id'], `<${data[0].id}@shop.example>`);
  assert.deepEqual(await rowsOf(user), [], 'nothing is left');
  await tell(event);
  await work();
  assert.equal(to(user).length, 1);
});

test('who is not reached by mail: nobody, disabled, without an address, turned off, read already, no news', async () => {
  const [disabled, off, reader, late] = [await newUser(), await newUser(), await newUser(), await newUser()];
  await sql`update users set disabled_at = now() where id = ${disabled.id}`.execute(db);
  assert.deepEqual(await node.ok(200, 'GET', '/v1/notifications/settings', { key: off.token }), { email: true });
  const body = { email: false };
  assert.deepEqual(await node.ok(200, 'PATCH', '/v1/notifications/settings', { key: off.token, body }), body);
  assert.deepEqual(await node.ok(200, 'GET', '/v1/notifications/settings', { key: off.token }), body);
  const nameless = uuidv7(systemClock.now());
  await sql`insert into users (id, name, created_at, updated_at) values (${nameless}, 'Imported', now(), now())`.execute(
    db,
  );
  const before = server.received.length;
  for (const id of [disabled.id, off.id, nameless, 'nobody', reader.id]) await tell(offerTo(id));
  await node.ok(204, 'POST', '/v1/notifications/read', { key: reader.token });
  const old = new Date(clock.now() - 25 * 3600 * 1000);
  await tell({ ...offerTo(late.id), recordedAt: old, occurredAt: old });
  assert.deepEqual(await rowsOf(late), []);
  await work();
  assert.equal(server.received.length, before);
  const { rows } = await sql<{ n: number }>`select count(*)::integer as n from notification_mails`.execute(db);
  assert.equal(rows[0]?.n, 0, 'and none of them waits');
  await node.ok(200, 'PATCH', '/v1/notifications/settings', { key: off.token, body: { email: true } });
  await tell(offerTo(off.id));
  await work();
  assert.equal(to(off).length, 1);
});

test('a user of the identity provider of the settings, by subject', async () => {
  for (const [issuer, email] of [
    ['https://id.example', 'ines@example.com'],
    ['https://before.example', 'somebody.else@example.com'],
  ]) {
    await sql`insert into users (id, name, email, external_issuer, external_subject, created_at, updated_at)
      values (${uuidv7(systemClock.now())}, 'Ines', ${email}, ${issuer}, 'usr_ines', now(), now())`.execute(db);
  }
  await tell(offerTo('usr_ines'));
  await work();
  assert.deepEqual(
    server.received.slice(-1).map((mail) => mail.to),
    [['ines@example.com']],
  );
  assert.ok(!server.received.some((mail) => mail.to.includes('somebody.else@example.com')));
});

test('4xx: tried again after the waits, then given up, for all to see', async () => {
  const user = await newUser();
  server.script = (stage) => (stage === 'RCPT' ? '450 4.2.1 busy' : undefined);
  await tell(offerTo(user.id));
  for (const [i, wait] of WAITS_MS.entries()) {
    await work();
    const [row] = await rowsOf(user);
    assert.deepEqual([row?.attempts, row?.next_attempt_at?.getTime()], [i + 1, clock.now() + wait]);
    clock.advance(wait - 1);
    const before = server.connections;
    await work();
    assert.deepEqual([(await rowsOf(user))[0]?.attempts, server.connections], [i + 1, before], 'not before its time');
    clock.advance(1);
  }
  await work();
  assert.deepEqual(await rowsOf(user), [{ attempts: 6, next_attempt_at: null, error: 'EENVELOPE 450 4.2.1 busy' }]);
  const metrics = await (await fetch(`${node.service.url}/metrics`)).text();
  assert.match(metrics, /posthorn_mails_total\{outcome="failed"\} 5\n/);
  assert.match(metrics, /posthorn_mails_total\{outcome="given_up"\} 1\n/);
  assert.match(metrics, /posthorn_mails_waiting\{state="given_up"\} 1\n/);
  server.script = () => undefined;
  clock.advance(OLD_AFTER_MS);
  await work();
  assert.equal(to(user).length, 0);
});

test('4xx once: it is sent at the next try', async () => {
  const user = await newUser();
  server.script = (stage, line) => (stage === 'RCPT' && line.includes(user.email) ? '451 later' : undefined);
  await tell(offerTo(user.id));
  await work();
  server.script = () => undefined;
  clock.advance(WAITS_MS[0]);
  await work();
  assert.equal(to(user).length, 1);
  assert.deepEqual(await rowsOf(user), []);
});

test('a server that takes none is told in the log, the same once a minute, and that it takes them again', async () => {
  const lines: { level: string; msg: string; error?: string; untold?: number }[] = [];
  const log = createLog('info', { write: (line: string) => lines.push(JSON.parse(line)) });
  let monotonic = 0;
  const runner = otherRunner('telling', { log, monotonic: () => monotonic });
  const users = [await newUser(), await newUser(), await newUser()];
  let answers = 0;
  server.script = (stage) => (stage === 'MAIL' ? `451 4.3.0 come back later (${++answers})` : undefined);
  for (const user of users) await tell(offerTo(user.id));
  const work = async (): Promise<void> => {
    while (await runner.step());
    await runner.idle();
  };
  await work();
  monotonic += 60_000;
  clock.advance(WAITS_MS[0]);
  await work();
  server.script = () => undefined;
  clock.advance(WAITS_MS[1]);
  await work();
  for (const user of users) assert.equal(to(user).length, 1);
  assert.deepEqual(
    lines.map(({ level, msg, error = '', untold }) => [level, msg, error.replace(/\d\)$/, ''), untold]),
    [
      ['warn', 'a mail could not be sent; it is tried again', 'EENVELOPE 451 4.3.0 come back later (', undefined],
      ['warn', 'a mail could not be sent; it is tried again', 'EENVELOPE 451 4.3.0 come back later (', 2],
      ['info', 'mails are sent again', '', undefined],
    ],
  );
});

test('a full mailbox among good ones is not told of in the log; a server that takes no recipient is', async () => {
  const lines: { level: string; msg: string; notificationId?: string }[] = [];
  const log = createLog('info', { write: (line: string) => lines.push(JSON.parse(line)) });
  const runner = otherRunner('quiet', { log, monotonic: () => 0 });
  const [full, ...good] = [await newUser(), await newUser(), await newUser(), await newUser()];
  server.script = (stage, line) => (stage === 'RCPT' && line.includes(full.email) ? '452 4.2.2 full' : undefined);
  await tell(offerTo(full.id));
  for (const [i, user] of good.entries()) {
    await tell(offerTo(user.id));
    await work(runner);
    clock.advance(WAITS_MS[i] ?? 0);
  }
  await work(runner);
  assert.equal((await rowsOf(full))[0]?.attempts, 4);
  for (const user of good) assert.equal(to(user).length, 1);
  for (let n = 0; n < 3; n++) await tell(offerTo(full.id));
  await work(runner);
  assert.deepEqual(lines, [], 'nobody else waits');
  server.script = (stage) => (stage === 'RCPT' ? '451 4.3.0 lookup failed' : undefined);
  for (const user of good) await tell(offerTo(user.id));
  await work(runner);
  server.script = () => undefined;
  clock.advance(WAITS_MS[4]);
  await work(runner);
  assert.deepEqual(
    lines.map(({ level, msg }) => [level, msg]),
    [
      ['warn', 'a mail could not be sent; it is tried again'],
      ['info', 'mails are sent again'],
    ],
  );
});

test('5xx: given up at once; others are sent', async () => {
  const [gone, other] = [await newUser(), await newUser()];
  server.script = (stage, line) =>
    stage === 'RCPT' && line.includes(gone.email) ? '550 5.1.1 no such user' : undefined;
  await tell(offerTo(gone.id));
  await tell(offerTo(other.id));
  await work();
  server.script = () => undefined;
  assert.deepEqual(await rowsOf(gone), [
    { attempts: 1, next_attempt_at: null, error: 'EENVELOPE 550 5.1.1 no such user' },
  ]);
  assert.equal(to(other).length, 1);
});

test('a dead server: nothing is lost, and what waited too long is not sent', async () => {
  const [user, late] = [await newUser(), await newUser()];
  await server.close();
  await tell(offerTo(user.id));
  await work();
  assert.match((await rowsOf(user))[0]?.error ?? '', /ECONNREFUSED|ESOCKET|ECONNECTION/);
  await server.listen();
  clock.advance(WAITS_MS[0]);
  await work();
  assert.equal(to(user).length, 1);
  await tell(offerTo(late.id));
  clock.advance(OLD_AFTER_MS + 1);
  await work();
  assert.deepEqual(await rowsOf(late).then(([row]) => [row?.next_attempt_at, row?.error]), [null, 'EXPIRED']);
});

test('a node whose clock is ahead gives no mail up that is young by the database', async () => {
  const user = await newUser();
  await tell(offerTo(user.id));
  const ahead = { now: () => clock.now() + 10 * OLD_AFTER_MS };
  const runner = otherRunner('ahead', { clock: ahead, leastTime: async () => clock.now() });
  await runner.step();
  await runner.idle();
  assert.equal(to(user).length, 1);
});

test('what a node tells whose clock is ahead by days is news still, and sent at once by the others', async () => {
  const user = await newUser();
  await tell(offerTo(user.id), new Date(clock.now() + 10 * OLD_AFTER_MS));
  const { unread } = await node.ok(200, 'GET', '/v1/notifications', { key: user.token });
  assert.equal(unread, 1);
  await work();
  assert.equal(to(user).length, 1);
});

test('killed between sending and removing: sent again after the lease, under the same Message-ID, and no third time', async () => {
  const user = await newUser();
  await tell(offerTo(user.id));
  // What the killed process did: claimed it, and sent it.
  const [claimed] = await claimMails(db, { owner: 'killed', now: new Date(clock.now()), leaseMs: 60_000, limit: 5 });
  assert.ok(claimed);
  const { mailer } = node.service.opened.platform;
  await mailer?.send({
    id: claimed.notificationId,
    to: { name: '', address: user.email },
    subject: 's',
    text: 't',
    date: claimed.createdAt,
  });
  await work();
  assert.equal(to(user).length, 1, 'as long as the lease runs nobody else sends it');
  await expireLeases();
  await work();
  assert.equal(new Set(to(user).map((mail) => mail.headers['message-id'])).size, 1);
  assert.equal(to(user).length, 2);
  await expireLeases();
  await work();
  assert.equal(to(user).length, 2);
  assert.deepEqual(await rowsOf(user), []);
});

test('killed before sending: sent once, and the attempt did not count', async () => {
  const user = await newUser();
  await tell(offerTo(user.id));
  await claimMails(db, { owner: 'killed', now: new Date(clock.now()), leaseMs: 60_000, limit: 5 });
  await expireLeases();
  server.script = (stage) => (stage === 'RCPT' ? '450 later' : undefined);
  await work();
  server.script = () => undefined;
  assert.equal((await rowsOf(user))[0]?.attempts, 1);
  clock.advance(WAITS_MS[0]);
  await work();
  assert.equal(to(user).length, 1);
});

test('a node that was taken over says nothing of the mail any more', async () => {
  const user = await newUser();
  await tell(offerTo(user.id));
  const slow = otherRunner('slow');
  server.script = (stage, _line, nth) => (stage === 'taken' && nth >= 0 ? 'never' : undefined);
  await slow.step();
  await until('its text has come', () => to(user).length === 1);
  // Its lease ends while the server keeps it waiting; another node sends it.
  await expireLeases();
  server.script = () => undefined;
  await work();
  assert.deepEqual([to(user).length, await rowsOf(user)], [2, []]);
  const again = offerTo(user.id);
  await tell(again);
  await slow.stop(0);
  assert.deepEqual(await rowsOf(user).then((rows) => rows.map((row) => row.attempts)), [0]);
  await work();
  assert.equal(to(user).length, 3);
});

test('two nodes at once: each mail is sent by one of them', async () => {
  const users = await Promise.all(Array.from({ length: 12 }, () => newUser()));
  for (const user of users) await tell(offerTo(user.id));
  const other = otherRunner('other');
  await Promise.all([work(), work(other)]);
  for (const user of users) assert.equal(to(user).length, 1);
});

test('the whole way: published over HTTP, told by the reaction, sent by the loop', async () => {
  const user = await newUser();
  const running: TestNode = await startNode({ database, clock, settings, loops: true });
  const { event, data } = offerTo(user.id);
  await running.ok(202, 'POST', '/v1/events', { key: platform.key, body: { event, data, accountIds: [] } });
  await until('it has come', () => to(user).length === 1);
  await until('nothing is left', async () => (await rowsOf(user)).length === 0);
});
