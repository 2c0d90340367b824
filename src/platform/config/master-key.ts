import { randomBytes } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../lib/make-folder.ts';
import type { Config } from './config.ts';

/** Bytes. */
const LENGTH = 32;

type Settings = Pick<Config, 'POSTHORN_MASTER_KEY' | 'POSTHORN_DATA_DIR'>;

const fileIn = (dir: string): string => join(dir, 'master.key');

/** Under its name it is whole, whatever ends the process or fills the disk: a key that was cut short would keep every later start from succeeding. */
async function keep(key: Buffer, dir: string): Promise<void> {
  const unfinished = `${fileIn(dir)}.new`;
  await makeFolder(dir);
  const file = await open(unfinished, 'w', 0o600);
  try {
    await file.chmod(0o600);
    await file.writeFile(`${key.toString('base64')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, fileIn(dir));
}

/** The master key of the settings, or the one in the data folder; null where there is none yet. Throws when the file cannot be read, or holds no key. */
export async function findMasterKey({
  POSTHORN_MASTER_KEY: set,
  POSTHORN_DATA_DIR: dir,
}: Settings): Promise<Buffer | null> {
  if (set !== undefined) return Buffer.from(set, 'base64');
  const file = fileIn(dir);
  const found = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new Error(`the master key cannot be read: ${error.message}`, { cause: error });
  });
  if (found === null) return null;
  const key = Buffer.from(found.trim(), 'base64');
  if (key.length === LENGTH) return key;
  throw new Error(
    `${file} does not hold the master key (32 bytes in base64): restore it from a backup. Remove it only if it is lost: a start then makes another one, which opens none of the secrets in the database`,
  );
}

/** The same; where there is none yet it is made, and kept in the data folder (embedded database only). */
export async function masterKeyOf(settings: Settings): Promise<Buffer> {
  const found = await findMasterKey(settings);
  if (found !== null) return found;
  const key = randomBytes(LENGTH);
  const { POSTHORN_DATA_DIR: dir } = settings;
  await keep(key, dir).catch((error: Error) => {
    throw new Error(`the master key cannot be kept in ${dir}: ${error.message}`, { cause: error });
  });
  return key;
}
