import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { ROOT } from '../../scripts/lib/step.ts';
import { checkJson, checkNginx, checkYaml } from './documents.ts';
import { type Block, type Page, placeOf } from './page.ts';
import { isScript, scriptFaults } from './scripts.ts';
import { runPage } from './shell.ts';
import type { World } from './world.ts';

export interface Result {
  faults: string[];
  /** Blocks that ran, or whose content was held against the code, by language. */
  executed: Record<string, number>;
  /** Blocks that another file runs: where they are, and which. */
  elsewhere: string[];
}

const SHELLS = new Set(['sh', 'bash']);
/** Languages that are read, and what each has to be. `text` is a drawing or what a command prints. */
const READ: Readonly<Record<string, (block: Block) => void>> = {
  json: checkJson,
  yaml: checkYaml,
  nginx: checkNginx,
  text: () => undefined,
};

async function faultOfSql(block: Block, world: World): Promise<string[]> {
  const { db } = world.service.service.opened.platform;
  const statements = block.text.split(/;\s*$/m).map((text) => text.trim());
  try {
    for (const text of statements.filter((one) => one !== '')) await sql.raw(text).execute(db);
    return [];
  } catch (error) {
    return [`${placeOf(block)}: ${(error as Error).message}`];
  }
}

function faultOfRead(block: Block): string[] {
  try {
    READ[block.language]?.(block);
    return [];
  } catch (error) {
    return [`${placeOf(block)}: ${(error as Error).message}`];
  }
}

/** What a script of the package starts, or the command itself. */
function startedBy(command: string): string {
  const [, name = ''] = /^npm run ([\w-]+)$/.exec(command) ?? [];
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  return scripts[name]?.split(' ').at(-1) ?? command;
}

/** A test has to read the page, to run what stands there; any other file has to start what each line of the block does. */
function faultOfRunner(block: Block, runner: string): string[] {
  const file = join(ROOT, runner);
  if (!existsSync(file)) return [`${placeOf(block)}: there is no ${runner} to run it`];
  const source = readFileSync(file, 'utf8');
  const lines = block.text.split('\n').map((line) => line.replace(/#.*/, '').trim());
  const wanted = runner.endsWith('.test.ts')
    ? [`'${block.page}'`]
    : lines.flatMap((line) => line.split(' && ')).filter((line) => line !== '');
  return wanted
    .filter((text) => !source.includes(startedBy(text)))
    .map((text) => `${placeOf(block)}: ${runner} has nothing of ${text}`);
}

/** Whether a page starts the service by its own commands. */
const startsItself = (page: Page): boolean => page.blocks.some(({ attributes }) => attributes['background'] === '3000');

/** Runs every block of a page. */
export async function runBlocks(page: Page, world: World): Promise<Result> {
  const result: Result = { faults: [], executed: {}, elsewhere: [] };
  const count = (block: Block): void =>
    void (result.executed[block.language] = (result.executed[block.language] ?? 0) + 1);
  const { url } = world.service;
  for (const block of page.blocks) {
    const { language, attributes } = block;
    const runner = attributes['run-by'];
    if (runner !== undefined) {
      result.elsewhere.push(`${placeOf(block)} by ${runner}`);
      result.faults.push(...faultOfRunner(block, runner));
    } else if (language === 'sql') {
      result.faults.push(...(await faultOfSql(block, world)));
      count(block);
    } else if (language in READ) {
      result.faults.push(...faultOfRead(block));
      if (language !== 'text' || attributes['output'] !== undefined) count(block);
    } else if (!SHELLS.has(language) && !isScript(block)) {
      result.faults.push(`${placeOf(block)}: nobody knows how to run "${language}"`);
    }
  }
  const scripts = page.blocks.filter((block) => isScript(block) && block.attributes['run-by'] === undefined);
  if (scripts.length > 0) result.faults.push(...(await scriptFaults(scripts, world.values, url)));
  for (const block of scripts) count(block);
  if (page.blocks.some(({ language, attributes }) => SHELLS.has(language) && attributes['run-by'] === undefined)) {
    const ran = await runPage(page, world.values, startsItself(page) ? undefined : url);
    result.faults.push(...ran.faults);
    if (ran.executed > 0) result.executed['sh'] = ran.executed;
  }
  return result;
}
