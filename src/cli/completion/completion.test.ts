import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { Shell } from '../../../test/helpers/cli.ts';
import { until } from '../../../test/helpers/engine.ts';

const run = promisify(execFile);
const shell = new Shell();
const scripts = new Map<string, string>();
for (const name of ['bash', 'zsh', 'fish']) {
  const file = join(shell.home, `completion.${name}`);
  writeFileSync(file, await shell.ok('completion', name));
  scripts.set(name, file);
}
mkdirSync(join(shell.home, 'content'));
writeFileSync(join(shell.home, 'content.xml'), '');
const folder = join(shell.home, 'beside');
mkdirSync(join(folder, 'posts'), { recursive: true });
writeFileSync(join(folder, 'posts', 'a b.md'), '');

/** What bash offers behind these words; the last one is being typed. */
async function offered(...words: string[]): Promise<string[]> {
  const script = `source "$1"; COMP_WORDS=(posthorn "\${@:2}"); COMP_CWORD=$(($# - 1)); _posthorn; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run('bash', ['-c', script, 'bash', scripts.get('bash') as string, ...words], {
    cwd: shell.home,
  });
  return stdout.split('\n').filter((line) => line !== '');
}

describe('bash', () => {
  const cases: [string[], string[]][] = [
    [['log'], ['login', 'logout']],
    [['posts', 'pu'], ['publish']],
    [['posts', 'list', '--st'], ['--status']],
    [['endpoints', 'up'], ['update']],
    [
      ['deliveries', 'd'],
      ['dead', 'discard'],
    ],
    [
      ['deliveries', 'discard', '--status', ''],
      ['DEAD', 'HELD', 'PENDING'],
    ],
    [
      ['endpoints', 'update', 'x', '--no-'],
      ['--no-description', '--no-headers', '--no-max-in-flight', '--no-rate'],
    ],
    [['posts', 'list', '--status', 'D'], ['DRAFT']],
    [
      ['--json', 'deliveries', 'list', '--status', ''],
      ['PENDING', 'DELIVERED', 'DEAD', 'HELD', 'DISCARDED'],
    ],
    [
      ['trigger', 'trade.c'],
      [
        'trade.cancelled',
        'trade.closed_unreciprocated',
        'trade.completed',
        'trade.counterparty_hold_started',
        'trade.created',
      ],
    ],
    [
      ['trades', 'list', '--status', 'C'],
      ['CREATED', 'CHECKOUT', 'COMPLETED', 'CANCELLED'],
    ],
    [
      ['inbound', 'list', '--verdict', 'RE'],
      ['REPEATED', 'REFUSED'],
    ],
    [
      ['inbound', 'list', '--event', 'item.un'],
      ['item.unreserved', 'item.unavailable'],
    ],
    [['events', 'tail', '--event', 'seller'], ['seller.linked']],
    [['endpoints', 'create', 'https://x.example', '--events', 'seller'], ['seller.linked']],
    [['keys', 'create', 'x', '--scope', 'ad'], ['admin']],
    [
      ['import', 'markdown', 'cont'],
      ['content', 'content.xml'],
    ],
    [['whoami', '--prof'], ['--profile']],
    [['whoami', '--profile', ''], []],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish', '--help', '--url', '--key', '--profile', '--json'],
    ],
    [['nothing', 'of', 'it'], []],
  ];
  for (const [words, expected] of cases) {
    test(`posthorn ${words.join(' ')}⇥`, async () => {
      assert.deepEqual((await offered(...words)).toSorted(), expected.toSorted());
    });
  }
});

/** What `posthorn` is given as its arguments when somebody types this in a terminal. */
async function typed(keys: string): Promise<string> {
  const child = spawn('script', ['-qec', 'bash --norc --noprofile -i', '/dev/null'], {
    cwd: folder,
    env: { ...shell.env, TERM: 'dumb', PS1: '$ ' },
    stdio: 'pipe',
  });
  let seen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (seen += text));
  const given = `posthorn() { printf 'GIVEN'; printf '<%s>' "$@"; echo; }`;
  child.stdin.write(`${given}; source '${scripts.get('bash')}'; echo re''ady\n`);
  await until('bash is ready', () => /^ready/m.test(seen));
  child.stdin.write(`posthorn ${keys}\n`);
  await until('the command has run', () => /^GIVEN.*>/m.test(seen)).catch((error: Error) => {
    throw new Error(`${error.message}: ${seen}`);
  });
  child.stdin.write('exit\n');
  await once(child, 'close');
  return /^GIVEN(.*)>/m.exec(seen)?.[0].slice('GIVEN'.length) ?? '';
}

describe('bash, in a terminal', () => {
  test('a command stays one beside a folder of its name', async () => {
    assert.equal(await typed('po\tli\t'), '<posts><list>');
  });

  test('names of files are completed as such: a folder goes on, a space is one of the name', async () => {
    assert.equal(await typed('import markdown po\ta\t'), '<import><markdown><posts/a b.md>');
  });
});

test('an unknown shell is refused', async () => {
  const { code, err } = await shell.run('completion', 'tcsh');
  assert.deepEqual([code, /Allowed choices are bash, zsh, fish/.test(err)], [2, true]);
});
