import { readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';

const ENDINGS = ['.md', '.mdx', '.markdown'];

/** Paths of the Markdown files below a folder, in order, and of links of such names; hidden folders and `node_modules` are left out. */
export async function markdownFiles(folder: string): Promise<string[]> {
  const files: string[] = [];
  const folders = [folder];
  // Grows as folders are found. One by one: a call takes no more than some 120,000 arguments.
  for (const at of folders) {
    for (const entry of await readdir(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) {
        if (!entry.name.startsWith('.') && entry.name !== 'node_modules') folders.push(path);
      } else if ((entry.isFile() || entry.isSymbolicLink()) && ENDINGS.includes(extname(entry.name).toLowerCase()))
        files.push(path);
    }
  }
  return files.toSorted();
}
