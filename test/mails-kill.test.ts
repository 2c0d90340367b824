import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { EVENTS } from '../src/contracts/events/index.ts';
import { openPglite, openPostgres } from '../src/platform/db/index.ts';
import { newPlace } from './helpers/child.ts';
import { cleanup } from './helpers/cleanup.ts';
import { testDb } from './helpers/database.ts';
import { until } from './helpers/engine.ts';
import { ServiceProcess } from './helpers/process.ts';
import { startSmtpServer } from './helpers/smtp-server.ts';

const MAILS = 60;
const USERS = 6;
/** Mails that a process has under way at once: as many may come twice after a kill. */
const UNDER_WAY = 5;
/** The service is killed when it has sent so many, and the server has not answered to the last of them. */
const HANGS_AT = [6, 24, 43];
const WITHIN_MS = 60_000;

test('kill -9 while mails are sent: each comes, and only those under way come twice', async () => {
  let hung = 0;
  const server = await startSmtpServer((stage, _line, nth) =>
    stage === 'taken' && HANGS_AT.includes(nth) ? (hung++, 'never') : undefined,
  );
  const place = await newPlace();
  const { DATABASE_URL: url, POSTHORN_DATA_DIR: dir } = place;
  const service = new ServiceProcess({
    ...place,
    SMTP_URL: server.url,
    WEBHOOK_SENDER_THREADS: '0',
    SMTP_FROM: 'no-reply@shop.example',
  });
  cleanup(() => service.kill());
  await service.start();

  const token = await service.operator();
  const { id: accountId } = await service.call('POST', '/v1/admin/accounts', { name: 'P', type: 'PLATFORM' }, token);
  const wanted = { accountId, name: 'P', scopes: ['events:publish'] };
  const { key } = await service.call('POST', '/v1/admin/api-keys', wanted, token);
  const users: string[] = [];
  for (let i = 0; i < USERS; i++) {
    const body = { email: `user${i}@example.com`, name: `User ${i}`, password: 'a long password' };
    users.push((await service.call('POST', '/v1/admin/users', body, token)).id);
  }
  const { example } = EVENTS['offer.created'];
  const events = Array.from({ length: MAILS }, (_, i) => ({
    event: 'offer.created',
    data: { ...example, offerId: `offer-${i}`, counterparty: { ...example.counterparty, userId: users[i % USERS] } },
    accountIds: [],
  }));
  await service.call('POST', '/v1/events', { events }, key);

  for (const [i] of HANGS_AT.entries()) {
    await until(`mail ${i + 1} hangs`, () => hung > i, WITHIN_MS);
    await service.kill();
    // As if its two minutes were over.
    const database = await (url === undefined ? openPglite(dir) : openPostgres(url, 2));
    await sql`update notification_mails set lease_until = now() - interval '1 second'
      where lease_until is not null`.execute(database.db);
    await database.close();
    await service.start();
  }

  const ids = (): Set<string> => new Set(server.received.map((mail) => mail.headers['message-id'] ?? ''));
  await until('all have come', () => ids().size === MAILS, WITHIN_MS);
  const isEmpty = async (): Promise<boolean> =>
    (await (await fetch(`http://127.0.0.1:${service.port}/metrics`)).text()).includes(
      'posthorn_mails_waiting{state="waiting"} 0\n',
    );
  await until('none waits', isEmpty, WITHIN_MS);
  assert.equal(ids().size, MAILS);
  const twice = server.received.length - MAILS;
  process.stdout.write(`kill -9 on ${testDb}: ${MAILS} mails, ${HANGS_AT.length} kills, ${twice} came twice\n`);
  assert.ok(twice >= HANGS_AT.length && twice <= HANGS_AT.length * UNDER_WAY, `${twice} came twice`);
});
