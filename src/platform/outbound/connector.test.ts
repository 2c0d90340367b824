import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import targets from '../../../test/data/hostile-targets.json' with { type: 'json' };
import { createSender, parseTargetUrl, type OutboundPolicy, type OutboundRequest, type TargetUrl } from './index.ts';
import { answering, LOOPBACK, PUBLIC_ONLY, senderFor, startReceiver, target, type Receiver } from './test-receiver.ts';

const request = (url: TargetUrl): OutboundRequest => ({ url, headers: [], body: '{}', deadlineMs: 1000 });

/** A target as it looks when nothing checked it at write time: the connector has to hold alone. */
function unchecked(host: string, port: number): TargetUrl {
  const origin = `http://${host}:${port}`;
  return { href: `${origin}/`, origin, secure: false, hostname: host.replace(/^\[|\]$/g, ''), port, path: '/' };
}

/** Hosts that are not public in every notation, and names that are, or resolve to, this machine. */
const HOSTS = [...Object.values(targets.literals).flat(), ...Object.keys(targets.names)];

const hostileUrls = (port: number): string[] => [
  ...HOSTS.map((host) => `http://${host}:${port}/`),
  ...Object.values(targets.urls)
    .flat()
    .map((url) => url.replace('https', 'http').replace('{port}', String(port))),
];

/** Names resolve to loopback in every family, as an attacker's would. */
const toLoopback = (): Promise<string[]> => Promise.resolve(['127.0.0.1', '::1']);

test('none of the hostile targets is reached, whether the URL or the connector refuses it', async (t) => {
  const { port, receivers } = await startOnAllOfThisMachine(t);
  const sender = senderFor(t, PUBLIC_ONLY, { resolve: toLoopback });
  const urls = hostileUrls(port);
  assert.ok(urls.length >= 120);
  let connectorHadTo = 0;
  for (const url of urls) {
    const parsed = parseTargetUrl(url, PUBLIC_ONLY);
    if (!parsed.ok) continue;
    connectorHadTo++;
    const outcome = await sender.send(request(parsed.url));
    assert.deepEqual([url, outcome.kind === 'failure' && outcome.errorClass], [url, 'BLOCKED_TARGET']);
  }
  assert.ok(connectorHadTo >= 20, 'names can only be refused by the connector');
  assert.equal(connections(receivers), 0);
});

test('the connector holds alone: canonical literals that no URL check saw are not reached', async (t) => {
  const { port, receivers } = await startOnAllOfThisMachine(t);
  const sender = senderFor(t, PUBLIC_ONLY, { resolve: toLoopback });
  let tried = 0;
  for (const host of HOSTS) {
    const canonical = URL.parse(`http://${host}/`)?.hostname;
    if (canonical === undefined) continue;
    tried++;
    const outcome = await sender.send(request(unchecked(canonical, port)));
    assert.deepEqual([host, outcome.kind === 'failure' && outcome.errorClass], [host, 'BLOCKED_TARGET']);
  }
  assert.ok(tried >= 120);
  assert.equal(connections(receivers), 0);
});

test('the same targets do reach the listener once loopback is permitted: the table is not hollow', async (t) => {
  const { port } = await startOnAllOfThisMachine(t);
  const policy: OutboundPolicy = { allowedTargets: ['127.0.0.0/8', '0.0.0.0', '::1'], requireHttps: false };
  const sender = senderFor(t, policy, { resolve: toLoopback });
  let reached = 0;
  for (const url of hostileUrls(port)) {
    const parsed = parseTargetUrl(url, policy);
    if (!parsed.ok) continue;
    const outcome = await sender.send(request(parsed.url));
    if (outcome.kind === 'response') reached++;
  }
  assert.ok(reached >= 40, `${reached} reached`);
});

/** One port on every IPv4 address and, where the machine has IPv6, on ::1. */
async function startOnAllOfThisMachine(t: TestContext): Promise<{ port: number; receivers: Receiver[] }> {
  const ipv4 = await startReceiver(t, answering(200), '0.0.0.0');
  const ipv6 = await startReceiver(t, answering(200), '::1', ipv4.port).catch(() => null);
  return { port: ipv4.port, receivers: ipv6 ? [ipv4, ipv6] : [ipv4] };
}

function connections(receivers: Receiver[]): number {
  return receivers.reduce((sum, receiver) => sum + receiver.sockets.length, 0);
}

test('the address checked is the address connected, and each new connection is checked anew', async (t) => {
  const policy: OutboundPolicy = { allowedTargets: ['127.0.0.1'], requireHttps: false };
  const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1']];
  let asked = 0;
  const receiver = await startReceiver(
    t,
    (socket, nth) => answering(200, '', 'connection: close\r\n')(socket, nth),
    '0.0.0.0',
  );
  const sender = senderFor(t, policy, { resolve: () => Promise.resolve(answers[asked++] ?? []) });
  const url = target(`http://rebind.example:${receiver.port}/`, policy);

  const first = await sender.send(request(url));
  assert.equal(first.kind, 'response');
  assert.equal(asked, 1, 'resolving once for the check and once more to connect is the hole');
  assert.equal(receiver.sockets[0]?.localAddress, '127.0.0.1');

  const second = await sender.send(request(url));
  assert.equal(second.kind === 'failure' && second.errorClass, 'BLOCKED_TARGET');
  assert.equal(receiver.sockets.length, 1);
  assert.equal((await sender.send(request(url))).kind, 'response');
});

test('one forbidden address among permitted ones refuses the name, in any position', async (t) => {
  const receiver = await startReceiver(t, answering(200), '0.0.0.0');
  const policy: OutboundPolicy = { allowedTargets: ['127.0.0.1'], requireHttps: false };
  for (const answer of [
    ['127.0.0.1', '10.0.0.1'],
    ['10.0.0.1', '127.0.0.1'],
    ['127.0.0.1', '::ffff:127.0.0.1'],
    ['127.0.0.1', 'localhost'],
  ]) {
    const sender = senderFor(t, policy, { resolve: () => Promise.resolve(answer) });
    const outcome = await sender.send(request(target(`http://mixed.example:${receiver.port}/`, policy)));
    assert.equal(outcome.kind === 'failure' && outcome.errorClass, 'BLOCKED_TARGET', answer.join());
  }
  assert.equal(receiver.sockets.length, 0);
});

test('the message of a refusal does not tell what a name resolved to', async (t) => {
  const sender = senderFor(t, PUBLIC_ONLY, { resolve: () => Promise.resolve(['10.11.12.13']) });
  const outcome = await sender.send(request(target('http://inside.example/', PUBLIC_ONLY)));
  assert.ok(outcome.kind === 'failure');
  assert.doesNotMatch(outcome.message, /10\.11\.12\.13/);
});

test('a name without address, or that cannot be resolved, is DNS', async (t) => {
  const url = target('http://nowhere.example/', PUBLIC_ONLY);
  for (const resolve of [() => Promise.resolve([]), () => Promise.reject(new Error('secret detail'))]) {
    const outcome = await senderFor(t, PUBLIC_ONLY, { resolve }).send(request(url));
    assert.ok(outcome.kind === 'failure');
    assert.equal(outcome.errorClass, 'DNS');
    assert.doesNotMatch(outcome.message, /secret/);
  }
});

test('localhost is this machine without asking anyone, and the next address is tried when one refuses', async (t) => {
  const receiver = await startReceiver(t, answering(200), '::1').catch(() => null);
  if (!receiver) return t.skip('no IPv6 on this machine');
  const sender = senderFor(t, LOOPBACK, { resolve: () => Promise.reject(new Error('asked')) });
  const outcome = await sender.send(request(target(`http://localhost:${receiver.port}/`)));
  assert.equal(outcome.kind, 'response');
});

test('https is required at send time too', async (t) => {
  const receiver = await startReceiver(t, answering(200));
  const sender = senderFor(t, { ...LOOPBACK, requireHttps: true });
  const outcome = await sender.send(request(target(receiver.url)));
  assert.equal(outcome.kind === 'failure' && outcome.errorClass, 'BLOCKED_TARGET');
  assert.equal(receiver.sockets.length, 0);
});

test('a policy with an entry that is no CIDR is refused at start', () => {
  assert.throws(() => createSender({ allowedTargets: ['10.0.0.0/8', 'intranet'], requireHttps: true }), /intranet/);
});

test('each of several addresses has 3 s to accept the connection', async (t) => {
  const connect = t.mock.method(Socket.prototype, 'connect', () => {
    throw new Error('not here');
  });
  const sender = createSender(PUBLIC_ONLY, { resolve: async () => ['1.1.1.1', '1.0.0.1'] });
  t.after(() => sender.close());
  await sender.send(request(unchecked('far.example', 80)));
  const [options] = connect.mock.calls.flatMap((call) => call.arguments as unknown[]).flat();
  const { autoSelectFamily, autoSelectFamilyAttemptTimeout } = options as Record<string, unknown>;
  assert.deepEqual(
    { autoSelectFamily, autoSelectFamilyAttemptTimeout },
    { autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 3000 },
  );
});
