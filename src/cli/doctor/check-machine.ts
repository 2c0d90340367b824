import { existsSync } from 'node:fs';
import { access, constants, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Config } from '../../platform/config/index.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

const MIB = 1024 * 1024;
/** Bytes. */
const WARN_BELOW = 1024 * MIB;
const FAIL_BELOW = 100 * MIB;

const told = (bytes: number): string =>
  bytes < 10 * 1024 * MIB ? `${Math.floor(bytes / MIB)} MiB` : `${Math.floor(bytes / (1024 * MIB))} GiB`;

/** The nearest folder that there is. */
function present(path: string): string {
  const full = resolve(path);
  return existsSync(full) ? full : present(dirname(full));
}

/** What is free on a disk. */
export function spaceFinding(free: number, where: string): Finding {
  const what = 'disk';
  const found = `${told(free)} free (${where})`;
  const todo = 'free some space, or move POSTHORN_DATA_DIR to a larger disk';
  if (free < FAIL_BELOW) return fail(what, found, todo);
  return free < WARN_BELOW ? warn(what, found, todo) : ok(what, found);
}

/** Numbers of file systems in memory, by which Linux tells them: tmpfs, ramfs. */
const IN_MEMORY = [0x01021994, 0x858458f6];

/** What is to be said of the folder in which data is kept; `refused`: the code with which the system refuses to write there. */
export function folderFinding(dir: string, { type, refused }: { type: number; refused: string | null }): Finding {
  const what = 'data folder';
  if (refused === 'EROFS') {
    return fail(
      what,
      `${dir} is on a read-only file system`,
      'mount it for writing, or set POSTHORN_DATA_DIR to another folder',
    );
  }
  if (refused !== null) {
    const todo = 'give this user the right, or set POSTHORN_DATA_DIR to another folder';
    return fail(what, `this user may not write to ${dir} (${refused})`, todo);
  }
  if (IN_MEMORY.includes(type)) {
    const todo = 'set POSTHORN_DATA_DIR to a folder on a disk or a volume, unless nothing is to be kept';
    return warn(
      what,
      `${dir} is in memory (tmpfs): what is kept there is lost when the machine or the container restarts`,
      todo,
    );
  }
  return ok(what, `${dir} can be written`);
}

/** The data folder, and its disk. With PostgreSQL and a master key of the settings nothing is kept in it. */
export async function checkFolder(config: Config): Promise<Finding[]> {
  const { POSTHORN_DATA_DIR: dir, DATABASE_URL, POSTHORN_MASTER_KEY } = config;
  const folder = present(dir);
  const { bavail, bsize, type } = await statfs(folder);
  const space = spaceFinding(bavail * bsize, dir);
  if (DATABASE_URL !== undefined && POSTHORN_MASTER_KEY !== undefined) return [space];
  const refused = await access(folder, constants.W_OK).then(
    () => null,
    ({ code = 'EACCES' }: NodeJS.ErrnoException) => code,
  );
  return [folderFinding(dir, { type, refused }), space];
}
