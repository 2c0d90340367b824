import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ROOT } from './step.ts';

const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+\.ts)'/g;
/** Whoever wants the database of the run asks for it by one of these variables. */
const VARIABLES = /\bTEST_(?:DB|DATABASE_URL)\b/;

interface Source {
  asks: boolean;
  imports: readonly string[];
}

const known = new Map<string, Source>();

function sourceOf(file: string): Source {
  let source = known.get(file);
  if (!source) {
    const text = readFileSync(file, 'utf8');
    const names = [...text.matchAll(IMPORT)].map((match) => match[1] as string);
    const imports = names.map((name) => resolve(dirname(file), name)).filter((path) => existsSync(path));
    known.set(file, (source = { asks: VARIABLES.test(text), imports }));
  }
  return source;
}

/** Whether a test file reaches, over whatever it imports, the database of the run; else every run of it is the same. */
export function needsDatabase(file: string): boolean {
  const seen = new Set<string>();
  const waiting = [resolve(ROOT, file)];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    const { asks, imports } = sourceOf(next);
    if (asks) return true;
    waiting.push(...imports);
  }
  return false;
}
