import { createProgram } from '../../src/cli/program.ts';
import { SCRIPTS, scriptsOf } from './known-names.ts';

const NPM = new Set(['ci', 'test', 'start', 'exec', 'prune', 'install', 'link', 'run', 'pack']);

const helps = new Map<string, string>();

/** What `posthorn … --help` prints; nothing for words that are no command. */
function helpOf(words: readonly string[]): string {
  const key = words.join(' ');
  let help = helps.get(key);
  if (help === undefined) {
    help = '';
    let command: ReturnType<typeof createProgram> | undefined = createProgram();
    for (const word of words)
      command = command?.commands.find((one) => one.name() === word || one.aliases().includes(word));
    command?.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    helps.set(key, help);
  }
  return help;
}

/** Names in its lists of commands, whatever their headings are; options begin with a dash. */
const commandsIn = (help: string): string[] =>
  [...help.replace(/^Arguments:\n(?:.+\n)+/m, '').matchAll(/^ {2}([a-z][\w-]*)(?: |$)/gm)].map(
    (match) => match[1] as string,
  );

function posthornFault(words: readonly string[]): string | null {
  const path: string[] = [];
  for (const word of words) {
    const commands = commandsIn(helpOf(path)).filter((name) => name !== 'help');
    if (commands.length === 0 || !/^[a-z][\w-]*$/.test(word)) break;
    if (!commands.includes(word)) return `posthorn ${path.join(' ')} has no command ${word}`;
    path.push(word);
  }
  const known = new Set(helpOf(path).match(/--[a-z][a-z-]*/g));
  const unknown = words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0] ?? '');
  const [option] = unknown.filter((name) => name !== '--' && !known.has(name));
  return option === undefined ? null : `posthorn ${path.join(' ')} has no option ${option}`;
}

/** Commands in a block that shows a terminal: `$ posthorn …` or `posthorn …`, without the remark behind. */
export const commandsShown = (text: string): string[] =>
  [...text.matchAll(/^(?:\$ )?(?:.*\| )?(?:npx )?(posthorn .*)$/gm)].map((match) =>
    (match[1] as string)
      .replace(/ +#.*$/, '')
      .replace(/ &$/, '')
      .trim(),
  );

/** What is wrong with a command of npm or posthorn; null: nothing. */
export function commandFault(text: string): string | null {
  const words = text.split(/\s+/);
  if (words[0] === 'posthorn') return posthornFault(words.slice(1));
  const [, command = '', script = ''] = words.filter((word) => word !== '-s');
  if (!NPM.has(command)) return `npm has no ${command} here`;
  if (command !== 'run' || script === '…') return null;
  const workspace = words[words.indexOf('-w') + 1];
  const scripts = words.includes('-w') ? scriptsOf(`${workspace}/package.json`) : SCRIPTS;
  if (!scripts.has(script)) return `there is no script ${script}`;
  return script === 'posthorn' ? posthornFault(words.slice(words.indexOf('--') + 1)) : null;
}
