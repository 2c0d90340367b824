import type { Command } from 'commander';
import { wrongUse } from './failure.ts';

const isEmpty = (value: unknown): boolean =>
  typeof value === 'string' ? value.trim() === '' : Array.isArray(value) && value.some(isEmpty);

function emptyOption(command: Command): string | undefined {
  const found = command.options.find((option) => isEmpty(command.getOptionValue(option.attributeName())));
  return found?.long ?? (command.parent ? emptyOption(command.parent) : undefined);
}

/** Fails for an argument or an option without a text, as a variable of the shell that is not set leaves it: it names nothing. */
export function checkGiven(command: Command): void {
  const at = command.args.findIndex(isEmpty);
  const name = at === -1 ? undefined : (command.registeredArguments[at] ?? command.registeredArguments.at(-1))?.name();
  const empty = name === undefined ? emptyOption(command) : `<${name}>`;
  if (empty !== undefined) throw wrongUse(`${empty} is empty`);
}
