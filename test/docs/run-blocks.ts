import { spawnSync } from 'node:child_process';
import { sql } from 'kysely';
import { checkJson, checkNginx, checkYaml } from './documents.ts';
import { type Block, type Page, placeOf } from './page.ts';
import { isScript, scriptFaults } from './scripts.ts';
import { runPage } from './shell.ts';
import type { World } from './world.ts';

export interface Result {
  faults: string[];
  /** Blocks that ran, or whose content was held against the code, by language. */
  executed: Record<string, number>;
  /** Blocks that nobody can run here: where, and why. */
  notRun: string[];
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

/** A shell block that is not run has to be one at least. */
function faultOfSyntax(block: Block): string[] {
  const { status, stderr } = spawnSync('bash', ['-n'], { input: block.text, encoding: 'utf8' });
  return status === 0 ? [] : [`${placeOf(block)}: ${stderr}`];
}

/** Whether a page starts the service by its own commands. */
const startsItself = (page: Page): boolean => page.blocks.some(({ attributes }) => attributes['background'] === '3000');

/** Runs every block of a page. */
export async function runBlocks(page: Page, world: World): Promise<Result> {
  const result: Result = { faults: [], executed: {}, notRun: [] };
  const count = (block: Block): void =>
    void (result.executed[block.language] = (result.executed[block.language] ?? 0) + 1);
  const { url } = world.service;
  for (const block of page.blocks) {
    const { language, attributes } = block;
    const reason = attributes['not-run'];
    if (reason !== undefined) {
      result.notRun.push(`${placeOf(block)}: ${reason}`);
      if (reason.length < 10) result.faults.push(`${placeOf(block)}: why is it not run?`);
      result.faults.push(...(SHELLS.has(language) ? faultOfSyntax(block) : faultOfRead(block)));
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
  const scripts = page.blocks.filter((block) => isScript(block) && block.attributes['not-run'] === undefined);
  if (scripts.length > 0) result.faults.push(...(await scriptFaults(scripts, world.values, url)));
  for (const block of scripts) count(block);
  if (page.blocks.some(({ language }) => SHELLS.has(language))) {
    const ran = await runPage(page, world.values, startsItself(page) ? undefined : url);
    result.faults.push(...ran.faults);
    if (ran.executed > 0) result.executed['sh'] = ran.executed;
  }
  return result;
}
