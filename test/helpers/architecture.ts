import { posix } from 'node:path';

/**
 * The tiers of src/, lowest first. A file imports from its own part and from lower tiers; two parts of one tier do not
 * know each other, and facts travel between them as events (docs: ARCHITECTURE.md).
 */
const TIERS: readonly (readonly string[])[] = [
  ['lib'],
  ['contracts'],
  ['platform'],
  ['modules/changes'],
  ['modules/accounts', 'modules/events', 'modules/system'],
  ['modules/blog', 'modules/notifications', 'modules/trades', 'modules/trust', 'modules/webhooks'],
  ['modules/docs', 'modules/site'],
  ['app', 'cli'],
  ['main.ts'],
];

/** Lets one file do what a rule forbids; each with its reason. */
const EXEMPT = {
  network: [
    // The command line, run by a person: how a service is, which no operation tells; a receiver to forward to.
    'src/cli/connection/health.ts',
    'src/cli/connection/service-clock.ts',
    'src/cli/listen/',
    // A receiver and a client to watch the service with.
    'src/app/demo/',
    // Listens for a moment, and talks to nobody.
    'src/app/try-listening.ts',
    // A unix socket, as a mark that ends with its process.
    'src/platform/db/data-dir-lock.ts',
    // Answers on the sockets that come in.
    'src/platform/http/',
    // The mail server of the settings, which an operator has named: nothing that a caller gives decides where it connects.
    'src/platform/mail/',
  ],
  // LISTEN and NOTIFY are how it talks; there is no data in it.
  sql: ['src/platform/bus/postgres-bus.ts'],
} as const;

interface Rule {
  forbidden: RegExp;
  allowedIn: (path: string) => boolean;
  says: string;
}

const under = (path: string, places: readonly string[]): boolean => places.some((p) => path.startsWith(p));

const RULES: readonly Rule[] = [
  {
    forbidden:
      /\bsql(<[^`;]*>)?`|\.(selectFrom|insertInto|updateTable|deleteFrom|mergeInto|executeQuery)\(|\.query\(\s*['"`]/,
    allowedIn: (path) => /[/-]store\.ts$/.test(path) || under(path, ['src/platform/db/', ...EXEMPT.sql]),
    says: 'SQL belongs in a store.ts or in platform/db',
  },
  {
    forbidden: /\bprocess\s*(\.\s*env\b|\[\s*['"]env['"]\s*\])|import\s*\{[^}]*\benv\b[^}]*\}\s*from\s*'node:process'/,
    allowedIn: (path) => under(path, ['src/platform/config/']),
    says: 'the environment is read in platform/config only',
  },
  {
    forbidden:
      /\bimport\s+(?!type\b)[^;]*?from\s*'(undici|nodemailer|(node:)?(http|https|http2|net|tls|dgram|dns|dns\/promises))'|\bimport\(\s*'(undici|node:(http|https|http2|net|tls))'|(?<![.\w#])fetch\(|\bnew (WebSocket|EventSource)\(/,
    allowedIn: (path) => under(path, ['src/platform/outbound/', ...EXEMPT.network]),
    says: 'connections to the outside are made in platform/outbound only',
  },
  {
    forbidden: /\bDate\.now\b|\bnew Date\(\s*\)|(?<!new )\bDate\(\s*\)|\bperformance\.now\b|\bprocess\.hrtime\b/,
    allowedIn: (path) => path === 'src/lib/clock.ts',
    says: 'the real clock is read in lib/clock.ts only',
  },
];

/** Tests and what only they use. */
const isTest = (path: string): boolean => /(\.test|\/fixtures?|\/test-(receiver|certificate))\.ts$/.test(path);

const withoutComments = (source: string): string =>
  source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1');

function importsOf(source: string): string[] {
  const found = source.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g);
  return [...found].map((match) => match[1] as string);
}

/** What is loaded before the file runs. Types are not; `import { type A }` loads its file for nothing. */
function loadedBefore(source: string): string[] {
  const found = withoutComments(source).matchAll(/^(?:import|export)\s+(?!type\b)(?:[^;']*?\bfrom\s*)?'([^']+)'/gm);
  return [...found].map((match) => match[1] as string);
}

/** The packages that are loaded before `entry` runs, whichever of the files asks for them. */
export function packagesBefore(entry: string, files: ReadonlyMap<string, string>): string[] {
  if (!files.has(entry)) throw new Error(`there is no ${entry}`);
  const packages = new Set<string>();
  const seen = new Set([entry]);
  for (const path of seen) {
    for (const specifier of loadedBefore(files.get(path) ?? '')) {
      if (specifier.startsWith('.')) seen.add(posix.join(posix.dirname(path), specifier));
      else if (!specifier.startsWith('node:')) packages.add(specifier);
    }
  }
  return [...packages].toSorted();
}

interface Place {
  tier: number;
  part: string;
}

function placeOf(path: string): Place | null {
  const inner = path.replace(/^src\//, '');
  for (const [tier, parts] of TIERS.entries()) {
    const part = parts.find((p) => inner === p || inner.startsWith(`${p}/`));
    if (part !== undefined) return { tier, part };
  }
  return null;
}

function importFault(path: string, target: string): string | null {
  if (target.startsWith('client/') && !path.startsWith('src/cli/') && !isTest(path)) {
    return `imports ${target}: the client library is for those who call the service`;
  }
  if (!target.startsWith('src/')) {
    return target.startsWith('test/') && !isTest(path) ? `imports ${target}, which is for tests` : null;
  }
  if (isTest(target) && !isTest(path)) return `imports ${target}, which is for tests`;
  const from = placeOf(path);
  const to = placeOf(target);
  if (!from || !to) return `${from ? target : path} belongs to no tier: see TIERS in test/helpers/architecture.ts`;
  if (from.part === to.part) return null;
  if (to.tier > from.tier) return `${from.part} imports ${target} of a higher tier`;
  if (to.tier === from.tier) return `${from.part} imports ${target} of its own tier`;
  if (to.part.startsWith('modules/') && target !== `src/${to.part}/index.ts`) {
    return `imports ${target}: a module is entered through its index.ts`;
  }
  return null;
}

/** What is wrong with files of src/, given by path (`src/lib/clock.ts`) with their source: one line each. */
export function violations(files: ReadonlyMap<string, string>): string[] {
  const faults: string[] = [];
  for (const [path, text] of files) {
    const source = withoutComments(text);
    for (const specifier of importsOf(source)) {
      if (!specifier.startsWith('.')) continue;
      const fault = importFault(path, posix.join(posix.dirname(path), specifier));
      if (fault !== null) faults.push(`${path}: ${fault}`);
    }
    if (isTest(path)) continue;
    for (const { forbidden, allowedIn, says } of RULES) {
      const found = allowedIn(path) ? null : forbidden.exec(source);
      if (found) faults.push(`${path}: ${says} (${found[0].trim().split('\n')[0]})`);
    }
  }
  return faults;
}
