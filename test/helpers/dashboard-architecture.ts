import { posix } from 'node:path';

/** The parts of dashboard/src that every page stands on, lowest first; each knows itself and what is left of it. */
const GROUND: readonly string[] = ['lib', 'api', 'ui', 'shell', 'account'];
/** These know all of them. */
const TOP: readonly string[] = ['app', 'main.tsx'];

/** Folders that have no number are subjects of pages: above the ground, and strangers to each other. */
const rankOf = (part: string): number => {
  if (TOP.includes(part)) return GROUND.length + 1 + TOP.indexOf(part);
  const rank = GROUND.indexOf(part);
  return rank < 0 ? GROUND.length : rank;
};

const partOf = (path: string): string => path.split('/')[2] ?? '';

function fault(path: string, specifier: string): string | null {
  if (!specifier.startsWith('.')) {
    return /^(node:|posthorn|@posthorn\/(?!client$))/.test(specifier)
      ? `imports ${specifier}: data comes from @posthorn/client`
      : null;
  }
  const target = posix.join(posix.dirname(path), specifier);
  if (!target.startsWith('dashboard/src/')) return `imports ${target}, which is outside of the dashboard`;
  const [from, to] = [partOf(path), partOf(target)];
  if (from === to || rankOf(to) < rankOf(from)) return null;
  return `${from} imports ${target} of ${rankOf(to) === rankOf(from) ? 'another subject' : 'a higher part'}`;
}

/** What is wrong with files of dashboard/src, given by path with their source: one line each. */
export function dashboardViolations(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([path, source]) => {
    const isTest = path.includes('.test.');
    const specifiers = [...source.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] as string);
    return specifiers.flatMap((specifier) => {
      const found = isTest && specifier.startsWith('node:') ? null : fault(path, specifier);
      return found === null ? [] : [`${path}: ${found}`];
    });
  });
}
