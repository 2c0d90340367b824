import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../lib/make-folder.ts';
import { readClientVariables } from '../../platform/config/client-variables.ts';
import { Failure } from '../failure.ts';
import { exclusively } from './file-lock.ts';

/** A service, and who one is there. */
export interface Profile {
  url: string;
  /** An access token or an API key. */
  credential: string;
  /** Whose access token it is. */
  email?: string;
  expiresAt?: string;
  /** By account: the signing secret that `listen` verifies with, and the key that it was issued with. */
  listening?: Record<string, KeptSecret>;
}

/** A signing secret, and the key that it was issued with. */
export interface KeptSecret {
  keyId: string;
  signingSecret: string;
}
type Profiles = Record<string, Profile>;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTextOrAbsent = (value: unknown): boolean => value === undefined || typeof value === 'string';

const isListening = (value: unknown): boolean =>
  isObject(value) && typeof value.keyId === 'string' && typeof value.signingSecret === 'string';

/** By hand: a library for it would take longer to load than all the rest of a command. */
const isProfile = (value: unknown): value is Profile =>
  isObject(value) &&
  typeof value.url === 'string' &&
  typeof value.credential === 'string' &&
  isTextOrAbsent(value.email) &&
  isTextOrAbsent(value.expiresAt) &&
  (value.listening === undefined || (isObject(value.listening) && Object.values(value.listening).every(isListening)));

const isProfiles = (value: unknown): value is Profiles => isObject(value) && Object.values(value).every(isProfile);

/** Where they are kept: `posthorn/credentials.json` in XDG_CONFIG_HOME, or in `~/.config`. */
export const credentialsFile = (): string =>
  join(readClientVariables().configHome ?? join(homedir(), '.config'), 'posthorn', 'credentials.json');

async function checkMode(file: string): Promise<void> {
  if (process.platform === 'win32') return;
  const { mode } = await stat(file);
  if ((mode & 0o077) !== 0) throw new Failure(`others can read ${file}: close it with "chmod 600 ${file}"`);
}

/** What is kept; empty when there is no file. Fails when others may read it, or when it is none of ours. */
export async function readProfiles(): Promise<Profiles> {
  const file = credentialsFile();
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  if (text === null) return {};
  await checkMode(file);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  const profiles = isObject(value) ? value.profiles : undefined;
  if (!isProfiles(profiles)) throw new Failure(`cannot read ${file}: remove it, and run "posthorn login" again`);
  return profiles;
}

/** Replaced as a whole or not at all, and readable for its owner only from its first moment. */
async function write(profiles: Profiles): Promise<void> {
  const file = credentialsFile();
  const draft = `${file}.${randomUUID()}.part`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify({ profiles }, null, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/**
 * Replaces a profile by what `change` makes of it as it is at this moment; null removes it. Others stay as they are, also those
 * that another process changes at the same time. Gives what is kept now.
 */
export async function changeProfile(
  name: string,
  change: (now: Profile | null) => Profile | null,
): Promise<Profile | null> {
  const file = credentialsFile();
  await makeFolder(dirname(file));
  return exclusively(file, async () => {
    const { [name]: now = null, ...others } = await readProfiles();
    const next = change(now);
    if (next !== now) await write(next === null ? others : { ...others, [name]: next });
    return next;
  });
}
