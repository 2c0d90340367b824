import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanup } from '../../../test/helpers/cleanup.ts';
import { type SmtpScript, type SmtpServer, startSmtpServer } from '../../../test/helpers/smtp-server.ts';
import { createMailer, type Mail, type Mailer, type MailerOptions } from './mailer.ts';
import { parseSmtpUrl } from './smtp-url.ts';

const mail: Mail = {
  id: '0198c2a0-0000-7000-8000-000000000001',
  to: { name: 'Ann', address: 'ann@example.com' },
  subject: 'You have a new offer',
  text: 'You have a new offer.\n.\n..dots\nÄ ünd 🎉\n',
  date: new Date('2026-03-01T09:05:00.000Z'),
};

async function setUp(
  script?: SmtpScript,
  options: Partial<MailerOptions> = {},
): Promise<{ server: SmtpServer; mailer: Mailer }> {
  const server = await startSmtpServer(script);
  const at = parseSmtpUrl(server.url);
  assert.ok(at);
  const from = { name: 'Shop, Ltd.', address: 'no-reply@shop.example' };
  const mailer = createMailer({ server: at, from, silenceMs: 1000, deadlineMs: 3000, ...options });
  cleanup(async () => mailer.close());
  return { server, mailer };
}

test('a text mail with what a mail needs, and nothing else', async () => {
  const { server, mailer } = await setUp();
  assert.deepEqual(await mailer.send(mail), { kind: 'sent' });
  assert.deepEqual(await mailer.send(mail), { kind: 'sent' });
  const [first, second] = server.received;
  assert.ok(first && second);
  assert.deepEqual([first.from, first.to], ['no-reply@shop.example', ['ann@example.com']]);
  assert.equal(first.text.trimEnd(), mail.text.trimEnd());
  const { headers } = first;
  assert.equal(headers.from, '"Shop, Ltd." <no-reply@shop.example>');
  assert.equal(headers.to, 'Ann <ann@example.com>');
  assert.equal(headers.subject, mail.subject);
  assert.equal(headers['message-id'], `<${mail.id}@shop.example>`);
  assert.equal(headers['auto-submitted'], 'auto-generated');
  assert.equal(headers['list-id'], '<notifications.shop.example>');
  assert.equal(new Date(headers.date ?? '').getTime(), mail.date.getTime());
  assert.match(headers['content-type'] ?? '', /^text\/plain; charset=utf-8/);
  assert.equal(headers.bcc, undefined);
  assert.equal(second.headers['message-id'], headers['message-id'], 'sent again it is the same mail');
});

test('no name, subject or address adds a header or a recipient', async () => {
  const { server, mailer } = await setUp();
  const evil = 'x\r\nBcc: eve@example.com\r\n\r\nbody';
  assert.deepEqual(
    await mailer.send({
      ...mail,
      subject: evil,
      to: { name: `"${evil}", <eve@example.com>`, address: 'ann@example.com' },
    }),
    { kind: 'sent' },
  );
  const [got] = server.received;
  assert.deepEqual(got?.to, ['ann@example.com']);
  assert.equal(got.headers.bcc, undefined);
  assert.equal(got.text.trimEnd(), mail.text.trimEnd());
  for (const address of [
    'eve@example.com, ann@example.com',
    'ann@example.com>\r\nRCPT TO:<eve@example.com',
    '',
    'ann',
  ]) {
    const outcome = await mailer.send({ ...mail, to: { name: '', address } });
    assert.deepEqual([outcome.kind, outcome.kind === 'failed' && outcome.isFinal], ['failed', true], address);
  }
  assert.equal(server.received.length, 1);
});

const failing =
  (stage: string, answer: string): SmtpScript =>
  (at) =>
    at === stage ? answer : undefined;

for (const [what, script, isFinal] of [
  ['the recipient for now', failing('RCPT', '450 4.2.1 busy'), false],
  ['the recipient for good', failing('RCPT', '550 5.1.1 no such user'), true],
  ['the text for now', failing('taken', '451 4.3.0 later'), false],
  ['the text for good', failing('taken', '554 5.7.1 spam'), true],
  // Mended in the settings, and then what waits can be sent.
  ['the sender for good', failing('MAIL', '550 5.7.1 who are you'), false],
  ['everybody', failing('greeting', '554 no service'), false],
  ['everybody for now', failing('greeting', '421 too busy'), false],
  ['the connection in the middle of it', failing('taken', 'drop'), false],
  ['the connection before it', failing('greeting', 'drop'), false],
  ['to go on, politely', failing('taken', 'end'), false],
  ['to say anything', failing('greeting', 'never'), false],
  ['to say anything after the text', failing('taken', 'never'), false],
] as const) {
  test(`the server refuses ${what}`, async () => {
    const { mailer, server } = await setUp(script);
    const outcome = await mailer.send(mail);
    assert.equal(outcome.kind, 'failed');
    assert.equal(outcome.isFinal, isFinal, outcome.error);
    assert.match(outcome.error, /^[A-Z]+ [^\r\n]+$/);
    assert.ok(server.received.length <= 1 && server.connections === 1, 'the library does not try again by itself');
  });
}

test('a server that goes on talking and never ends: the deadline holds', async () => {
  const { mailer } = await setUp(failing('EHLO', 'never'), { silenceMs: 60_000, deadlineMs: 50 });
  const outcome = await mailer.send(mail);
  assert.deepEqual([outcome.kind, outcome.kind === 'failed' && outcome.isFinal], ['failed', false]);
});

test('nobody listens', async () => {
  const { server, mailer } = await setUp();
  await server.close();
  const outcome = await mailer.send(mail);
  assert.deepEqual([outcome.kind, outcome.kind === 'failed' && outcome.isFinal], ['failed', false]);
  await server.listen();
  assert.deepEqual(await mailer.send(mail), { kind: 'sent' });
});

test('a password does not go over a connection without TLS', async () => {
  const { server } = await setUp();
  const at = parseSmtpUrl(server.url.replace('smtp://', 'smtp://me:secret@'));
  assert.ok(at);
  const lines: string[] = [];
  server.script = (_stage, line) => (lines.push(line), undefined);
  const mailer = createMailer({ server: at, from: { name: '', address: 'a@b.cd' }, silenceMs: 1000 });
  cleanup(async () => mailer.close());
  assert.equal((await mailer.send(mail)).kind, 'failed');
  assert.ok(!lines.some((line) => line.startsWith('AUTH')));
  assert.equal(server.received.length, 0);
});
