import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Whether there is a folder. */
const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/**
 * Makes a folder that is this user's alone, and those above it that are missing. With `recursive` Node tries for ever where a folder that is there
 * takes no other and the system says that it is not there (below `/proc`). Throws what the system says.
 */
export async function makeFolder(path: string): Promise<void> {
  const folder = resolve(path);
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (await isFolder(folder)) return;
    const above = dirname(folder);
    const isMissingAbove = (error as NodeJS.ErrnoException).code === 'ENOENT' && !(await isFolder(above));
    if (!isMissingAbove) throw error;
    await makeFolder(above);
    await makeFolder(folder);
  }
}
