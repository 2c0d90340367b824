import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Whether there is a folder. */
const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** What hinders the making of a folder; null: it is there. */
async function faultOf(folder: string): Promise<NodeJS.ErrnoException | null> {
  try {
    await mkdir(folder, { mode: 0o700 });
    return null;
  } catch (error) {
    return (await isFolder(folder)) ? null : (error as NodeJS.ErrnoException);
  }
}

/**
 * Makes a folder that is this user's alone, and those above it that are missing. With `recursive` Node tries for ever where a folder that is there
 * takes no other and the system says that it is not there (below `/proc`). Throws what the system says.
 */
export async function makeFolder(path: string): Promise<void> {
  const folder = resolve(path);
  const fault = await faultOf(folder);
  if (fault === null) return;
  if (fault.code !== 'ENOENT') throw fault;
  const above = dirname(folder);
  if (!(await isFolder(above))) await makeFolder(above);
  // It may be there only since the first try: another process makes the same.
  const last = await faultOf(folder);
  if (last !== null) throw last;
}
