import { readFileSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { SETTINGS, type Setting } from './settings.ts';

/** Behind the name of a secret: the variable that names a file with it, as Docker and Kubernetes mount them. */
const BEHIND = '_FILE';
/** No secret is longer; a file that is was named by mistake. Bytes. */
const LARGEST = 65_536;

/** The variable of the file of a setting; null where it is no secret. */
export const fileVariableOf = (name: string, { secret }: Setting): string | null => (secret ? name + BEHIND : null);

/** All of those. */
export const FILE_VARIABLES: readonly string[] = Object.entries<Setting>(SETTINGS).flatMap(
  ([name, setting]) => fileVariableOf(name, setting) ?? [],
);

/** Files of secrets end with a line break, and files of Windows have one more character at it: what is mounted or read line by line has it too. */
export const withoutBreak = (value = ''): string => value.replace(/[\r\n]+$/, '');

/** What is said of a file for what the system says of it. */
const IN_WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'a file that does not exist',
  ENOTDIR: 'a file that does not exist',
  EACCES: 'a file that this user may not read',
  // What Docker makes where the file to be mounted is missing.
  EISDIR: 'a folder',
};

/** The secret that a file holds, or words that follow "names", of what is wrong with it. */
function secretIn(path: string): { value: string } | { fault: string } {
  try {
    if (statSync(path).size > LARGEST) return { fault: 'a file that is too large for a secret' };
    const value = withoutBreak(new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)));
    if (value === '') return { fault: 'a file that is empty' };
    // A URL or a key would be taken without the break, a password with it.
    return /[\r\n]/.test(value) ? { fault: 'a file of more than one line' } : { value };
  } catch (error) {
    const { code = 'UNKNOWN' } = error as NodeJS.ErrnoException;
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return { fault: 'a file that is not text in UTF-8' };
    return { fault: IN_WORDS[code] ?? `a file that cannot be read (${code})` };
  }
}

/** 32 bytes in base64, in either alphabet, and also without its padding: so much is taken for a master key. */
const KEY = /^[\w+/-]{43}=?$/;

/** Whether this is the path of a file for sure; else it may be the secret itself, which is not to be told: a key in base64 may begin with a slash as well. */
const isPath = (text: string): boolean =>
  isAbsolute(text) && /[/\\]/.test(text.slice(1)) && !text.includes('://') && !KEY.test(text);

/** What is written of a setting, `from` which variable, or what is wrong with how it is given. */
export type Written = { raw: string | undefined; from: string } | { fault: string };

/**
 * What an environment says of a setting: its variable, or for a secret the file that another one names. Both may be given
 * where they are the same, as by what sets variables of files before a start. Undefined where neither is; an empty one is as good as none.
 */
export function writtenOf(name: string, setting: Setting, env: Readonly<Record<string, string | undefined>>): Written {
  const raw = withoutBreak(env[name]) || undefined;
  const variable = fileVariableOf(name, setting);
  const path = variable === null ? '' : withoutBreak(env[variable]);
  if (variable === null || path === '') return { raw, from: name };
  const found = secretIn(path);
  if ('fault' in found) {
    const told = isPath(path) ? `: ${path}` : '; it takes the path of a file, best an absolute one';
    return { fault: `${variable} names ${found.fault}${told}` };
  }
  if (raw !== undefined && raw !== found.value)
    return { fault: `${name} and ${variable} are both set: take one of them out` };
  return { raw: found.value, from: `${name} (in the file of ${variable})` };
}
