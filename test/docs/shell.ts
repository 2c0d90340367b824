import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { childEnv } from '../helpers/child-env.ts';
import type { Block, Page } from './page.ts';
import { openWorkshop, type Workshop } from './workshop.ts';

/** For all the blocks of a page. Milliseconds. */
const LONGEST_MS = 240_000;
/** What pages call the service and a receiver, where they start one themselves. */
const SERVICE_PORT = '3000';
const RECEIVER_PORT = '4000';

export interface Ran {
  /** A line for each block that did not do what the page says. */
  faults: string[];
  executed: number;
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return String(port);
}

const isShell = ({ language }: Block): boolean => language === 'sh' || language === 'bash';

/** What a page leaves to its reader: `NAME=…`, behind which a comment may say what it is. */
const LEFT_OPEN = /^(export )?([A-Z_]+)=…/gm;

function filled(block: Block, values: Readonly<Record<string, string>>, faults: string[]): string {
  const text = block.text.replaceAll(LEFT_OPEN, (_all, before = '', name: string) => {
    const value = values[name];
    if (value === undefined) faults.push(`${block.page}:${block.line}: the test has no value for ${name}`);
    return `${before}${name}='${value ?? ''}'`;
  });
  if (/^[^#]*…/m.test(text)) faults.push(`${block.page}:${block.line}: "…" is for nobody to run`);
  return text;
}

interface Step {
  /** Of the file beside the folder that holds the block. */
  name: string;
  /** It goes on running, and what follows waits for this. */
  port?: string;
  /** It is no command, but is saved under this name. */
  file?: string;
  /** It is no command, but waits until this step has printed so many lines. */
  awaits?: { name: string; lines: number };
}

function lineOf({ name, port, file, awaits }: Step, beside: string): string {
  if (awaits !== undefined) return `prints "${beside}/${awaits.name}.out" ${awaits.lines}`;
  if (file !== undefined) return `cp "${beside}/${name}" ${file}`;
  const run = `. "${beside}/${name}" > "${beside}/${name}.out" 2>&1`;
  return port === undefined ? `echo ${name} >&3\n${run}` : `echo ${name} >&3\n( ${run} ) &\nopens ${port}`;
}

/** The page as one script: what a block sets is there in the next ones, and the first that fails ends it. */
const scriptOf = (steps: readonly Step[], beside: string): string => `set -Eeuo pipefail
trap 'echo "::failed" >&3' ERR
opens() {
  for _ in $(seq 600); do (exec 4<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return; sleep 0.1; done
  echo "nothing listens on $1"; return 1
}
prints() {
  for _ in $(seq 300); do [ "$(wc -l < "$1")" -ge "$2" ] && return; sleep 0.1; done
}
${steps.map((step) => lineOf(step, beside)).join('\n')}
echo ::done >&3
`;

async function run(script: string, { folder, programs }: Workshop, env: Record<string, string>): Promise<string[]> {
  writeFileSync(join(folder, '../page.sh'), script);
  const child: ChildProcess = spawn('bash', ['../page.sh'], {
    cwd: folder,
    env: {
      ...childEnv,
      HOME: join(folder, '..'),
      ...env,
      PATH: `${programs}:${join(process.execPath, '..')}:${childEnv['PATH']}`,
    },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    // A group of its own, which ends with all that the page has started.
    detached: true,
  });
  let said = '';
  child.stdio[3]?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
  await once(child, 'exit');
  clearTimeout(timer);
  try {
    process.kill(-(child.pid as number), 'SIGKILL');
  } catch {
    // Nothing of it runs any more.
  }
  return said.trim().split('\n');
}

/** Whether a text has these lines in this order; `…` stands for anything. */
export function hasLines(text: string, lines: readonly string[]): string | null {
  const rest = text.split('\n').map((line) => line.trim());
  for (const line of lines.map((one) => one.trim()).filter((one) => one !== '')) {
    const pattern = new RegExp(
      `^${line
        .split('…')
        .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
        .join('.*')}$`,
    );
    const at = rest.findIndex((one) => pattern.test(one));
    if (at < 0) return `does not print: ${line}`;
    rest.splice(0, at + 1);
  }
  return null;
}

const textIf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');

function outputFaults(page: Page, outOf: (block: Block) => string): string[] {
  return page.blocks.flatMap((block, i) => {
    const port = block.attributes['output'];
    if (port === undefined) return [];
    const earlier = page.blocks.slice(0, i).filter(isShell);
    const before =
      port === '' ? earlier.at(-1) : earlier.findLast(({ attributes }) => attributes['background'] === port);
    if (!before) return [`${block.page}:${block.line}: no command prints this`];
    const fault = hasLines(outOf(before), block.text.split('\n'));
    return fault === null ? [] : [`${block.page}:${before.line}: ${fault}\nbut:\n${outOf(before)}`];
  });
}

/**
 * Runs the shell blocks of a page, one after the other in one bash, in a folder like a clone of the repository.
 *
 * @param values what the page leaves open
 * @param url where the service is; undefined for a page that starts its own
 */
export async function runPage(page: Page, values: Readonly<Record<string, string>>, url?: string): Promise<Ran> {
  const faults: string[] = [];
  const workshop = openWorkshop(page.path.replaceAll('/', '_'));
  const [port, receiverPort] = [url === undefined ? await freePort() : new URL(url).port, await freePort()];
  const placed = (text: string): string =>
    text
      .replaceAll(`127.0.0.1:${SERVICE_PORT}`, `127.0.0.1:${port}`)
      .replaceAll(new RegExp(`\\b${RECEIVER_PORT}\\b`, 'g'), receiverPort);
  const beside = join(workshop.folder, '..');
  const can = ({ attributes }: Block): boolean =>
    attributes['run-by'] === undefined && (attributes['needs'] !== 'postgres' || values['DATABASE_URL'] !== undefined);
  const nameOf = (block: Block): string => `line-${block.line}`;
  const outOf = (block: Block): string => textIf(join(beside, `${nameOf(block)}.out`));
  const isFile = ({ attributes }: Block): boolean => attributes['file'] !== undefined;
  const isAwaited = ({ attributes }: Block): boolean => (attributes['output'] ?? '') !== '';
  const steps = page.blocks.filter((block) => (isShell(block) || isFile(block) || isAwaited(block)) && can(block));
  const blocks = steps.filter((block) => !isFile(block) && !isAwaited(block));
  for (const block of steps) {
    const text = isFile(block) || isAwaited(block) ? block.text : filled(block, values, faults);
    writeFileSync(join(beside, nameOf(block)), placed(text));
  }
  const stepOf = (block: Block): Step => {
    const { file, background, output } = block.attributes;
    const shown = blocks.find(({ attributes }) => isAwaited(block) && attributes['background'] === output);
    return {
      ...(shown ? { awaits: { name: nameOf(shown), lines: block.text.trim().split('\n').length } } : {}),
      name: nameOf(block),
      ...(file === undefined ? {} : { file }),
      ...(background === undefined ? {} : { port: background === SERVICE_PORT ? port : receiverPort }),
    };
  };
  const said = await run(scriptOf(steps.map(stepOf), beside), workshop, url === undefined ? { PORT: port } : {});
  if (said.at(-1) !== '::done') {
    const last = blocks.find((block) => nameOf(block) === said.findLast((line) => !line.startsWith('::')));
    if (last) faults.push(`${page.path}:${last.line}: fails\n${outOf(last)}`);
    else faults.push(`${page.path} does not run: ${said.join()}`);
  }
  const failures = textIf(workshop.failures);
  if (failures !== '') faults.push(`${page.path}: ${failures}`);
  faults.push(...outputFaults(page, outOf));
  return { faults, executed: blocks.length };
}
