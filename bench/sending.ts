/**
 * What sending a request takes by itself: bare `dispatch` of undici (which signs, too: 2.5 µs), our sender with everything through undici, and our sender
 * (ADR 0041), in turn. `node bench/sending.ts`, with BENCH_SECONDS (default 5) and BENCH_ROUNDS (default 5).
 */
import { SMALL } from './lib/event.ts';
import { child } from './lib/processes.ts';
import { receiver } from './lib/receivers.ts';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 5);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);

interface Measured {
  perSecond: number;
  micros: number;
}

const WAYS: readonly [name: string, file: string, ...args: string[]][] = [
  ['bare `dispatch`', './ceiling-sender.ts'],
  ['our sender, everything through undici', './sender-loop.ts', 'undici'],
  ['our sender', './sender-loop.ts', 'plain'],
];

async function measure(file: string, args: readonly string[]): Promise<Measured> {
  const to = await receiver();
  const sender = child(file, [String(to.port), String(SECONDS), `{${SMALL}}`, ...args]);
  const { sent, seconds, micros } = JSON.parse(await sender.line()) as {
    sent: number;
    seconds: number;
    micros: number;
  };
  await to.stop();
  return { perSecond: sent / seconds, micros };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number;

/** As RESULTS.md has it. */
export async function sending(): Promise<string> {
  const all = WAYS.map((): Measured[] => []);
  for (let round = 0; round < ROUNDS; round++)
    for (const [i, [, file, ...args]] of WAYS.entries()) all[i]?.push(await measure(file, args));
  const rows = WAYS.map(([name], i) => {
    const of = (by: (m: Measured) => number): number => median((all[i] ?? []).map(by));
    const share = median((all[i] ?? []).map((m, round) => m.perSecond / (all[0]?.[round]?.perSecond ?? Number.NaN)));
    return `| ${name} | ${Math.round(of((m) => m.perSecond)).toLocaleString('en-US')} | ${share.toFixed(2)} | ${of((m) => m.micros).toFixed(1)} |`;
  });
  return `### Sending by itself

\`node bench/sending.ts\`: one process that sends a small body to a receiver that answers at once, 64 requests under way; medians of ${ROUNDS} rounds of ${SECONDS} s in turn.

| what | requests/s | of bare \`dispatch\` | CPU µs each |
|---|---|---|---|
${rows.join('\n')}
`;
}

if (import.meta.main) {
  console.log(await sending());
  process.exit(0);
}
