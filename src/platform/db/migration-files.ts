import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';

const FOLDER = new URL('../../../migrations/', import.meta.url);

export interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

/** The migrations of this version of the code, in order of name (`0001-accounts.sql`, …). */
export async function loadMigrations(folder: URL = FOLDER): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((n) => n.endsWith('.sql')).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8');
      return { name, sql: text, checksum: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

/** Statements of a migration file. They are split at `;` at a line's end, except inside `$$` bodies. */
export function splitStatements(text: string): string[] {
  const statements: string[] = [];
  let current: string[] = [];
  let dollar = false;
  for (const line of text.split('\n')) {
    if (!dollar && (line.trim() === '' || line.trimStart().startsWith('--'))) continue;
    current.push(line);
    if ((line.match(/\$\$/g)?.length ?? 0) % 2 === 1) dollar = !dollar;
    if (!dollar && /;\s*(--.*)?$/.test(line)) {
      statements.push(current.join('\n'));
      current = [];
    }
  }
  if (current.length > 0) statements.push(current.join('\n'));
  return statements;
}

/** Whether its statements run by themselves, beside others that read and write (docs/adr/0037). */
export const isOnline = ({ sql: text }: Pick<Migration, 'sql'>): boolean => text.startsWith('-- online\n');
