import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ConfigError, readConfig } from '../../platform/config/index.ts';
import { Api, PlayError } from './api.ts';
import { type Demo, demoFile, readDemo } from './demo-file.ts';
import { deliveryLine, newRun, playTrade } from './play-trade.ts';
import { accountOf, Stage } from './stage.ts';

const USAGE = `usage: npm run demo [-- --url http://127.0.0.1:3000] [--data-dir .data]

Plays a trade against the running demo service and shows its webhooks as they arrive.`;
/** Exit code of a program that Ctrl-C ended: 128 + SIGINT. */
const INTERRUPTED = 130;
/** Slow enough to read along; only where a person does. Milliseconds. */
const PACE_MS = 300;

const startHint = (what: string): string => `${what}

Start the service in another terminal and run this again:

  npm start
`;

async function loadDemo(dataDir: string): Promise<Demo> {
  const demo = await readDemo(dataDir);
  if (demo) return demo;
  throw new PlayError(
    `${startHint(`There is no demo: ${resolve(demoFile(dataDir))} is missing or unreadable.`)}
It creates the demo on an empty data folder (POSTHORN_DATA_DIR; not with DATABASE_URL or POSTHORN_DEMO=false).`,
  );
}

/** Says what to do when the service is away, or is not the one that this demo belongs to. */
async function checkService(api: Api, demo: Demo): Promise<void> {
  if (!(await api.isReady())) {
    throw new PlayError(`${startHint(`No Posthorn answers on ${api.url}.`)}
If it runs on another address: npm run demo -- --url http://127.0.0.1:4000`);
  }
  await api.call('GET', '/v1/event-types', accountOf(demo, 'merchant').key).catch((error: unknown) => {
    throw new PlayError(`The service on ${api.url} refuses the keys of this demo; it may use another data folder (POSTHORN_DATA_DIR).
${(error as Error).message}`);
  });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { url: { type: 'string' }, 'data-dir': { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) return console.log(USAGE);
  const config = readConfig();
  const api = new Api(values.url ?? `http://127.0.0.1:${config.PORT}`);
  const demo = await loadDemo(values['data-dir'] ?? config.POSTHORN_DATA_DIR);
  await checkService(api, demo);
  const run = newRun();
  const stage = new Stage(api, demo, run, (shown) => console.log(deliveryLine(shown)));
  process.once('SIGINT', () => {
    console.log('\nRemoving the endpoints …');
    void stage.close().finally(() => process.exit(INTERRUPTED));
  });
  try {
    await playTrade({ api, demo, run, stage, say: console.log, paceMs: process.stdout.isTTY ? PACE_MS : 0 });
  } finally {
    await stage.close();
  }
  console.log(`The endpoints are removed again. Every operation that was used: ${api.url}/docs/api`);
}

main().catch((error: unknown) => {
  const known =
    error instanceof PlayError ||
    error instanceof ConfigError ||
    String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS');
  console.error(known ? (error as Error).message : error);
  process.exitCode = 1;
});
