import type { Command, Option } from 'commander';
import { EVENTS } from '../../contracts/events/index.ts';

/** A word that may come next, and what it does. */
export interface Word {
  text: string;
  says: string;
}

/** An option that takes a value, under each of its names. */
export interface Valued {
  names: string[];
  /** Empty: anything. */
  values: readonly string[];
}

/** What may come behind a command. */
export interface Place {
  /** The words of the command after `posthorn`, each with a space before it; empty for none. */
  at: string;
  words: Word[];
  options: Word[];
  valued: Valued[];
  /** Names of files may come. */
  files: boolean;
}

/** Arguments whose values are known here, by name. */
const NAMES = Object.keys(EVENTS);
const VALUES: Readonly<Record<string, readonly string[]>> = { event: NAMES, events: NAMES, webhook: NAMES };
const FILES = new Set(['file', 'folder']);

const namesOf = ({ long, short }: Option): string[] => [long, short].filter((name) => name != null);

const firstLine = (text: string): string => (text.split('\n', 1)[0] as string).replaceAll(/['"`$\\]/g, '’');

function placeOf(command: Command, at: string, globals: readonly Option[]): Place {
  const help = command.createHelp();
  const subs = help.visibleCommands(command).filter((sub) => sub.name() !== 'help');
  const args = command.registeredArguments;
  const options = [...help.visibleOptions(command), ...globals];
  const values = args.flatMap((argument) => argument.argChoices ?? VALUES[argument.name()] ?? []);
  return {
    at,
    words: [
      ...subs.map((sub) => ({ text: sub.name(), says: firstLine(sub.description()) })),
      ...values.map((text) => ({ text, says: '' })),
    ],
    options: options.flatMap((o) => (o.long ? [{ text: o.long, says: firstLine(o.description) }] : [])),
    valued: options
      .filter((o) => o.required || o.optional)
      .map((o) => ({ names: namesOf(o), values: o.argChoices ?? VALUES[o.long?.slice(2) ?? ''] ?? [] })),
    files: args.some((argument) => FILES.has(argument.name())),
  };
}

/** Every place in the command line, the root first. */
export function placesOf(program: Command): Place[] {
  const walk = (command: Command, at: string, globals: readonly Option[]): Place[] => [
    placeOf(command, at, globals),
    ...command.commands.flatMap((sub) =>
      walk(
        sub,
        `${at} ${sub.name()}`,
        program.options.filter((o) => o.long !== '--version'),
      ),
    ),
  ];
  return walk(program, '', []);
}

/** The first case in which the words so far name a command. */
export const namedCase = (places: readonly Place[]): string =>
  places
    .filter(({ at }) => at !== '')
    .map(({ at }) => `'${at}'`)
    .join(' | ');

/** `case` arms of bash and zsh: the values of options, then what may come behind each command. */
export function arms(places: readonly Place[]): { values: string; words: string } {
  const values = places.flatMap(({ at, valued }) =>
    valued.map(({ names, values: known }) => {
      const labels = names.map((name) => `'${at} ${name}'`).join(' | ');
      return `      ${labels}) list='${known.join(' ')}' ;;`;
    }),
  );
  const words = places.map(({ at, words: next, options, files }) => {
    const list = [...next, ...options].map(({ text }) => text).join(' ');
    return `        '${at}') list='${list}'${files ? ' files=1' : ''} ;;`;
  });
  return { values: values.join('\n'), words: words.join('\n') };
}
