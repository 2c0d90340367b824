import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { ROOT } from '../../scripts/lib/step.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { childEnv } from '../helpers/child-env.ts';
import type { Block } from './page.ts';
import { openWorkshop } from './workshop.ts';

const EXTENSIONS: Readonly<Record<string, string>> = { js: 'mjs', ts: 'mts' };

/** Not in this thread: what runs asks the service, which is in this process. */
const run = async (
  program: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ ok: boolean; text: string }> =>
  promisify(execFile)(program, args, { env, encoding: 'utf8', timeout: 60_000 }).then(
    ({ stdout }) => ({ ok: true, text: stdout }),
    ({ stdout, stderr, message }: { stdout: string; stderr: string; message: string }) => ({
      ok: false,
      text: `${message}\n${stdout}${stderr}`,
    }),
  );

export const isScript = ({ language }: Block): boolean => language in EXTENSIONS;

const SECRET = 'whsec_ZG9jcw==';
const BODY = JSON.stringify({ event: 'checkout.started', tradeSessionId: 'ts_1' });

/** Headers of a genuine webhook, as the service sends them. */
function genuineHeaders(): Record<string, string> {
  const t = Math.floor(systemClock.now() / 1000);
  const hmac = (key: string | Buffer, head: string, to: 'hex' | 'base64'): string =>
    createHmac('sha256', key).update(`${head}${BODY}`).digest(to);
  const raw = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
  return {
    'x-service-signature': `t=${t},v1=${hmac(SECRET, `${t}.`, 'hex')}`,
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(t),
    'webhook-signature': `v1,${hmac(raw, `msg_1.${t}.`, 'base64')}`,
  };
}

/** Runs a script; one that exports `verify` has to take a genuine webhook and to throw at one with another body. */
const trial = (file: string): string => `
const { verify } = await import(${JSON.stringify(pathToFileURL(file))});
if (verify !== undefined) {
  const body = ${JSON.stringify(BODY)};
  const headers = ${JSON.stringify(genuineHeaders())};
  const event = await verify(Buffer.from(body), headers);
  if (event?.event !== 'checkout.started') throw new Error('verify does not give the event');
  let refused = false;
  try { await verify(Buffer.from(body + ' '), headers); } catch { refused = true; }
  if (!refused) throw new Error('verify takes a body that was changed');
}
`;

async function runScript(block: Block, file: string, values: Readonly<Record<string, string>>): Promise<string[]> {
  const secrets = { SIGNING_SECRET: SECRET, POSTHORN_SIGNING_SECRET: SECRET, POSTHORN_KEY: values['BLOG_KEY'] ?? '' };
  const env = { ...childEnv, ...values, ...secrets };
  const { ok, text } = await run(process.execPath, ['--input-type=module', '--eval', trial(file)], env);
  return ok ? [] : [`${block.page}:${block.line}: fails\n${text}`];
}

const OPTIONS = {
  strict: true,
  noEmit: true,
  module: 'nodenext',
  target: 'esnext',
  types: ['node'],
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  paths: {
    '@posthorn/client': [join(ROOT, 'client/src/index.ts')],
    '@posthorn/client/*': [join(ROOT, 'client/src/*/index.ts')],
  },
};

/** Types of all TypeScript blocks at once. */
async function typeFaults(folder: string, files: ReadonlyMap<string, Block>): Promise<string[]> {
  const typed = [...files].filter(([, { language }]) => language === 'ts');
  if (typed.length === 0) return [];
  const compilerOptions = { ...OPTIONS, typeRoots: [join(ROOT, 'node_modules/@types')] };
  const project = join(folder, '../tsconfig.json');
  writeFileSync(project, JSON.stringify({ compilerOptions, files: typed.map(([file]) => file) }));
  const { text } = await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', project], childEnv);
  const lines = text.split('\n').filter((line) => line.includes('error TS'));
  return lines.map((line) => {
    const block = typed.find(([file]) => line.includes(file.split('/').at(-1) as string))?.[1];
    return `${block?.page}:${block?.line}: ${line}`;
  });
}

/**
 * Runs the blocks of JavaScript and TypeScript, each as a file of its own, and checks the types of the latter. One with a
 * file name is run by the shell blocks of its page; `url`: where the service is.
 */
export async function scriptFaults(
  blocks: readonly Block[],
  values: Readonly<Record<string, string>>,
  url: string,
): Promise<string[]> {
  const { folder } = openWorkshop(`scripts-${blocks[0]?.page.replaceAll('/', '_')}`);
  const files = new Map<string, Block>();
  for (const block of blocks) {
    const file = join(folder, `line-${block.line}-${files.size}.${EXTENSIONS[block.language]}`);
    writeFileSync(file, block.text.replaceAll('http://127.0.0.1:3000', url));
    files.set(file, block);
  }
  const faults = await typeFaults(folder, files);
  for (const [file, block] of files)
    if (block.attributes['file'] === undefined) faults.push(...(await runScript(block, file, values)));
  return faults;
}
