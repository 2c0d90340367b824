/**
 * Completes package-lock.json: `node scripts/complete-lock.ts`, after a dependency was changed. Packages for other
 * platforms (`optionalDependencies` with `os` and `cpu`) are left out of the lock file by a registry mirror that does
 * not hold them, and `npm ci` then refuses it everywhere. They are written back with their exact version.
 */
import { readFile, writeFile } from 'node:fs/promises';

interface Entry {
  version: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

const FILE = new URL('../package-lock.json', import.meta.url);
const OS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const CPU = ['arm', 'arm64', 'ia32', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

/** What the name of a platform package says about where it runs: `@oxlint/binding-linux-x64-musl`. */
function platformOf(name: string): Pick<Entry, 'os' | 'cpu' | 'libc'> {
  const words = name.replace(/^@[^/]+\//, '').split(/[-.]/);
  const os = words.filter((w) => OS.includes(w));
  const cpu = words.filter((w) => CPU.includes(w));
  const libc = words.includes('musl') ? ['musl'] : words.includes('gnu') ? ['glibc'] : [];
  return { ...(os.length > 0 ? { os } : {}), ...(cpu.length > 0 ? { cpu } : {}), ...(libc.length > 0 ? { libc } : {}) };
}

const lock = JSON.parse(await readFile(FILE, 'utf8')) as { packages: Record<string, Entry> };
const added: string[] = [];
for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const at = `node_modules/${name}`;
    if (lock.packages[at] ?? lock.packages[`${path}/${at}`]) continue;
    if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) continue;
    lock.packages[at] = { version, ...platformOf(name), ...(entry.dev ? { dev: true } : {}), optional: true };
    added.push(`${name}@${version}`);
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : 1)));
await writeFile(FILE, `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length === 0 ? 'the lock file is complete' : `added ${added.length} packages of other platforms`);
