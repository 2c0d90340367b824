import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHmac, createSecretKey } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test, type TestContext } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { Stripe } from 'stripe';
import vectorsFile from '../docs/signature-vectors.json' with { type: 'json' };
import { monotonicNow, systemClock } from '../src/lib/clock.ts';
import { signingSecretBytes } from '../src/lib/credentials.ts';
import { signatureFault } from '../src/lib/signature-fault.ts';
import { sign } from '../src/modules/webhooks/engine/sign.ts';

interface Vector {
  name: string;
  genuine: boolean;
  now: number;
  secrets: string[];
  headers: Record<string, string>;
  body?: string;
  bodyBase64: string;
  signedWith?: string[];
}

const VECTORS = vectorsFile.vectors as unknown as Vector[];
const stripe = new Stripe('sk_test_none');
const scratch = mkdtempSync(join(tmpdir(), 'posthorn-kit-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

const bytesOf = ({ bodyBase64 }: Vector): Buffer => Buffer.from(bodyBase64, 'base64');
const serviceHeader = ({ headers }: Vector): string => headers['X-Service-Signature'] ?? '';
const passes = (verify: () => unknown): boolean => {
  try {
    verify();
    return true;
  } catch {
    return false;
  }
};

describe('the vectors', () => {
  test('say the same twice: the text of a body is its bytes, and there are both kinds of each', () => {
    for (const v of VECTORS) if (v.body !== undefined) assert.deepEqual(Buffer.from(v.body), bytesOf(v), v.name);
    assert.equal(new Set(VECTORS.map((v) => v.name)).size, VECTORS.length);
    const genuine = VECTORS.filter((v) => v.genuine);
    assert.ok(genuine.length >= 12 && VECTORS.length - genuine.length >= 25);
    assert.ok(genuine.some((v) => (v.signedWith ?? []).length > 1));
  });

  test('are signed as interface.md and Standard Webhooks say, by hand', () => {
    for (const v of VECTORS.filter((one) => one.genuine)) {
      const { 'webhook-id': id, 'webhook-timestamp': t } = v.headers;
      const hmac = (key: string | Buffer, head: string): Buffer =>
        createHmac('sha256', key).update(Buffer.from(head)).update(bytesOf(v)).digest();
      const secrets = v.signedWith ?? [];
      for (const secret of secrets) {
        assert.ok(serviceHeader(v).includes(`,v1=${hmac(secret, `${t}.`).toString('hex')}`), v.name);
        const raw = Buffer.from(secret.slice('whsec_'.length), 'base64');
        const standard = v.headers['webhook-signature']?.split(' ') ?? [];
        assert.ok(standard.includes(`v1,${hmac(raw, `${id}.${t}.`).toString('base64')}`), v.name);
      }
    }
  });

  test('are what the service sends', () => {
    for (const v of VECTORS.filter((one) => one.genuine && one.body !== undefined)) {
      const keys = (v.signedWith ?? []).map((secret) => ({
        key: createSecretKey(Buffer.from(secret)),
        rawKey: createSecretKey(signingSecretBytes(secret)),
      }));
      const { 'webhook-id': id = '', 'webhook-timestamp': t } = v.headers;
      const { service, standard } = sign(keys, Number(t), id, v.body ?? '');
      assert.equal(standard, v.headers['webhook-signature'], v.name);
      // One vector has versions besides that nobody knows yet.
      if (!serviceHeader(v).includes('v0=')) assert.equal(service, serviceHeader(v), v.name);
    }
  });

  test('stripe finds the same', () => {
    const { signature } = stripe.webhooks;
    assert.ok(signature);
    // It takes a body for text.
    const others = VECTORS.filter((v) => v.body !== undefined).filter((v) => {
      const found = v.secrets.some((secret) =>
        passes(() => signature.verifyHeader(v.body ?? '', serviceHeader(v), secret, 300, undefined, v.now * 1000)),
      );
      return found !== v.genuine;
    });
    // It takes no empty body (none is sent), looks back only, and reads numbers as JavaScript does.
    assert.deepEqual(
      others.map((v) => v.name),
      ['an empty body', '301 seconds ahead', 'a timestamp with a fraction'],
    );
  });

  test('standardwebhooks finds the same, where they have its headers', (t) => {
    const with3 = VECTORS.filter((v) => v.headers['webhook-id'] !== undefined);
    assert.ok(with3.length >= 20);
    t.mock.timers.enable({ apis: ['Date'] });
    for (const v of with3) {
      t.mock.timers.setTime(v.now * 1000);
      // It parses what it has verified as JSON.
      if (v.body === undefined || v.body === '') continue;
      const found = v.secrets.some((secret) => passes(() => new Webhook(secret).verify(v.body ?? '', v.headers)));
      assert.equal(found, v.genuine, v.name);
    }
  });

  test('the service, which receives signed reports itself, finds the same', () => {
    for (const v of VECTORS.filter((one) => one.body !== undefined))
      assert.equal(signatureFault(serviceHeader(v), v.body ?? '', v.secrets, v.now) === null, v.genuine, v.name);
  });
});

interface Example {
  file: string;
  /** What must be installed. */
  tool: string;
  /** Prepares what `run` and `serve` start. */
  build?: string[];
  check: string[];
  serve: (port: number) => string[];
  /** It starts with every request, so it cannot refuse to before. */
  isPerRequest?: boolean;
}

const at = (file: string): string => new URL(`../docs/examples/receivers/${file}`, import.meta.url).pathname;
/** For a process that lives for a moment: no compiler that takes longer than what it saves, no threads that collect. */
const JAVA = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
const BINARY = join(scratch, 'receiver');
const EXAMPLES: readonly Example[] = [
  plain('receiver.ts', process.execPath),
  plain('receiver.py', 'python3'),
  plain('receiver.rb', 'ruby'),
  {
    // Checked as the page starts it, which compiles it each time; served from what was compiled once.
    file: 'Receiver.java',
    tool: 'java',
    build: ['javac', ...JAVA.map((flag) => `-J${flag}`), '-d', scratch, at('Receiver.java')],
    check: ['java', ...JAVA, at('Receiver.java'), '--check'],
    serve: () => ['java', ...JAVA, '-cp', scratch, 'Receiver'],
  },
  {
    file: 'receiver.php',
    tool: 'php',
    check: ['php', at('receiver.php')],
    serve: (port) => ['php', '-S', `127.0.0.1:${port}`, at('receiver.php')],
    isPerRequest: true,
  },
  {
    file: 'receiver.go',
    tool: 'go',
    build: ['go', 'build', '-o', BINARY, at('receiver.go')],
    check: [BINARY, '--check'],
    serve: () => [BINARY],
  },
];

function plain(file: string, tool: string): Example {
  return { file, tool, check: [tool, at(file), '--check'], serve: () => [tool, at(file)] };
}

const isInstalled = (tool: string): boolean => spawnSync(tool, ['--version']).error === undefined;

function run([command = '', ...args]: readonly string[], input = ''): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { input, encoding: 'utf8', timeout: 120_000 });
  assert.equal(status, 0, `${command}: ${error?.message ?? ''}${stderr}`);
  return stdout;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      done(true);
    }).on('error', () => done(false));
  });

/** Waits for what another process brings about. */
async function until(what: () => string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = monotonicNow() + 60_000; !(await isSo()); await new Promise((done) => setTimeout(done, 20)))
    assert.ok(monotonicNow() < deadline, what());
}

const SECRETS = ['whsec_bmV3', 'whsec_b2xk'] as const;
const hex = (secret: string, t: number, body: string): string =>
  createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');

/** The environment of an example; without a setting it has none. */
function envOf(port: number, setting: string | undefined): NodeJS.ProcessEnv {
  const { SIGNING_SECRETS: _, ...others } = process.env;
  const env = { ...others, PORT: String(port), SEEN_DIR: mkdtempSync(join(scratch, 'seen-')) };
  return setting === undefined ? env : { ...env, SIGNING_SECRETS: setting };
}

interface Served {
  url: string;
  output: () => string;
  handled: () => string[];
}

/** The example as a process of its own. */
async function served(t: TestContext, { serve }: Example, setting: string | undefined): Promise<Served> {
  const port = await freePort();
  const [command = '', ...args] = serve(port);
  const child: ChildProcess = spawn(command, args, { env: envOf(port, setting), stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  await until(
    () => `it listens: ${output}`,
    () => isOpen(port),
  );
  const handled = (): string[] => output.split('\n').filter((line) => line.startsWith('handled'));
  return { url: `http://127.0.0.1:${port}/hooks`, output: () => output, handled };
}

/** The status of the answer to an event that is signed with a secret, behind another that nobody knows. */
async function post(url: string, event: object, secret: string, change = ''): Promise<number> {
  const body = JSON.stringify(event);
  const seconds = Math.floor(systemClock.now() / 1000);
  const headers = {
    'content-type': 'application/json',
    'x-service-event-id': 'event-1',
    'x-service-signature': `t=${seconds},v1=${hex('whsec_b3RoZXI=', seconds, body)},v1=${hex(secret, seconds, body)}`,
  };
  return (await fetch(url, { method: 'POST', headers, body: body + change })).status;
}

/** A line for `check`. */
const lineOf = (now: number, secrets: string, header: string, bodyBase64: string): string =>
  [now, secrets, Buffer.from(header).toString('base64'), bodyBase64].join('\t');

/** Lines for `check`, and what has to be found of each. */
interface Checks {
  lines: string[];
  expected: string[];
  /** What a line is, for people. */
  names: string[];
}

const VECTOR_CHECKS: Checks = {
  lines: VECTORS.map((v) => lineOf(v.now, v.secrets.join(), serviceHeader(v), v.bodyBase64)),
  expected: VECTORS.map((v) => (v.genuine ? 'genuine' : 'refused')),
  names: VECTORS.map((v) => v.name),
};

/** In one run: to start one of them takes longer than all that it looks at. */
function findsWhatIsGenuine({ check }: Example): void {
  const all = [VECTOR_CHECKS, EMPTY_SECRET_CHECKS];
  const lines = all.flatMap((checks) => checks.lines);
  const found = run(check, `${lines.join('\n')}\n`)
    .trim()
    .split('\n');
  const names = all.flatMap((checks) => checks.names);
  assert.deepEqual(
    found.map((word, i) => `${names[i]}: ${word}`),
    all.flatMap((checks) => checks.expected.map((word, i) => `${checks.names[i]}: ${word}`)),
  );
}

/** Settings as they come about by mistake: what is signed with the empty key fits none, and what is signed with a secret those that have it. */
function emptySecretChecks(): Checks {
  const [secret] = SECRETS;
  const settings = ['', ' ', ',', ' , ', `${secret},`, `,${secret}`, `${secret}, ,`, ` ${secret} `];
  const tries = ['', secret].flatMap((key) => settings.map((setting) => ({ key, setting })));
  return {
    lines: tries.map(({ key, setting }) =>
      lineOf(1000, setting, `t=1000,v1=${hex(key, 1000, '{}')}`, Buffer.from('{}').toString('base64')),
    ),
    expected: tries.map(({ key, setting }) => (key !== '' && setting.includes(secret) ? 'genuine' : 'refused')),
    names: tries.map(({ key, setting }) => `signed with ${JSON.stringify(key)}, set to ${JSON.stringify(setting)}`),
  };
}
const EMPTY_SECRET_CHECKS = emptySecretChecks();

const NO_SECRET = /SIGNING_SECRETS is missing: the signing secret of the account/;

async function needsASecret(t: TestContext, example: Example): Promise<void> {
  for (const setting of [undefined, '', ' ,']) {
    if (example.isPerRequest) {
      const { url, output, handled } = await served(t, example, setting);
      assert.equal(await post(url, { event: 'checkout.started', tradeSessionId: 'ts_forged' }, ''), 500);
      await until(output, () => NO_SECRET.test(output()));
      assert.deepEqual(handled(), []);
      continue;
    }
    const port = await freePort();
    const [command = '', ...args] = example.serve(port);
    const env = envOf(port, setting);
    const { status, stderr } = spawnSync(command, args, { env, encoding: 'utf8', timeout: 60_000 });
    assert.equal(status, 1, `with ${JSON.stringify(setting)} it does not start`);
    assert.match(stderr, NO_SECRET);
  }
}

test('every example is in the page for receivers, which says how it is started', () => {
  const page = readFileSync(new URL('../docs/receiving-webhooks.md', import.meta.url), 'utf8');
  const named = [...page.matchAll(/\(examples\/receivers\/([\w.]+)\)/g)].map((match) => match[1]);
  assert.deepEqual(new Set(named), new Set(EXAMPLES.map(({ file }) => file)));
  assert.deepEqual(new Set(readdirSync(new URL('../docs/examples/receivers', import.meta.url))), new Set(named));
});

describe('the example of a receiver', () => {
  for (const example of EXAMPLES) {
    test(example.file, async (t) => {
      if (!isInstalled(example.tool)) return t.skip(`${example.tool} is not installed`);
      if (example.build) run(example.build);

      findsWhatIsGenuine(example);
      await needsASecret(t, example);

      const { url, handled } = await served(t, example, `${SECRETS.join(',')},`);
      const [started, completed] = ['checkout.started', 'checkout.completed'].map((event) => ({
        event,
        tradeSessionId: 'ts_ü1',
      }));
      const statuses = [await post(url, started as object, '')];
      for (const secret of SECRETS) {
        statuses.push(await post(url, started as object, secret));
        statuses.push(await post(url, completed as object, secret));
        statuses.push(await post(url, { event: 'seller.linked' }, secret));
        statuses.push(await post(url, started as object, secret, ' '));
      }
      assert.deepEqual(statuses, [400, 204, 204, 204, 400, 204, 204, 204, 400]);
      await until(
        () => `three are handled: ${handled().join()}`,
        () => handled().length >= 3,
      );
      assert.deepEqual(
        handled().map((line) => line.split(' ')[1]),
        ['checkout.started', 'checkout.completed', 'seller.linked'],
        'each once',
      );
    });
  }
});
