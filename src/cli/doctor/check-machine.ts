import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
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

/** The disk of the data folder. */
export async function checkDisk({ POSTHORN_DATA_DIR: dir }: Config): Promise<Finding> {
  const { bavail, bsize } = await statfs(present(dir));
  return spaceFinding(bavail * bsize, dir);
}
