/**
 * Our sender with nothing around it: as many requests under way as ceiling-sender.ts has, not signed.
 * `node bench/lib/sender-loop.ts <port> <seconds> <body> <plain|undici>` prints `{sent, seconds, micros}`, the last the CPU for a request.
 */
import { createSender, parseTargetUrl } from '../../src/platform/outbound/index.ts';

const [port, seconds] = process.argv.slice(2, 4).map(Number) as [number, number];
const body = process.argv[4] as string;
const policy = { allowedTargets: ['127.0.0.1'], requireHttps: false };
const sender = createSender(policy, { connectionsPerOrigin: 64, throughUndici: process.argv[5] === 'undici' });
const parsed = parseTargetUrl(`http://127.0.0.1:${port}/`, policy);
if (!parsed.ok) throw new Error(parsed.reason);
const request = { url: parsed.url, headers: ['content-type', 'application/json'], body, deadlineMs: 10_000 };
const started = performance.now();
let sent = 0;

async function send(): Promise<void> {
  while (performance.now() - started < seconds * 1000) {
    const outcome = await sender.send(request);
    if (outcome.kind === 'failure') throw new Error(outcome.message);
    sent++;
  }
}

await Promise.all(Array.from({ length: 64 }, send));
const { user, system } = process.cpuUsage();
console.log(JSON.stringify({ sent, seconds: (performance.now() - started) / 1000, micros: (user + system) / sent }));
process.exit(0);
