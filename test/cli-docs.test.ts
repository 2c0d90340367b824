import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Command } from 'commander';
import { ROOT } from '../scripts/lib/step.ts';
import { EXIT } from '../src/cli/exit-codes.ts';
import { createProgram } from '../src/cli/program.ts';

const PAGES = ['docs/cli.md', 'docs/blog.md', 'docs/getting-started.md', 'README.md'];
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const program = createProgram();

/** The words of each `posthorn …` in the code of a page, without what the shell makes of them. */
function linesOf(path: string): string[][] {
  const blocks = [...textOf(path).matchAll(/```(?:sh|text)[^\n]*\n([\s\S]*?)```/g)].map(([, code = '']) => code);
  const lines = blocks
    .flatMap((code) => code.split('\n'))
    .filter((line) => !line.startsWith('posthorn()'))
    .map((line) => line.replace(/\s#\s.*$/, ''));
  const calls = lines.flatMap((line) => [
    ...line.matchAll(/(?:^|[\s(])(?:npx posthorn|npm run -s posthorn --|posthorn) ([^)&]+)/g),
  ]);
  return calls.map(([, rest = '']) => [...rest.matchAll(/"[^"]*"|\S+/g)].map(([word]) => word.replaceAll('"', '')));
}

/** The command that the words name, and the words behind it. */
function resolve(words: readonly string[]): { command: Command; rest: readonly string[]; path: string } {
  let command = program;
  let at = 0;
  for (; at < words.length; at++) {
    const next = command.commands.find((c) => c.name() === words[at]);
    if (!next) break;
    command = next;
  }
  return { command, rest: words.slice(at), path: words.slice(0, at).join(' ') };
}

function pathsOf(command: Command, before = ''): string[] {
  const visible = program
    .createHelp()
    .visibleCommands(command)
    .filter((c) => c.name() !== 'help');
  return visible.flatMap((c) =>
    c.commands.length > 0 ? pathsOf(c, `${before}${c.name()} `) : [`${before}${c.name()}`],
  );
}

describe('what the pages say of the command line', () => {
  const calls = PAGES.flatMap((page) => linesOf(page).map((words) => ({ page, words, ...resolve(words) })));

  test('there are commands in them', () => assert.ok(calls.length > 60, String(calls.length)));

  for (const { page, words, command, rest } of calls) {
    test(`${page}: posthorn ${words.join(' ')}`, () => {
      assert.equal(command.commands.length, 0, `${rest[0] ?? 'nothing'} is no command`);
      const known = [...program.options, ...command.options];
      const options = rest.filter((word) => word.startsWith('--'));
      for (const option of options)
        assert.ok(
          known.some(({ long }) => long === option),
          `there is no ${option}`,
        );
      const needed = command.registeredArguments.filter(({ required }) => required).length;
      assert.ok(
        rest.filter((word) => !word.startsWith('-') || word === '-').length >= needed,
        'an argument is missing',
      );
    });
  }

  test('docs/cli.md has an example of every command', () => {
    const told = new Set(linesOf('docs/cli.md').map((words) => resolve(words).path));
    const missing = pathsOf(program).filter((path) => !told.has(path) && !/^posts (import|export)/.test(path));
    assert.deepEqual(missing, []);
  });

  test('docs/cli.md has every exit code', () => {
    const rows = [...textOf('docs/cli.md').matchAll(/^\| (\d+) \| .*$/gm)].map(([row]) => row);
    for (const code of Object.values(EXIT))
      assert.ok(
        rows.some((row) => new RegExp(`\\b${code}\\b`).test(row)),
        String(code),
      );
  });

  test('every command and option says what it does', () => {
    const silent: string[] = [];
    const walk = (command: Command): void => {
      if (command.description() === '') silent.push(command.name());
      for (const option of command.options)
        if (option.description === '' && !option.hidden) silent.push(`${command.name()} ${option.long}`);
      for (const sub of command.commands) walk(sub);
    };
    walk(program);
    assert.deepEqual(silent, []);
  });
});
