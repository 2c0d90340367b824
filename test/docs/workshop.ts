import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../scripts/lib/step.ts';
import { cleanup } from '../helpers/cleanup.ts';

/** Where the commands of a page run: a folder that looks like a clone of the repository, and is nobody else's. */
export interface Workshop {
  folder: string;
  /** Programs that stand before those of the system. */
  programs: string;
  /** A line for each request of `curl` that failed, also where a pipe hides it. */
  failures: string;
}

/** Not in a clone, or made by npm there. */
const NOT_CLONED = new Set(['.git', '.data', 'node_modules']);

function linkAll(from: string, to: string, except: ReadonlySet<string>): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) if (!except.has(name)) symlinkSync(join(from, name), join(to, name));
}

/** The packages as npm puts them; the client by its sources, since its built form may not be there. */
function linkPackages(to: string): void {
  linkAll(join(ROOT, 'node_modules'), to, new Set(['@posthorn', '.cache']));
  const client = join(to, '@posthorn/client');
  mkdirSync(client, { recursive: true });
  symlinkSync(join(ROOT, 'client/src'), join(client, 'src'));
  const exports = {
    '.': './src/index.ts',
    './webhooks': './src/webhooks/index.ts',
    './receivers': './src/receivers/index.ts',
  };
  writeFileSync(join(client, 'package.json'), JSON.stringify({ name: '@posthorn/client', type: 'module', exports }));
}

/**
 * `sleep` waits longer where a machine may be slow; `curl` fails where the service refuses; `git clone` gives the working tree, and `npm ci` the packages that are installed:
 * that they come over the network is tried by whoever runs the suite after `npm ci`.
 */
const programsFor = (failures: string, packages: string): Record<string, string> => ({
  curl: `#!/bin/bash
"$(type -ap curl | sed -n 2p)" --fail-with-body "$@"
code=$?
[ $code = 0 ] || echo "curl $* ended with $code" >> ${failures}
exit $code
`,
  sleep: `#!/bin/bash
case "$1" in *.*) exec /bin/sleep "$1" ;; *) exec /bin/sleep $(($1 * 4)) ;; esac
`,
  git: `#!/bin/bash
[ "$1" = clone ] || exec "$(type -ap git | sed -n 2p)" "$@"
mkdir "$3" && cd "$3" && for name in ${ROOT}/* ${ROOT}/.npmrc; do
  case "$name" in */node_modules) ;; *) ln -s "$name" . ;; esac
done
`,
  npm: `#!/bin/bash
case "$1" in
  ci) [ -f package-lock.json ] && { [ -e node_modules ] || ln -s ${packages} node_modules; } ;;
  prune) [ -e node_modules ] ;;
  *) exec "$(type -ap npm | sed -n 2p)" "$@" ;;
esac
`,
  posthorn: `#!/bin/bash
exec node ${ROOT}/src/cli/posthorn.mjs "$@"
`,
});

let base: string | undefined;

/** The folder of all pages; removed after the test file. */
function theBase(): string {
  if (base !== undefined) return base;
  const made = (base = mkdtempSync(join(tmpdir(), 'posthorn-docs-')));
  cleanup(() => {
    base = undefined;
    rmSync(made, { recursive: true, force: true });
  });
  linkPackages(join(made, 'node_modules'));
  return made;
}

export function openWorkshop(name: string): Workshop {
  const root = join(theBase(), name);
  const [folder, programs, failures] = [join(root, 'clone'), join(root, 'programs'), join(root, 'failures')];
  linkAll(ROOT, folder, NOT_CLONED);
  mkdirSync(programs, { recursive: true });
  for (const [file, text] of Object.entries(programsFor(failures, join(theBase(), 'node_modules')))) {
    writeFileSync(join(programs, file), text);
    chmodSync(join(programs, file), 0o755);
  }
  return { folder, programs, failures };
}
