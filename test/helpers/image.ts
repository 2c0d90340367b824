import { cpSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join, matchesGlob, relative } from 'node:path';

const ROOT = new URL('../../', import.meta.url).pathname;
/** Never sent to the builder, and large. */
const LEFT_OUT = new Set(['node_modules', '.git', 'dist', '.data']);

/** A path and the folders that it is in, from the outermost on. */
const withFolders = (path: string): string[] => path.split('/').map((_, i, names) => names.slice(0, i + 1).join('/'));

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (LEFT_OUT.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesIn(path) : [relative(ROOT, path)];
  });
}

/** Paths of what `docker build` is given: of the rules of `.dockerignore` that a path fits, the last one counts. */
export function buildContext(): string[] {
  const rules = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n').filter(Boolean);
  const isSent = (path: string): boolean => {
    const rule = rules.findLast((one) => withFolders(path).some((part) => matchesGlob(part, one.replace(/^!/, ''))));
    return rule === undefined || rule.startsWith('!');
  };
  return filesIn(ROOT).filter(isSent);
}

/** A file or folder that an instruction copies from what the builder was given. */
export interface Copied {
  source: string;
  /** From the working folder of the image. */
  target: string;
  stage: number;
}

/** What the `COPY` instructions of the Dockerfile copy, but for what comes from another stage. */
export function copiedFiles(): Copied[] {
  let stage = -1;
  return readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('FROM ')) stage += 1;
      const [word, ...paths] = line.split(/\s+/);
      if (word !== 'COPY' || paths[0]?.startsWith('--')) return [];
      const target = paths.pop() ?? '';
      return paths.map((source) => ({ source, target, stage }));
    });
}

/** The files of the context that a source stands for. */
export const filesOfSource = (context: readonly string[], source: string): string[] =>
  context.filter((path) => withFolders(path).some((part) => matchesGlob(part, source)));

/** Puts the files of the image, as its last stage has them, into a folder; packages and the built dashboard are those of here. */
export function layOutImage(folder: string): void {
  const context = buildContext();
  const copied = copiedFiles();
  const last = Math.max(...copied.map(({ stage }) => stage));
  for (const { source, target } of copied.filter(({ stage }) => stage === last)) {
    for (const path of filesOfSource(context, source)) {
      // A folder's content goes into the target, a file into it where it ends with a slash.
      const inner = path.startsWith(`${source}/`) ? relative(source, path) : basename(path);
      cpSync(join(ROOT, path), join(folder, target, inner));
    }
  }
  cpSync(join(ROOT, 'dashboard/dist'), join(folder, 'dashboard/dist'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
}
