import { text } from 'node:stream/consumers';
import { Failure, wrongUse } from '../failure.ts';
import { interruption } from '../interrupt.ts';
import { remark } from './print.ts';

// Prompts go to stderr, so that what is printed can be piped; loaded only where something is asked.
const CONTEXT = { output: process.stderr, signal: interruption };

const isTerminal = (): boolean => process.stdin.isTTY;

/** A line of text. Fails where nobody can be asked; `instead` says which option would do. */
export async function askLine(message: string, instead: string, suggestion?: string): Promise<string> {
  if (!isTerminal()) throw wrongUse(`${instead} is needed where there is no terminal to ask on`);
  const { default: input } = await import('@inquirer/input');
  const options = suggestion === undefined ? { message } : { message, default: suggestion };
  return input({ ...options, required: true }, CONTEXT);
}

/** A password; what is typed is not shown. */
export async function askPassword(message: string, instead: string): Promise<string> {
  if (!isTerminal()) throw wrongUse(`${instead} is needed where there is no terminal to ask on`);
  const { default: password } = await import('@inquirer/password');
  return password({ message, mask: false }, CONTEXT);
}

/** What comes by standard input, without the line's end. */
export async function readStdin(): Promise<string> {
  return (await text(process.stdin)).replace(/\r?\n$/, '');
}

/** Asks before what cannot be undone, unless `--yes` was given, and says what to know about it. Fails where nobody can be asked, or says no. */
export async function confirm(
  what: string,
  { yes }: { yes?: boolean },
  warning: () => Promise<string | null> = async () => null,
): Promise<void> {
  if (!yes && !isTerminal()) throw wrongUse(`${what} needs --yes where there is no terminal to ask on`);
  const warned = await warning();
  if (warned !== null) remark(warned);
  if (yes) return;
  const { default: ask } = await import('@inquirer/confirm');
  if (!(await ask({ message: `${what}?`, default: false }, CONTEXT))) throw new Failure('nothing was done');
}
