import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ROOT } from '../scripts/lib/step.ts';
import { EVENTS } from '../src/contracts/events/index.ts';
import { newPlace } from './helpers/child.ts';
import { type Ran, Shell } from './helpers/cli.ts';
import { until } from './helpers/engine.ts';
import { startReceiver } from './helpers/receiver.ts';
import { PASSWORD, testService } from './helpers/service.ts';

/** The commands of the reference part of the page, in its order: what the shell does around them is left out. */
function commandsOf(page: string): string[] {
  const reference = page.slice(page.indexOf('## Who you are, and where'));
  const blocks = [...reference.matchAll(/^```text\n([\s\S]*?)^```/gm)].map(([, code = '']) => code);
  return blocks
    .flatMap((code) => code.trimEnd().split('\n'))
    .map((line) => line.replace(/\s+# .*$/, ''))
    .map((line) => /[$<]\(posthorn ([^)]*)\)/.exec(line)?.[1] ?? line.replace(/^posthorn /, ''));
}

const commands = commandsOf(readFileSync(join(ROOT, 'docs/cli.md'), 'utf8'));

const service = await testService();
const client = await service.operatorClient();
const { url } = service;
const receiver = await startReceiver();
/** May everything, so that one person can try the whole page: operator, editor, and member of the account of the page. */
const person = await service.user({ operator: true, blogRole: 'EDITOR' });
const own = service.client(person.token);
const shell = new Shell({ POSTHORN_URL: url, ...(await newPlace()) });

const ghostPost = {
  id: '64f1a0000000000000000001',
  title: 'Moved',
  slug: 'moved',
  html: '<p>Text.</p>',
  status: 'draft',
};
/** A post in each form that can be brought in, where the page has it. */
const FILES: Readonly<Record<string, string>> = {
  'content/first.md': '---\ntitle: First\ndate: 2020-01-01\n---\nText.\n',
  'my-blog.json': JSON.stringify({ db: [{ meta: { version: '5.71.0' }, data: { posts: [ghostPost] } }] }),
  'export.xml': `<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:wp="http://wordpress.org/export/1.2/">
<channel><link>https://old.example.com</link><wp:wxr_version>1.2</wp:wxr_version>
<item><title>Older</title><link>https://old.example.com/older/</link><content:encoded><![CDATA[Text.]]></content:encoded>
<wp:post_id>11</wp:post_id><wp:post_date_gmt>2013-06-04 21:37:25</wp:post_date_gmt><wp:post_name>older</wp:post_name>
<wp:status>publish</wp:status><wp:post_type>post</wp:post_type></item></channel></rss>`,
  'backup.ndjson': JSON.stringify({ source: 'backup', title: 'Kept', body: 'Text.', category: 'News', slug: 'kept' }),
};
mkdirSync(join(shell.home, 'content'));
for (const [name, text] of Object.entries(FILES)) writeFileSync(join(shell.home, name), text);
await own.createPost({ body: { title: 'Hello', slug: 'hello', body: 'Text.', category: 'News' } });

let account = '';
let endpoint = '';

async function anEndpoint(): Promise<string> {
  if (endpoint === '')
    endpoint = (await client.createEndpoint({ accountId: account, body: { url: receiver.url('/docs') } })).id;
  return endpoint;
}

const exampleFor = (accountId: string) => ({
  event: 'checkout.started',
  data: { ...EVENTS['checkout.started'].example },
  accountIds: [accountId],
});

async function publish(count: number): Promise<string> {
  await anEndpoint();
  const events = Array.from({ length: count }, () => exampleFor(account));
  const { data } = await client.publishEvents({ body: { events } });
  return data[0]?.id ?? '';
}

/** Ids of deliveries that arrived, at least so many. */
async function delivered(count: number): Promise<string[]> {
  await publish(count);
  const list = async () => (await client.listDeliveries({ endpointId: endpoint, status: 'DELIVERED' })).data;
  await until(`${count} deliveries have arrived`, async () => (await list()).length >= count);
  return (await list()).map(({ id }) => id);
}

/** The id of a delivery that waits for the resume of its endpoint. */
async function held(): Promise<string> {
  const { id } = await client.createEndpoint({ accountId: account, body: { url: receiver.url('/paused') } });
  await client.pauseEndpoint({ id });
  await publish(1);
  const list = async () => (await client.listDeliveries({ endpointId: id, status: 'HELD' })).data;
  await until('one is held', async () => (await list()).length > 0);
  return (await list())[0]?.id ?? '';
}

async function aJob(): Promise<string> {
  await delivered(5);
  // Slow, so that it is still there to be cancelled.
  const body = { filter: { status: 'DELIVERED', endpointId: endpoint }, ratePerSecond: 1 } as const;
  const job = await client.replayDeliveries({ accountId: account, body });
  return 'id' in job ? job.id : assert.fail('no job');
}

let offers = 0;

/** The id of a trade that may still be cancelled. */
async function aTrade(): Promise<string> {
  const offerId = `off_docs${++offers}`;
  const side = (of: (typeof EVENTS)['offer.accepted']['example']['initiator']) => ({
    ...of,
    merchantAccountId: account,
    items: of.items.map((item) => ({ ...item, merchantAccountId: account })),
  });
  const { initiator, counterparty, ...terms } = EVENTS['offer.accepted'].example;
  const data = { ...terms, offerId, initiator: side(initiator), counterparty: side(counterparty) };
  await client.publishEvents({ body: { event: 'offer.accepted', data, accountIds: [account] } });
  const list = async () => (await client.listTrades({ offerId })).data;
  await until('the trade is open', async () => (await list()).length > 0);
  return (await list())[0]?.tradeSessionId ?? '';
}

async function aReport(): Promise<string> {
  const { key, signingSecret } = await service.key(['inbound:write'], account);
  const body = { event: 'payment.completed', tradeSessionId: await aTrade(), side: 'INITIATOR' } as const;
  await assert.rejects(service.client(key).receiveReport({ signingSecret, body }), { code: 'INVALID_STATE' });
  return (await client.listReports({ accountId: account })).data[0]?.id ?? '';
}

const aKey = () => service.key(['webhooks:manage'], account === '' ? undefined : account);

/** What the reader has to put in. */
const VALUES: Readonly<Record<string, () => Promise<string>>> = {
  KEY: async () => (await aKey()).key,
  KEY_ID: async () => (await aKey()).id,
  ENDPOINT: anEndpoint,
  DELIVERY: async () => (await delivered(1))[0] ?? '',
  HELD: held,
  JOB: aJob,
  EVENT: () => publish(1),
  TRADE: aTrade,
  REPORT: aReport,
};

const byPassword = ['--email', person.email, '--password-stdin'];
/** What a person would be asked on a terminal, given in another way. */
const ANSWERS: Readonly<Record<string, { args: string[]; input?: string }>> = {
  login: { args: byPassword, input: PASSWORD },
  'login --profile staging --url https://staging.example.com': { args: byPassword, input: PASSWORD },
  'users create ed@example.com --name Ed --role EDITOR': { args: ['--password-stdin'], input: PASSWORD },
  'users disable ed@example.com': { args: ['--yes'] },
};

/** Those that go on until Ctrl-C, and the line by which they are at work. */
const ENDLESS: Readonly<Record<string, RegExp>> = {
  listen: /^Ready: listening to /m,
  'events tail': /^Waiting for events/m,
};

const signIn = async (): Promise<void> => void (await shell.start(['login', ...byPassword], PASSWORD).ended());

/** What has to be so before or after one of them, and is no part of the page. */
const BEFORE: Readonly<Record<string, () => Promise<void>>> = {
  'events publish events.json': async () =>
    writeFileSync(join(shell.home, 'events.json'), JSON.stringify([exampleFor(account)])),
};
const AFTER: Readonly<Record<string, (out: string) => Promise<void>>> = {
  logout: signIn,
  'accounts create "Lamp shop" --type MERCHANT': async (out) => {
    account = /^id +(\S+)$/m.exec(out)?.[1] ?? '';
    await client.addMember({ id: account, userId: person.id });
  },
  'endpoints delete "$ENDPOINT" --yes': async () => void (endpoint = ''),
};

/** The words of a command as the shell gives them on: the service of the test stands for every address of one. */
async function wordsOf(command: string): Promise<string[]> {
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
  const filled: string[] = [];
  for (const [i, word] of words.entries()) {
    const name = /^\$([A-Z_]+)$/.exec(word)?.[1];
    if (name !== undefined) filled.push(await (VALUES[name] ?? assert.fail(`no value for ${name}`))());
    else filled.push(words[i - 1] === '--url' ? url : word);
  }
  return filled;
}

async function run(command: string): Promise<Ran> {
  const { args = [], input } = ANSWERS[command] ?? {};
  const words = [...(await wordsOf(command)), ...args];
  const goesOn = Object.entries(ENDLESS).find(
    ([name]) => command.startsWith(name) && !words.includes('--print-secret'),
  );
  if (goesOn) {
    const running = shell.start(words);
    await running.printed(goesOn[1]);
    const { code, ...ran } = await running.interrupt();
    assert.equal(code, 130, ran.err);
    return { code: 0, ...ran };
  }
  return input === undefined ? shell.run(...words) : shell.start(words, input).ended();
}

describe('every command of docs/cli.md runs, in the order of the page', () => {
  test('they were found', () => assert.ok(commands.length > 55, commands.join('\n')));

  for (const command of commands) {
    test(`posthorn ${command}`, async () => {
      await BEFORE[command]?.();
      const { code, out, err } = await run(command);
      assert.equal(code, 0, `${out}${err}`);
      assert.notEqual(out + err, '', 'it says something');
      await AFTER[command]?.(out);
    });
  }

  test('and nothing here is about a command that is not there any more', () => {
    const known = [...Object.keys(ANSWERS), ...Object.keys(BEFORE), ...Object.keys(AFTER)];
    assert.deepEqual(
      known.filter((command) => !commands.includes(command)),
      [],
    );
  });
});
